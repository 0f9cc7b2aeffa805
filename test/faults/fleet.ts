/** Owns the servers of one installation as processes behind a balancer: killed, frozen, stopped, and started again. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Server } from '../product/parley.ts';
import { startParley } from '../product/parley.ts';
import type { Balancer } from './balancer.ts';
import { startBalancer } from './balancer.ts';

/** The key of every installation of the fault tests: replicas need the same. */
export const SECRET = { PARLEY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64url') };

/** The real command line with the toolset of the fault tests. */
export const CHORES = join(import.meta.dirname, 'chores-program.ts');

export interface FleetOptions {
  readonly dataDir: string;
  /** PostgreSQL, where each server has a folder of its own; absent: SQLite, where they share one. */
  readonly databaseUrl?: string | undefined;
  readonly replicas: number;
  /** Absent: the launcher that users start. */
  readonly program?: string;
  /** Flags for all of them, and for each by its index. */
  readonly args?: readonly string[];
  argsOf?(index: number): readonly string[];
  envOf?(index: number): Readonly<Record<string, string>>;
}

export interface Fleet extends AsyncDisposable {
  readonly balancer: Balancer;
  readonly key: string;
  /** By index; one that was killed stays here until another takes its place. */
  readonly servers: readonly Server[];
  /** Ends it at once and waits for its end. */
  kill(index: number): Promise<void>;
  /** Tells it to stop and waits for its end; throws when that is not in order. */
  stop(index: number): Promise<void>;
  /** Starts another in the place of one that ended, and waits until the balancer sends it requests. */
  start(index: number): Promise<void>;
  /** Lets it stand still, or go on. */
  freeze(index: number): void;
  thaw(index: number): void;
}

const READY_MS = 60_000;

/** So many requests that no limit of a key is part of what is tried. */
const RATES = ['--rate', '100000', '--rate-burst', '100000', '--api-rate', '1000000', '--log-level', 'error'];

/** Starts all of them; the first alone, since it makes the installation. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { dataDir, databaseUrl, replicas, program, args = [], argsOf, envOf } = options;
  const balancer = await startBalancer();
  const servers: Server[] = [];
  const frozen = new Set<number>();

  async function launch(index: number): Promise<void> {
    const isShared = databaseUrl === undefined;
    const where = isShared ? [] : ['--database-url', databaseUrl];
    const server = await startParley(isShared ? dataDir : join(dataDir, `replica-${index}`), {
      args: [...where, ...RATES, ...args, ...(argsOf?.(index) ?? [])],
      env: { ...SECRET, ...envOf?.(index) },
      ...(program !== undefined && { program }),
    });
    servers[index] = server;
    balancer.add(server.url);
    await until(`server ${index} is ready`, async () => balancer.isReady(server.url), READY_MS);
  }
  const at = (index: number): Server => {
    const server = servers[index];
    if (server === undefined) throw new Error(`There is no server ${index}.`);
    return server;
  };
  const thaw = (index: number) => {
    frozen.delete(index);
    at(index).child.kill('SIGCONT');
  };
  const indexes = Array.from({ length: replicas }, (_, index) => index);
  await launch(0);
  await Promise.all(indexes.slice(1).map(launch));
  const kill = async (index: number) => {
    const server = at(index);
    server.child.kill('SIGKILL');
    await server.ended;
    balancer.remove(server.url);
  };
  return {
    balancer,
    key: at(0).key,
    servers,
    kill,
    async stop(index) {
      const server = at(index);
      const { code, stderr } = await server.stop();
      balancer.remove(server.url);
      if (code !== 0) throw new Error(`Server ${index} ended with ${code}: ${stderr}`);
    },
    start: launch,
    freeze(index) {
      frozen.add(index);
      at(index).child.kill('SIGSTOP');
    },
    thaw,
    async [Symbol.asyncDispose]() {
      for (const index of frozen) thaw(index);
      await Promise.all(servers.map((server) => server.stop()));
      await balancer[Symbol.asyncDispose]();
    },
  };
}

/** Waits until something is so; throws when it is not so in time. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  limitMs: number,
): Promise<void> {
  const byMs = performance.now() + limitMs;
  while (!(await isSo())) {
    if (performance.now() > byMs) throw new Error(`Not within ${limitMs} ms: ${what}.`);
    await delay(10);
  }
}
