/** Plugins: packages that owners load, each in a process of its own, whose tools agents have by name. */
import type { Identity } from '@parley/identity';
import { IDENTITY_CHANGED } from '@parley/identity';
import type { Caller, OutsideCall, OutsideTool, Source } from '@parley/kit';
import { detach, ToolError } from '@parley/kit';
import type { Egress } from '@parley/kit/egress';
import type { Store } from '@parley/store';
import { fromJson } from '@parley/store';
import type { Acting } from '../../session.ts';
import { actingOf } from '../../session.ts';
import type { AgentTool } from '../../tools/sets.ts';
import { answerHostCall } from './host-calls.ts';
import type { LoadedPlugin, LoadedTool } from './loaded.ts';
import { LoadedPlugins } from './loaded.ts';
import type { Capability } from './manifest.ts';
import { PackageCopies } from './package-copies.ts';
import { findPackage } from './package-folder.ts';
import type { PluginResult, PluginTimes } from './process.ts';
import { grantedTo, loadAgain, PLUGINS_CHANGED, saveGrant, saveLoaded, saveUnloaded } from './rows.ts';
import type { PluginRow, PluginTables } from './schema.ts';
import { createPluginSource } from './source.ts';

/** A plugin, as owners see it. */
export interface Plugin {
  readonly name: string;
  readonly package_name: string;
  readonly version: string;
  readonly status: PluginRow['status'];
  readonly tools: string[];
  readonly capabilities: { readonly capability: string; readonly granted: boolean }[];
  /** Why it does not run, or will not after the next start, and what to do then; null: there is nothing to do. */
  readonly note: string | null;
}

// A plugin that was unloaded is as somebody wanted it.
const NOTES: Readonly<Record<PluginRow['status'], string | undefined>> = {
  active: 'Its files changed since it was loaded; what runs now is as it was.',
  changed: 'Its files changed since it was loaded.',
  disabled: undefined,
  error: 'It crashed three times in five minutes.',
};

export interface Plugins {
  readonly source: Source;
  /** All that were ever loaded, whether they run here or not. */
  all(organizationId: string): Promise<Plugin[]>;
  /** Those that run here, and all. */
  list(organizationId: string): Promise<{ loaded: Plugin[]; all: Plugin[] }>;
  load(by: Caller, packageName: string, options?: { readonly autoGrant?: boolean }): Promise<Plugin>;
  unload(by: Caller, name: string): Promise<Plugin>;
  grant(by: Caller, name: string, capability: string): Promise<Plugin>;
  revoke(by: Caller, name: string, capability: string): Promise<Plugin>;
  /** Resolves when what an organization has is loaded; undefined when it is. */
  ready(organizationId: string): Promise<void> | undefined;
  /** The full names of the tools of an organization, as far as they are loaded. */
  names(organizationId: string): readonly string[];
  toolNamed(organizationId: string, name: string): AgentTool | undefined;
  /** The tools of an organization whose calls are refused until their plugin is granted more, each with what to do. */
  lacking(organizationId: string): Promise<ReadonlyMap<string, string>>;
  /** Loads what is active, before requests come. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface PluginsParts {
  readonly store: Store;
  readonly identity: Identity;
  readonly egress: Egress;
  readonly dataDir: string;
  readonly now: () => number;
  readonly onFault: (error: unknown, where: string) => void;
  projectRootOf(acting: Acting): Promise<string | undefined>;
  readonly times?: PluginTimes | undefined;
}

const TIMES: PluginTimes = { callMs: 30_000, loadMs: 30_000, graceMs: 1_000 };

export function createPlugins(parts: PluginsParts): Plugins {
  const { store, onFault } = parts;
  const organizations = new Map<string, { readonly plugins: LoadedPlugins; readonly ready: Promise<void> }>();
  const prepared = new Set<string>();
  const copies = new PackageCopies(parts.dataDir, store);
  const loadedParts = {
    ...parts,
    copies,
    times: parts.times ?? TIMES,
    onChange(organizationId: string) {
      source.changed(organizationId);
      // An agent that came while a plugin was starting was told its tools without it.
      if (prepared.has(organizationId))
        detach(store.signal.publish(IDENTITY_CHANGED, organizationId), (error) => onFault(error, 'plugins'));
    },
  };

  /** The plugins of an organization, once those that are active run. */
  const organization = (organizationId: string, without?: string) => {
    const known = organizations.get(organizationId);
    if (known !== undefined) return known;
    const plugins = new LoadedPlugins(loadedParts, organizationId);
    const ready = plugins.sync(without).then(() => {
      prepared.add(organizationId);
    });
    const made = { plugins, ready };
    organizations.set(organizationId, made);
    // It is tried again by whoever comes next.
    detach(ready, () => organizations.delete(organizationId));
    return made;
  };
  const toolsOf = (organizationId: string) =>
    prepared.has(organizationId) ? organizations.get(organizationId)?.plugins.tools : undefined;
  const source = createPluginSource({
    toolsOf,
    prepare: (organizationId) => organization(organizationId).ready,
    call: (tool) => (args, call) => callPlugin(parts, tool, args, call),
  });

  const leave = store.signal.subscribe(PLUGINS_CHANGED, ({ topic, payload }) => {
    const concerned = topic === PLUGINS_CHANGED && payload !== null ? [payload] : [...organizations.keys()];
    for (const organizationId of concerned)
      detach(organizations.get(organizationId)?.plugins.sync() ?? Promise.resolve(), (error) =>
        onFault(error, 'plugins'),
      );
  });

  const loadedOf = async (organizationId: string) => {
    const { plugins, ready } = organization(organizationId);
    await ready;
    return plugins;
  };
  const isAsLoaded = async ({ package_name: name, digest }: PluginRow): Promise<boolean> => {
    // One that could not be loaded now is not what it was.
    const found = await findPackage(parts.dataDir, name).catch(() => undefined);
    return found?.digest === digest;
  };
  const shownRow = async (row: PluginRow): Promise<Plugin> => {
    const { name, package_name, version, status } = row;
    const granted = await grantedTo(store, row.id);
    const capabilities = fromJson<Capability[]>(row.capabilities).map((capability) => ({
      capability,
      granted: granted.includes(capability),
    }));
    const why = NOTES[status];
    const isFine = why === undefined || (status === 'active' && (await isAsLoaded(row)));
    const note = isFine ? null : `${why} ${loadAgain(row)}`;
    return { name, package_name, version, status, tools: fromJson<string[]>(row.tools), capabilities, note };
  };

  const all = async (organizationId: string) => {
    const query = store.db<PluginTables>().selectFrom('plugins').selectAll();
    const rows = await query.where('organization_id', '=', organizationId).orderBy('name').execute();
    return Promise.all(rows.map(shownRow));
  };

  return {
    source,
    all,
    async list(organizationId) {
      const plugins = await loadedOf(organizationId);
      const known = await all(organizationId);
      const running = new Set(plugins.all.map(({ row }) => row.name));
      return {
        loaded: known.filter(({ name, status }) => status === 'active' && running.has(name)),
        all: known,
      };
    },
    async load(by, packageName, { autoGrant = false } = {}) {
      // Where nothing ran before, the one that is replaced need not be started for it.
      const { plugins, ready } = organization(by.organizationId, packageName);
      await ready;
      const { row } = await plugins.add(packageName, (loaded) =>
        saveLoaded(parts, by, { ...loaded, autoGrant }),
      );
      return shownRow(row);
    },
    async unload(by, name) {
      const row = await saveUnloaded(parts, by, name);
      await organizations.get(by.organizationId)?.plugins.sync();
      return shownRow(row);
    },
    grant: async (by, name, capability) =>
      shownRow(await saveGrant(parts, by, { name, capability, isGranted: true })),
    revoke: async (by, name, capability) =>
      shownRow(await saveGrant(parts, by, { name, capability, isGranted: false })),
    ready: (organizationId) =>
      prepared.has(organizationId) ? undefined : organization(organizationId).ready,
    names: (organizationId) => (toolsOf(organizationId) ?? []).map(({ tool }) => tool.fullName),
    toolNamed(organizationId, name) {
      const found = toolsOf(organizationId)?.find(({ tool }) => tool.fullName === name);
      const unattended = found?.tool.isBlocked === true ? 'block' : undefined;
      return found && { name, privileged: false, unattended, available: undefined };
    },
    async lacking(organizationId) {
      const { all: loaded } = await loadedOf(organizationId);
      const words = await Promise.all(
        loaded.map(async (plugin) => {
          const lack = lackOf(plugin, await grantedTo(store, plugin.row.id));
          if (lack === undefined) return [];
          return plugin.running.facts.tools.map(({ fullName }) => [fullName, lack] as const);
        }),
      );
      return new Map(words.flat());
    },
    async start() {
      const rows = await store
        .db<PluginTables>()
        .selectFrom('plugins')
        .select('organization_id')
        .where('status', '=', 'active')
        .distinct()
        .execute();
      await Promise.all(rows.map(({ organization_id }) => organization(organization_id).ready));
      await copies.tidy();
    },
    async close() {
      leave();
      await Promise.all([...organizations.values()].map(({ plugins }) => plugins.close()));
    },
  };
}

/** Why a call is refused; undefined when the plugin has all that it declares. */
function lackOf({ row, running }: LoadedPlugin, granted: readonly Capability[]): string | undefined {
  const missing = running.facts.capabilities.filter((capability) => !granted.includes(capability));
  if (missing.length === 0) return undefined;
  return `The plugin "${row.name}" is not granted ${missing.join(', ')}. An owner grants it with: parley plugins grant ${row.name} ${missing[0]}`;
}

async function callPlugin(
  parts: PluginsParts,
  loaded: LoadedTool,
  input: unknown,
  { caller, signal }: OutsideCall,
): Promise<Awaited<ReturnType<OutsideTool['call']>>> {
  const { row, running, tool } = loaded;
  const acting = actingOf(caller);
  const granted = await grantedTo(parts.store, row.id);
  const lack = lackOf(loaded, granted);
  if (lack !== undefined) throw new ToolError('forbidden', lack);
  const result = await running.call({
    tool: tool.name,
    input,
    context: { agentId: acting.agentId, sessionId: acting.sessionId ?? null, grantedCapabilities: granted },
    signal,
    onAsk: (what, args, asking) => answerHostCall(parts, { acting, granted, what, args, signal: asking }),
  });
  return {
    content: [{ type: 'text', text: fittedText(result) }],
    ...(result.data && { structuredContent: result.data }),
  };
}

const MOST_RESULT = 1024 * 1024;
const WRAPPING = 1024;
const CUT = '\n[cut at 1 MiB]';

/** The text, cut so that the whole answer stays within what one result may have. */
function fittedText({ text, data }: PluginResult): string {
  const room = MOST_RESULT - WRAPPING - (data === undefined ? 0 : JSON.stringify(data).length);
  const sizeOf = (part: string) => JSON.stringify(part).length;
  if (sizeOf(text) <= room || room <= CUT.length) return text;
  let kept = text.slice(0, room - CUT.length);
  while (sizeOf(kept) > room - CUT.length) kept = kept.slice(0, Math.floor(kept.length / 2));
  return kept + CUT;
}
