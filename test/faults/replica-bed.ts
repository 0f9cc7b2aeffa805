/** Three servers on one PostgreSQL behind a plain balancer, with an upstream, and clients of both eras that never rest. */
import { setTimeout as delay } from 'node:timers/promises';
import { Client, SdkHttpError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { callTool } from '../product/mcp-messages.ts';
import type { Server } from '../product/parley.ts';
import type { AskingUpstream } from './asking-upstream.ts';
import { startAskingUpstream } from './asking-upstream.ts';
import type { Balancer } from './balancer.ts';
import { startFleet } from './fleet.ts';

export type Era = 'modern' | 'legacy';

/** Something that a client asked for and did not get. */
export interface Failure {
  readonly era: Era;
  readonly what: string;
  readonly startedMs: number;
  readonly error: string;
}

export interface ReplicaBed extends AsyncDisposable {
  readonly balancer: Balancer;
  readonly upstream: AskingUpstream;
  readonly key: string;
  readonly servers: readonly Server[];
  /** The last second of each server that ended, by the clock of `performance`; longer where its end took longer. */
  readonly lastSeconds: readonly { readonly fromMs: number; readonly toMs: number }[];
  /** Stops a server, and starts another in its place; tells when the first had ended, by the clock of `performance`. */
  restart(index: number, onStopped?: (atMs: number) => void): Promise<void>;
}

/** What clients did. */
export interface Doings {
  readonly done: Record<string, number>;
  readonly failures: readonly Failure[];
  /** Sessions that were opened anew because theirs was gone. */
  readonly reopened: number;
}

const REPLICAS = 3;
/** What a server that is asked for /ready ten times a second drains by itself. */
const DRAIN_MS = 1_000;
const MOST_REOPENED = 3;

export async function startReplicaBed(at: { databaseUrl: string; dataDir: string }): Promise<ReplicaBed> {
  const upstream = await startAskingUpstream();
  const allow = ['--allow-egress', new URL(upstream.url).host];
  const fleet = await startFleet({ ...at, replicas: REPLICAS, args: allow });
  const { balancer, key, servers } = fleet;
  const data = {
    id: 'conn_asking',
    title: 'Asking',
    connection_type: 'HTTP',
    connection_url: `${upstream.url}/mcp`,
  };
  const made = await callTool({ mcp: `${balancer.url}/mcp`, key }, 'COLLECTION_CONNECTIONS_CREATE', { data });
  if (made.body.result?.isError === true) throw new Error(JSON.stringify(made.body));
  const lastSeconds: { fromMs: number; toMs: number }[] = [];
  return {
    balancer,
    upstream,
    key,
    servers,
    lastSeconds,
    async restart(index, onStopped) {
      const toldMs = performance.now();
      await fleet.stop(index);
      const toMs = performance.now();
      onStopped?.(toMs);
      lastSeconds.push({ fromMs: Math.min(toMs - 1_000, toldMs + DRAIN_MS), toMs });
      await fleet.start(index);
    },
    async [Symbol.asyncDispose]() {
      await fleet[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

/** A client of the official SDK, which answers every question with a name. */
export async function connectClient({ balancer, key }: ReplicaBed, era: Era): Promise<Client> {
  const client = new Client(
    { name: `replica-${era}`, version: '1.0.0' },
    {
      capabilities: { elicitation: {} },
      versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' },
    },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${balancer.url}/mcp/conn_asking`), { requestInit }),
  );
  return client;
}

type Doing = (client: Client) => Promise<void>;

const DOINGS: Readonly<Record<string, Doing>> = {
  async list(client) {
    const { tools } = await client.listTools();
    expectText(tools.map(({ name }) => name).join(' '), 'ask work');
  },
  async call(client) {
    expectText(await textOf(client, 'work', 'tea'), 'tea');
  },
  async ask(client) {
    expectText(await textOf(client, 'ask', 'tea'), 'Ada on tea');
  },
};

async function textOf(client: Client, name: string, said: string): Promise<string> {
  const { content } = await client.callTool({ name, arguments: { said } });
  return content.map((part) => (part.type === 'text' ? part.text : part.type)).join(' ');
}

function expectText(got: string, wanted: string): void {
  if (got !== wanted) throw new Error(`Expected ${wanted}, got ${got}`);
}

/** Lets clients of both eras list, call and be asked until the work is done. */
export async function whileClientsWork(
  bed: ReplicaBed,
  clientsPerEra: number,
  work: () => Promise<void>,
): Promise<Doings> {
  const done: Record<string, number> = {};
  const failures: Failure[] = [];
  let reopened = 0;
  const over = new AbortController();

  async function run(era: Era): Promise<void> {
    let client: Client | undefined;
    const leave = async () => {
      // Its session may be gone, and it is not used again.
      await client?.close().catch(() => undefined);
      client = undefined;
    };
    /** Does it, and again in a new session when the old one is gone, as the protocol says. */
    const attempt = async (doing: Doing, left = MOST_REOPENED): Promise<void> => {
      try {
        client ??= await connectClient(bed, era);
        await doing(client);
      } catch (error) {
        if (era === 'modern' || !isSessionGone(error) || left === 0) throw error;
        reopened += 1;
        await leave();
        await attempt(doing, left - 1);
      }
    };
    while (!over.signal.aborted) {
      for (const [what, doing] of Object.entries(DOINGS)) {
        const startedMs = performance.now();
        try {
          await attempt(doing);
          done[`${era} ${what}`] = (done[`${era} ${what}`] ?? 0) + 1;
        } catch (error) {
          failures.push({ era, what, startedMs, error: textOfError(error) });
          await leave();
        }
        await delay(5);
      }
    }
    await leave();
  }

  const clients = (['modern', 'legacy'] as const).flatMap((era) =>
    Array.from({ length: clientsPerEra }, () => run(era)),
  );
  try {
    await work();
  } finally {
    over.abort();
  }
  await Promise.all(clients);
  return { done, failures, reopened };
}

/** With what is behind it: a fetch says no more than that it failed. */
function textOfError(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${String(error)}${cause}`;
}

/** Failures that cannot be laid to a server that was about to end. */
export function unexcused({ lastSeconds }: Pick<ReplicaBed, 'lastSeconds'>, { failures }: Doings): Failure[] {
  return failures.filter(
    ({ startedMs }) => !lastSeconds.some(({ fromMs, toMs }) => startedMs >= fromMs && startedMs <= toMs),
  );
}

function isSessionGone(error: unknown): boolean {
  return error instanceof SdkHttpError && error.status === 404;
}
