/** The virtual MCPs of all organizations: read when they are first asked for, put together again when anything in them is another. */
import type { ServedVirtualMcp, ServedVirtualMcps } from '@parley/connections';
import { CONNECTIONS_CHANGED } from '@parley/connections';
import type { Caller, ChangeBus, Engine, Installed, JsonSchema, SourcePart } from '@parley/kit';
import { detach } from '@parley/kit';
import { createCodeExecution } from '../sandbox/code-execution.ts';
import type { RunOutcome } from '../sandbox/sandbox.ts';
import { engineUniverse } from '../sandbox/tool-universe.ts';
import { OFFERS } from '../upstream/toolset.ts';
import type { AssemblyOptions } from './assembly.ts';
import { Assembly, sourceOf } from './assembly.ts';
import type { Composed } from './compose.ts';
import type { DescribedVirtual } from './described.ts';
import { described } from './described.ts';
import type { Digests } from './digests.ts';
import { digestOf, digestsOf, LISTS } from './digests.ts';
import { virtualEngine } from './engine.ts';
import type { HeldResource } from './holdings.ts';
import { toolsetsOf } from './holdings.ts';
import { keepRecent } from './keep-recent.ts';
import { metaTools } from './meta-tools.ts';
import type { Mode } from './modes.ts';
import { shownUrisOf } from './shown-uris.ts';
import { StoredRows } from './stored-rows.ts';
import type { DraftTool, TrialCall } from './trial.ts';
import { triedTool } from './trial.ts';
import { whyEmpty } from './why-empty.ts';

/** What virtual MCPs stand on. */
export interface VirtualOptions extends AssemblyOptions {
  readonly changes: ChangeBus;
  readonly onFault: (error: unknown, where: string) => void;
}

/** A virtual MCP that was found. */
export interface FoundVirtual {
  readonly isActive: boolean;
  readonly engine: Engine;
}

type Soon<Value> = Value | Promise<Value>;

export interface VirtualMcpEngines {
  /** The virtual MCP of the caller's organization with this id. */
  find(caller: Caller, id: string, mode: Mode): Soon<FoundVirtual | undefined>;
  /** The same for the id of a virtual MCP or of a connection that stands for one. */
  standIn(caller: Caller, id: string): Promise<FoundVirtual | undefined>;
  /** Reads the rows of an organization again when they are asked for next. */
  forget(organizationId: string): void;
  /** What code of a caller reaches whose credential is bound to a virtual MCP; undefined: it is bound to none. */
  boundTo(caller: Caller): Promise<Engine | undefined>;
  /** What it shows, and what that costs; undefined: there is none. */
  describe(caller: Caller, id: string): Promise<DescribedVirtual | undefined>;
  /** Runs a tool in code that is not stored yet; undefined: there is no such virtual MCP. */
  tryTool(call: TrialCall, id: string, draft: DraftTool): Promise<RunOutcome | undefined>;
  close(): void;
}

interface Built {
  readonly rows: ServedVirtualMcps;
  readonly membersVersion: string;
  readonly virtual: ServedVirtualMcp;
  readonly composed: Composed;
  readonly version: string;
  /** Another one where a list is another. */
  readonly shown: Digests;
  readonly parts: Map<Mode, SourcePart>;
}

const MOST_TRIES = 5;

/** Creates it; nothing is read before somebody asks. */
export function createVirtualMcpEngines(options: VirtualOptions): VirtualMcpEngines {
  const { store, changes, sandbox, observe, onFault, results } = options;
  const stored = new StoredRows(store);
  const built = new Map<string, Built>();
  const loading = new Map<string, Promise<Built | undefined>>();
  const engines = new Map<string, Engine>();
  const ends: (() => void)[] = [];
  let isTelling = false;
  const keyOf = (organizationId: string, id: string) => `${organizationId} ${id}`;
  /** Whether nobody has what a key names any more, as far as is known without asking. */
  const isGone = (key: string) => {
    const [organizationId = '', id = ''] = key.split(' ');
    return stored.current(organizationId)?.byId.has(id) === false;
  };

  const versionOf = (organizationId: string) =>
    options
      .members()
      .map((source) => String(source.catalog(organizationId)?.version))
      .join(' ');

  /** What is put together and up to date. */
  function current(organizationId: string, id: string): Built | undefined {
    const known = built.get(keyOf(organizationId, id));
    if (known === undefined || known.rows !== stored.current(organizationId)) return undefined;
    return known.membersVersion === versionOf(organizationId) ? known : undefined;
  }

  /** The same, when no change can have been missed. */
  function upToDate(organizationId: string, id: string): Built | undefined {
    return store.signal.isBroken() ? undefined : current(organizationId, id);
  }

  /** Whoever asks while it is put together waits for the same. */
  function load(organizationId: string, id: string): Promise<Built | undefined> {
    const key = keyOf(organizationId, id);
    const known = loading.get(key);
    if (known !== undefined) return known;
    const work = build(organizationId, id).finally(() => loading.delete(key));
    loading.set(key, work);
    return work;
  }

  /** Changes are heard before anything is read, and by nobody who never reads. */
  function listen(): void {
    if (ends.length === 0) ends.push(hear(), watch());
  }

  async function build(organizationId: string, id: string): Promise<Built | undefined> {
    const key = keyOf(organizationId, id);
    listen();
    for (let tries = 1; ; tries += 1) {
      const rows = await stored.of(organizationId);
      await options.engine().ready({ organizationId });
      const membersVersion = versionOf(organizationId);
      const virtual = rows.byId.get(id);
      if (virtual === undefined) {
        built.delete(key);
        return undefined;
      }
      const whole = await new Assembly(options, organizationId, rows).compose(virtual);
      const version = `${digestOf([virtual, whole.names, whole.facts])} ${membersVersion}`;
      const shown = digestsOf(whole.composed);
      const before = built.get(key);
      const isSame = before?.version === version;
      const made: Built = isSame
        ? { ...before, rows, membersVersion, virtual }
        : { rows, membersVersion, virtual, composed: whole.composed, version, shown, parts: new Map() };
      keepRecent(built, key, made, isGone);
      // What has changed meanwhile was not in it.
      if (current(organizationId, id) === made || tries === MOST_TRIES) return made;
    }
  }

  /** What one mode shows; the meta tools stand beside the documents, which are the same in all modes. */
  function partOf(organizationId: string, id: string, mode: Mode): SourcePart | undefined {
    const known = built.get(keyOf(organizationId, id));
    if (known === undefined) return undefined;
    const made = known.parts.get(mode);
    if (made !== undefined) return made;
    const { virtual, composed: whole, version } = known;
    const isPassthrough = mode === 'passthrough';
    const toolsets = toolsetsOf({ ...whole, tools: isPassthrough ? whole.tools : [] });
    const own = toolsets.find(({ toolset }) => toolset.name === id);
    const others = toolsets.filter((installed) => installed !== own);
    const { code, passthrough } = metaPartsOf(organizationId, id);
    const heldBy = (caller: Caller) => passthrough.view(caller).tools.size > 0;
    const mine: Installed = {
      toolset: {
        kind: 'toolset',
        name: id,
        title: virtual.title,
        // Members and what they show may be others at any time.
        offers: OFFERS,
        ...(virtual.instructions !== null && { instructions: virtual.instructions }),
        tools: isPassthrough ? (own?.toolset.tools ?? []) : metaTools(mode, { code, heldBy }),
        resources: [...(own?.toolset.resources ?? []), ...(whole.keepsResults ? results.documents : [])],
        prompts: own?.toolset.prompts ?? [],
      },
      services: {},
    };
    const part = { version, toolsets: [mine, ...others] };
    known.parts.set(mode, part);
    return part;
  }

  function metaPartsOf(organizationId: string, id: string) {
    const passthrough = engineOf(organizationId, id, 'passthrough');
    const universe = engineUniverse(() => passthrough, observe);
    return { passthrough, universe, code: createCodeExecution(sandbox, universe) };
  }

  function engineOf(organizationId: string, id: string, mode: Mode): Engine {
    const key = `${organizationId} ${id} ${mode}`;
    const known = engines.get(key);
    if (known !== undefined) return known;
    const ready = () => (upToDate(organizationId, id) === undefined ? load(organizationId, id) : undefined);
    const source = sourceOf(organizationId, id, {
      catalog: () => partOf(organizationId, id, mode),
      prepare: () => load(organizationId, id),
    });
    const reason = () => {
      const now = built.get(keyOf(organizationId, id));
      return now === undefined ? GONE : whyEmpty(now.virtual, now.composed);
    };
    const inner = options.engine().over([source]);
    const settled = () => {
      const waiting = options.members().flatMap((source) => source.settled?.(organizationId) ?? []);
      return waiting.length === 0 ? undefined : Promise.all(waiting);
    };
    const parts = { id, ready, settled, whyEmpty: reason };
    const made =
      mode === 'passthrough'
        ? virtualEngine(inner, parts)
        : virtualEngine(inner, { ...parts, ...wholeOf(organizationId, id) });
    keepRecent(engines, key, made, isGone);
    return made;
  }

  function wholeOf(organizationId: string, id: string) {
    const { passthrough: whole, universe } = metaPartsOf(organizationId, id);
    return { whole, universe };
  }

  const foundOf = (organizationId: string, { virtual }: Built, mode: Mode): FoundVirtual => ({
    isActive: virtual.status !== 'inactive',
    engine: engineOf(organizationId, virtual.id, mode),
  });

  async function standIn({ organizationId }: Caller, id: string): Promise<FoundVirtual | undefined> {
    listen();
    const { byId, standIns } = await stored.of(organizationId);
    const stand = standIns.get(id);
    const virtualId = byId.has(id) ? id : stand?.virtualId;
    const found = virtualId === undefined ? undefined : await load(organizationId, virtualId);
    if (found === undefined) return undefined;
    const { engine, isActive } = foundOf(organizationId, found, 'passthrough');
    return { engine, isActive: isActive && stand?.status !== 'inactive' };
  }

  /** Tells those who listen, when what they see is another. */
  async function refresh(organizationId: string): Promise<void> {
    const mine = [...built].filter(([key]) => key.startsWith(`${organizationId} `));
    const changed = new Set<keyof Digests>();
    for (const [, { virtual, shown }] of mine) {
      const now = await load(organizationId, virtual.id);
      for (const kind of LISTS) if (now?.shown[kind] !== shown[kind]) changed.add(kind);
    }
    for (const kind of changed) changes.publish({ kind, organizationId });
  }

  const hear = () =>
    store.signal.subscribe(CONNECTIONS_CHANGED, ({ topic, payload }) => {
      const all = topic === '*' || payload === null;
      const concerned = all ? new Set([...built.keys()].map((key) => key.split(' ')[0] ?? '')) : [payload];
      stored.forget(all ? undefined : payload);
      for (const organizationId of concerned)
        detach(refresh(organizationId), (error) => onFault(error, 'virtual MCPs'));
    });
  const watch = () =>
    changes.subscribe((change) => {
      if (isTelling || change.kind !== 'resource' || change.organizationId === undefined) return;
      const { organizationId, toolset } = change;
      const isMeant = ({ place }: HeldResource) => toolset === undefined || place.toolset === toolset;
      const shown = new Set<string>();
      for (const [key, { composed: whole }] of built)
        if (key.startsWith(`${organizationId} `))
          for (const uri of shownUrisOf(whole.resources.filter(isMeant), change.uri)) shown.add(uri);
      // What is told here under another URI is no document of a connection.
      isTelling = true;
      try {
        for (const uri of shown) changes.publish({ ...change, uri });
      } finally {
        isTelling = false;
      }
    });

  return {
    find({ organizationId }, id, mode) {
      const known = upToDate(organizationId, id);
      if (known !== undefined) return foundOf(organizationId, known, mode);
      return load(organizationId, id).then((found) => found && foundOf(organizationId, found, mode));
    },
    standIn,
    forget: (organizationId) => stored.forget(organizationId),
    async boundTo(caller) {
      const { connectionId } = caller;
      if (connectionId === undefined) return undefined;
      const found = await standIn(caller, connectionId);
      if (found?.isActive === true) return found.engine;
      // What is bound to one that is gone or switched off gets nothing, never more.
      const isBound = found !== undefined || connectionId.startsWith('vir_');
      return isBound ? options.engine().over([]) : undefined;
    },
    async describe(caller, id) {
      const found = await load(caller.organizationId, id);
      if (found === undefined) return undefined;
      const { virtual, composed: whole } = found;
      const engineIn = (mode: Mode) => engineOf(caller.organizationId, id, mode);
      const isActive = virtual.status !== 'inactive';
      return { isActive, ...(await described(whole, caller, engineIn)) };
    },
    async tryTool(call, id, draft) {
      const { organizationId } = call.caller;
      const found = await load(organizationId, id);
      if (found === undefined) return undefined;
      const { rows, virtual, composed: whole } = found;
      const assembly = new Assembly(options, organizationId, rows);
      const universe = await assembly.universeFor(virtual, whole.tools, draft.dependencies);
      const faultsOf = (schema: JsonSchema) => options.checks.against(schema, organizationId);
      return triedTool(draft, { sandbox, universe, faultsOf }, call);
    },
    close() {
      for (const end of ends.splice(0)) end();
    },
  };
}

const GONE = 'This virtual MCP is not there any more.';
