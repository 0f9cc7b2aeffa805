/** The putting together of one virtual MCP with all that stands in it: connections, this server itself, other virtual MCPs. */
import type { ServedMember, ServedVirtualMcp, ServedVirtualMcps } from '@parley/connections';
import { selfConnectionId, settleNames, slugOf } from '@parley/connections';
import type { Engine, Installed, Observer, Source, SourcePart } from '@parley/kit';
import type { Store } from '@parley/store';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ToolUniverse } from '../sandbox/tool-universe.ts';
import { engineUniverse } from '../sandbox/tool-universe.ts';
import type { SchemaChecks } from '../upstream/schema-checks/checker.ts';
import type { Composed } from './compose.ts';
import { composed } from './compose.ts';
import type { HeldTool, Holdings } from './holdings.ts';
import { holdingsOf, toolsetsOf } from './holdings.ts';
import type { KeptResults } from './kept-results.ts';

/** What it is made with. */
export interface AssemblyOptions {
  readonly store: Store;
  /** The engine of everything else; it loads the members, and its hooks and records are those of virtual MCPs too. */
  readonly engine: () => Engine;
  /** Where connections come from: each is a toolset under the id of the connection. */
  readonly members: () => readonly Source[];
  /** The management tools, as which the connection of an organization to this server is a member. */
  readonly self?: () => Installed | undefined;
  readonly sandbox: Sandbox;
  readonly results: KeptResults;
  /** What holds values against schemas that others wrote. */
  readonly checks: SchemaChecks;
  readonly observe: Observer;
}

const MOST_LEVELS = 5;
const NOTHING: SourcePart = { version: 0, toolsets: [] };

/** One putting together: a virtual MCP that is a member of several is put together once. */
export class Assembly {
  readonly #options: AssemblyOptions;
  readonly #organizationId: string;
  readonly #rows: ServedVirtualMcps;
  readonly #nested = new Map<string, Promise<Composed>>();
  readonly #facts: unknown[] = [];

  constructor(options: AssemblyOptions, organizationId: string, rows: ServedVirtualMcps) {
    this.#options = options;
    this.#organizationId = organizationId;
    this.#rows = rows;
  }

  async compose(virtual: ServedVirtualMcp) {
    const whole = await this.#composed(virtual, [virtual.id]);
    return { composed: whole, names: whole.names, facts: this.#facts };
  }

  /** What code reaches that is not stored yet. */
  universeFor(
    virtual: ServedVirtualMcp,
    held: readonly HeldTool[],
    dependencies: readonly string[],
  ): Promise<ToolUniverse> {
    return this.#universe(virtual, held, dependencies);
  }

  #composed(virtual: ServedVirtualMcp, above: readonly string[]): Promise<Composed> {
    const universes = new Map<string, Promise<ToolUniverse>>();
    const { store, results, checks, sandbox } = this.#options;
    const organizationId = this.#organizationId;
    return composed(virtual, {
      store,
      organizationId,
      results,
      checks,
      sandbox,
      heldBy: (member) => this.#heldBy(member, above),
      universeOf: (held, dependencies) => {
        const key = JSON.stringify(dependencies);
        const known = universes.get(key) ?? this.#universe(virtual, held, dependencies);
        universes.set(key, known);
        return known;
      },
    });
  }

  async #heldBy(
    { connectionId, virtualId, status }: Pick<ServedMember, 'connectionId' | 'virtualId' | 'status'>,
    above: readonly string[],
  ): Promise<Holdings | undefined> {
    if (status === 'inactive') return undefined;
    if (virtualId !== null) return this.#nestedIn(virtualId, above);
    if (connectionId === selfConnectionId(this.#organizationId)) {
      const self = this.#options.self?.();
      return self && holdingsOf(self);
    }
    for (const source of this.#options.members()) {
      const found = source
        .catalog(this.#organizationId)
        ?.toolsets.find(({ toolset }) => toolset.name === connectionId);
      if (found !== undefined) return holdingsOf(found);
    }
    return undefined;
  }

  async #nestedIn(id: string, above: readonly string[]): Promise<Holdings | undefined> {
    const virtual = this.#rows.byId.get(id);
    // Refused when it is stored; whatever came into the tables otherwise is left out.
    const isTooDeep = above.includes(id) || above.length >= MOST_LEVELS;
    if (virtual === undefined || virtual.status === 'inactive' || isTooDeep) return undefined;
    const known = this.#nested.get(id) ?? this.#composed(virtual, [...above, id]);
    this.#nested.set(id, known);
    const whole = await known;
    this.#facts.push(virtual, whole.names);
    return whole;
  }

  /** What code of a tool reaches: what the members show, and all of the connections that it says it needs. */
  async #universe(
    virtual: ServedVirtualMcp,
    held: readonly HeldTool[],
    dependencies: readonly string[],
  ): Promise<ToolUniverse> {
    const members = held.filter(({ isCode }) => isCode !== true);
    const known = new Set(members.map(placeKey));
    const more: HeldTool[] = [];
    for (const connectionId of dependencies) {
      const standIn = this.#rows.standIns.get(connectionId);
      const nested = this.#rows.byId.get(connectionId);
      const holdings = await this.#heldBy(
        {
          connectionId,
          virtualId: nested?.id ?? standIn?.virtualId ?? null,
          status: standIn?.status ?? nested?.status ?? 'active',
        },
        [virtual.id],
      );
      const tools = (holdings?.tools ?? []).filter(
        (tool) => tool.isCode !== true && !known.has(placeKey(tool)),
      );
      const title = tools[0]?.place.title ?? connectionId;
      const { names } = settleNames({
        virtualMcpId: virtual.id,
        kind: 'tools',
        own: [...members, ...more].map(({ name }) => name),
        kept: [],
        members: [{ connectionId, alias: slugOf(title), prefix: null, names: tools.map(({ name }) => name) }],
      });
      const exposed = new Map(names.map((named) => [named.upstream_name, named.exposed_name]));
      for (const tool of tools) {
        const name = exposed.get(tool.name);
        if (name === undefined) continue;
        const { item } = tool;
        more.push({ ...tool, name, item: { ...item, name, granted: item.granted ?? item.name } });
      }
    }
    const part = {
      version: 1,
      toolsets: toolsetsOf({ tools: [...members, ...more], resources: [], prompts: [] }),
    };
    const source = sourceOf(this.#organizationId, `${virtual.id}-code`, { catalog: () => part });
    const engine = this.#options.engine().over([source]);
    return engineUniverse(() => engine, this.#options.observe);
  }
}

/** A source that one organization has. */
export function sourceOf(
  organizationId: string,
  name: string,
  { catalog, prepare }: { catalog(): SourcePart | undefined; prepare?: () => Promise<unknown> },
): Source {
  return {
    name,
    kind: 'virtual',
    reach: 'organization',
    catalog: (asked) => (asked === organizationId ? catalog() : NOTHING),
    ...(prepare !== undefined && {
      prepare: async () => {
        await prepare();
      },
    }),
  };
}

/** A tool by what grants know it by. */
const placeKey = ({ place, item }: HeldTool) => `${place.toolset} ${item.granted ?? item.name}`;
