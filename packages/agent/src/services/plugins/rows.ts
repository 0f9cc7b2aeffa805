/** Plugins as the database has them: what is loaded, what is granted, and how often each crashed. */
import type { Identity } from '@parley/identity';
import { IDENTITY_CHANGED } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { systemCaller, ToolError, typeId } from '@parley/kit';
import type { Queryable, Store, StoreTransaction } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import type { Capability, PluginFacts } from './manifest.ts';
import type { PluginCapabilityRow, PluginRow, PluginTables } from './schema.ts';

/** The topic of changes of what is loaded; its payload is the organization. */
export const PLUGINS_CHANGED = 'agent.plugins';

const CRASH_WINDOW_MS = 5 * 60_000;
const MOST_CRASHES = 3;

export interface PluginRowParts {
  readonly store: Store;
  readonly identity: Identity;
  readonly now: () => number;
}

export function activePlugins(from: Queryable, organizationId: string): Promise<PluginRow[]> {
  return from
    .db<PluginTables>()
    .selectFrom('plugins')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'active')
    .orderBy('name')
    .execute();
}

export async function pluginNamed(from: Queryable, organizationId: string, name: string): Promise<PluginRow> {
  const row = await from
    .db<PluginTables>()
    .selectFrom('plugins')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('name', '=', name)
    .executeTakeFirst();
  if (row === undefined) throw new ToolError('not_found', 'Plugin not found');
  return row;
}

/** The capabilities that a plugin has now. */
export async function grantedTo(from: Queryable, pluginId: string): Promise<Capability[]> {
  const rows = await from
    .db<PluginTables>()
    .selectFrom('plugin_capabilities')
    .select('capability')
    .where('plugin_id', '=', pluginId)
    .where('granted', '=', 1)
    .orderBy('capability')
    .execute();
  // Only what a manifest may declare is ever written.
  return rows.map(({ capability }) => capability as Capability);
}

/** What to do about a plugin that does not run. */
export function loadAgain({ package_name }: Pick<PluginRow, 'package_name'>): string {
  return `Load it again with: parley plugins load ${package_name}; then grant what it may do.`;
}

/** A package that was looked at, and what it says about itself. */
export interface LoadedPackage {
  readonly packageName: string;
  readonly facts: PluginFacts;
  readonly digest: string;
}

/** Whether the plugin says of itself what it said when it was loaded. */
export function describes(row: PluginRow, { name, version, capabilities, tools }: PluginFacts): boolean {
  return (
    row.name === name &&
    row.version === version &&
    isSameList(fromJson<string[]>(row.capabilities), capabilities) &&
    isSameList(fromJson<string[]>(row.tools), fullNames(tools))
  );
}

const fullNames = (tools: PluginFacts['tools']) => tools.map(({ fullName }) => fullName);
const isSameList = (a: readonly string[], b: readonly string[]) => a.join('\n') === b.join('\n');

/** Throws `conflict` when the plugin is loaded as it stands, or one of its names belongs to another. */
export function refuseTaken(
  rows: readonly PluginRow[],
  { packageName, facts: { name, tools }, digest }: LoadedPackage,
): void {
  const loaded = rows.find((row) => row.name === name);
  if (loaded !== undefined && loaded.package_name !== packageName)
    throw new ToolError(
      'conflict',
      `The plugin "${name}" is loaded from the package "${loaded.package_name}" already. Unload it first.`,
    );
  if (loaded?.digest === digest)
    throw new ToolError('conflict', `The plugin "${name}" is loaded already, and its files did not change.`);
  const others = rows.filter((row) => row !== loaded);
  const owners = new Map(
    others.flatMap((row) => fromJson<string[]>(row.tools).map((tool) => [tool, row.name])),
  );
  const taken = tools.find(({ fullName }) => owners.has(fullName));
  if (taken !== undefined)
    throw new ToolError(
      'conflict',
      `The tool ${taken.fullName} belongs to the plugin "${owners.get(taken.fullName)}" already.`,
    );
}

/** Writes down that a plugin is loaded; what it had before is forgotten, grants included. */
export function saveLoaded(
  { store, identity, now }: PluginRowParts,
  by: Caller,
  { autoGrant, ...loaded }: LoadedPackage & { autoGrant: boolean },
): Promise<PluginRow> {
  const { organizationId } = by;
  const { packageName, facts, digest } = loaded;
  return store.transaction(async (tx) => {
    await tx.exclusive(`plugins ${organizationId}`);
    refuseTaken(await activePlugins(tx, organizationId), loaded);
    const at = now();
    const row: PluginRow = {
      id: typeId('plg', at),
      organization_id: organizationId,
      name: facts.name,
      package_name: packageName,
      version: facts.version,
      capabilities: toJson(facts.capabilities),
      tools: toJson(fullNames(facts.tools)),
      digest,
      status: 'active',
      config: null,
      crashes: '[]',
      generation: typeId('gen', at),
      created_at: at,
      updated_at: at,
    };
    const db = tx.db<PluginTables>();
    const mine = db.deleteFrom('plugins').where('organization_id', '=', organizationId);
    await mine.where('name', '=', facts.name).execute();
    await db.insertInto('plugins').values(row).execute();
    const capabilities = facts.capabilities.map((capability) =>
      capabilityRow(row, capability, autoGrant, at),
    );
    if (capabilities.length > 0) await db.insertInto('plugin_capabilities').values(capabilities).execute();
    const changed = { name: row.name, version: row.version, granted: autoGrant ? facts.capabilities : [] };
    await told({ identity, tx, by, action: 'plugin.loaded', row, changed });
    return row;
  });
}

/** Takes a plugin out of use whose package is not what was loaded, with all that it was granted. */
export function saveChanged(
  { store, identity, now }: PluginRowParts,
  { id, generation }: PluginRow,
): Promise<void> {
  return store.transaction(async (tx) => {
    const row = await heldPlugin(tx, id);
    if (row?.status !== 'active' || row.generation !== generation) return;
    const db = tx.db<PluginTables>();
    const at = now();
    const grants = { granted: 0, granted_at: null, updated_at: at };
    await db.updateTable('plugin_capabilities').set(grants).where('plugin_id', '=', id).execute();
    const changed = { status: 'changed', updated_at: at } as const;
    await db.updateTable('plugins').set(changed).where('id', '=', id).execute();
    const by = systemCaller('system_plugins', 'Plugins', row.organization_id);
    await told({ identity, tx, by, action: 'plugin.changed', row, changed: { name: row.name } });
  });
}

/** Takes a plugin out of use. */
export function saveUnloaded(
  { store, identity, now }: PluginRowParts,
  by: Caller,
  name: string,
): Promise<PluginRow> {
  return store.transaction(async (tx) => {
    const row = await pluginNamed(tx, by.organizationId, name);
    const changed = { status: 'disabled', updated_at: now() } as const;
    await tx.db<PluginTables>().updateTable('plugins').set(changed).where('id', '=', row.id).execute();
    await told({ identity, tx, by, action: 'plugin.unloaded', row, changed: { name } });
    return { ...row, ...changed };
  });
}

/** Gives or takes a capability that the plugin declares. */
export function saveGrant(
  { store, identity, now }: PluginRowParts,
  by: Caller,
  { name, capability, isGranted }: { name: string; capability: string; isGranted: boolean },
): Promise<PluginRow> {
  return store.transaction(async (tx) => {
    const row = await pluginNamed(tx, by.organizationId, name);
    // What is granted is granted to what was loaded, and the next load is another.
    if (isGranted && row.status !== 'active')
      throw new ToolError('conflict', `The plugin "${name}" does not run. ${loadAgain(row)}`);
    const declared = fromJson<string[]>(row.capabilities);
    if (!declared.includes(capability))
      throw new ToolError(
        'invalid',
        `capability: the plugin "${name}" ${row.version} does not declare ${capability}. It declares ${declared.join(', ') || 'none'}.`,
      );
    const { granted, granted_at, updated_at } = capabilityRow(row, capability, isGranted, now());
    await tx
      .db<PluginTables>()
      .updateTable('plugin_capabilities')
      .set({ granted, granted_at, updated_at })
      .where('plugin_id', '=', row.id)
      .where('capability', '=', capability)
      .execute();
    const action = isGranted ? 'plugin.granted' : 'plugin.revoked';
    await identity.audit.write(tx, { caller: by, action, target: row.id, changed: { name, capability } });
    return row;
  });
}

/** Counts a crash, whichever process saw it; three in five minutes end the plugin. */
export function saveCrash({ store, now }: PluginRowParts, id: string, generation: string): Promise<void> {
  return store.transaction(async (tx) => {
    const row = await heldPlugin(tx, id);
    if (row?.status !== 'active' || row.generation !== generation) return;
    const at = now();
    const crashes = [...fromJson<number[]>(row.crashes).filter((each) => each > at - CRASH_WINDOW_MS), at];
    const isOver = crashes.length >= MOST_CRASHES;
    await tx
      .db<PluginTables>()
      .updateTable('plugins')
      .set({ crashes: toJson(crashes), updated_at: at, ...(isOver && { status: 'error' }) })
      .where('id', '=', id)
      .execute();
    if (isOver) await signalled(tx, row.organization_id);
  });
}

/** The plugin, held until the transaction ends. */
function heldPlugin(tx: StoreTransaction, id: string): Promise<PluginRow | undefined> {
  const query = tx.db<PluginTables>().selectFrom('plugins').selectAll().where('id', '=', id);
  return tx.locked(query).executeTakeFirst();
}

function capabilityRow(
  { id, organization_id }: PluginRow,
  capability: string,
  isGranted: boolean,
  at: number,
): PluginCapabilityRow {
  return {
    organization_id,
    plugin_id: id,
    capability,
    granted: isGranted ? 1 : 0,
    granted_at: isGranted ? at : null,
    created_at: at,
    updated_at: at,
  };
}

async function told(change: {
  readonly identity: Identity;
  readonly tx: StoreTransaction;
  readonly by: Caller;
  readonly action: string;
  readonly row: PluginRow;
  readonly changed: Record<string, unknown>;
}): Promise<void> {
  const { identity, tx, by, action, row, changed } = change;
  await identity.audit.write(tx, { caller: by, action, target: row.id, changed });
  await signalled(tx, row.organization_id);
}

/** Which tools there are decides what agents may do, so both kinds of memory end. */
async function signalled(tx: StoreTransaction, organizationId: string): Promise<void> {
  await tx.signal(PLUGINS_CHANGED, organizationId);
  await tx.signal(IDENTITY_CHANGED, organizationId);
}
