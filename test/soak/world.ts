/** Owns what a soak puts behind the server: upstreams of all kinds, and the connections and virtual MCPs over them. */
import { mcpProgram } from '@parley/test-support/mcp-program';
import { callTool } from '../conformance/plain-client.ts';
import type { MoodyUpstream } from './moody-upstream.ts';
import { startMoody } from './moody-upstream.ts';

/** Where the server is, and the key of its owner. */
export interface Served {
  readonly mcp: string;
  readonly key: string;
}

/** A connection that clients may use now. */
export interface Live {
  readonly id: string;
  readonly kind: Kind;
}

/** What a connection leads to. */
export const KINDS = ['2026', '2025', 'sse', 'program 2026', 'program 2025', 'stubborn program'] as const;
export type Kind = (typeof KINDS)[number];

/** Everything behind the server. */
export interface World extends AsyncDisposable {
  readonly upstreams: readonly MoodyUpstream[];
  readonly live: Live[];
  readonly virtuals: string[];
  /** A key like that of the owner; each has limits of its own. */
  makeKey(): Promise<string>;
  /** Makes a connection; a server that does not answer now is stored all the same. */
  connect(kind: Kind): Promise<void>;
  disconnect(one: Live): Promise<void>;
  /** Makes a virtual MCP over what is there. */
  combine(): Promise<void>;
  separate(id: string): Promise<void>;
  /** Takes every connection and virtual MCP away. */
  clear(): Promise<void>;
}

const SHORTEST_CALL_MS = 1_000;
const MEMBERS = 3;

/** Starts the upstreams; `mark` is in the environment of every program. */
export async function buildWorld(
  { mcp, key }: Served,
  mark: Readonly<Record<string, string>>,
): Promise<World> {
  const upstreams = await Promise.all((['2026', '2025', 'sse'] as const).map(startMoody));
  const live: Live[] = [];
  const virtuals: string[] = [];
  const manage = (name: string, args: object) =>
    callTool<{ item: { id: string } }>(`${mcp}/self`, key, { name, arguments: { ...args } });

  function placeOf(kind: Kind): object {
    if (!kind.includes('program')) {
      const url = upstreams.find(({ era }) => era === kind)?.url;
      return { connection_type: kind === 'sse' ? 'SSE' : 'HTTP', connection_url: url };
    }
    const era = kind === 'program 2026' ? '2026' : '2025';
    const { command, args } = mcpProgram({ era, isStubborn: kind === 'stubborn program' });
    return { connection_type: 'STDIO', connection_headers: { command, args, envVars: mark } };
  }

  /** Only one lane gets it: the others do not see it any more. */
  const taken = <Item>(list: Item[], item: Item): boolean => {
    const at = list.indexOf(item);
    if (at >= 0) list.splice(at, 1);
    return at >= 0;
  };

  const world: World = {
    upstreams,
    live,
    virtuals,
    async makeKey() {
      const asked = { name: 'API_KEY_CREATE', arguments: { name: 'Soak', permissions: { '*': ['*'] } } };
      return (await callTool<{ key: string }>(`${mcp}/self`, key, asked)).key;
    },
    async connect(kind) {
      const gateway = { callTimeoutMs: SHORTEST_CALL_MS, pinning: 'off' };
      const data = { title: `A ${kind}`, ...placeOf(kind), metadata: { gateway } };
      const { item } = await manage('COLLECTION_CONNECTIONS_CREATE', { data });
      live.push({ id: item.id, kind });
    },
    async disconnect(one) {
      if (taken(live, one)) await manage('COLLECTION_CONNECTIONS_DELETE', { id: one.id, force: true });
    },
    async combine() {
      const connections = live.slice(-MEMBERS).map(({ id }) => ({ connection_id: id }));
      const { item } = await manage('COLLECTION_VIRTUAL_MCP_CREATE', {
        data: { title: 'Some', connections },
      });
      virtuals.push(item.id);
    },
    async separate(id) {
      if (taken(virtuals, id)) await manage('COLLECTION_VIRTUAL_MCP_DELETE', { id });
    },
    async clear() {
      await Promise.all(virtuals.slice().map((id) => world.separate(id)));
      // Together: a program that does not want to end takes its time.
      await Promise.all(live.slice().map((one) => world.disconnect(one)));
    },
    async [Symbol.asyncDispose]() {
      for (const upstream of upstreams) await upstream[Symbol.asyncDispose]();
    },
  };
  return world;
}
