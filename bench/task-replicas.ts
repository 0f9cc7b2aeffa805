/** Owns P18: how many durable tasks replicas on one database create and run, and what another checkout does beside them. */
import { bundleScript } from './bundle.ts';
import { cpuSource, cpuTimeUs } from './cpu.ts';
import { canLimitCpu, limitCpu } from './cpu-quota.ts';
import { latencyOf } from './latency.ts';
import type { Latency } from './latency.ts';
import type { Postgres } from './postgres.ts';
import { inFolder } from './scratch-folder.ts';
import { startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';

/** What replicas did together. */
export interface ReplicaLoad {
  /** Created and acknowledged in a second. */
  createdPerSecond: number;
  /** Creations that were answered with an error. */
  refused: number;
  /** Ended in a second, while they were created. */
  finishedPerSecond: number;
  /** Created and run: all of them, until the last one has ended. */
  runPerSecond: number;
  /** From the call to the first line of the task. */
  start: Latency;
  /** Cores that the replicas used together, and the database beside them. */
  cores: number;
  databaseCores: number;
}

/** Everything P18 measures. */
export interface ReplicaFigures {
  one: ReplicaLoad;
  three: ReplicaLoad;
  /** The same where each replica has a part of a core and no more, as if it had a machine; absent: it cannot be held to it. */
  held?: { readonly cores: number; readonly one: ReplicaLoad; readonly three: ReplicaLoad };
  /** With many clients at once on one replica. */
  clients: ReplicaLoad & { readonly clients: number };
  /** One replica once more, with many finished tasks in the table. */
  filled: ReplicaLoad & { readonly stored: number };
  sqlite: ReplicaLoad;
  /** Another checkout in the same sitting. */
  beside?: { readonly one: ReplicaLoad; readonly clients: ReplicaLoad; readonly sqlite: ReplicaLoad };
}

export interface ReplicaSettings {
  readonly seconds: number;
  readonly stored: number;
}

const CREATORS = 16;
const CLIENTS = 512;
const REPLICAS = 3;
const WARM_UP_SECONDS = 2;
/** Three of these and their database have room on two cores. */
const HELD_CORES = 0.2;

/** Measures P18; `beside` is the folder of a checkout that is measured in turn with this one. */
export async function measureReplicas(
  { seconds, stored }: ReplicaSettings,
  { postgres, beside }: { postgres: Postgres; beside: string | undefined },
  progress: (line: string) => void,
): Promise<ReplicaFigures> {
  const script = bundleScript('servers/task-replica.ts');
  const other = beside === undefined ? undefined : bundleScript('servers/task-replica.ts', beside);
  let databases = 0;
  const on = async (
    of: string,
    replicas: number,
    creators: number,
    more: { stored?: number; cores?: number } = {},
  ) => {
    databases += 1;
    const flags = ['--database-url', await postgres.database(`replicas_${databases}`)];
    return measureLoad(of, { flags, replicas, creators, seconds, stored: 0, ...more });
  };
  const onSqlite = (of: string) =>
    measureLoad(of, { flags: [], replicas: 1, creators: CREATORS, seconds, stored: 0 });
  progress('replicas: one');
  const one = await on(script, 1, CREATORS);
  const besideOne = other && (await on(other, 1, CREATORS));
  progress(`replicas: ${REPLICAS}`);
  const three = await on(script, REPLICAS, CREATORS);
  const held = canLimitCpu() ? { cores: HELD_CORES } : undefined;
  if (held) progress(`replicas: one and ${REPLICAS}, ${HELD_CORES} cores each`);
  const heldOne = held && (await on(script, 1, CREATORS, held));
  const heldThree = held && (await on(script, REPLICAS, CREATORS, held));
  progress(`replicas: ${CLIENTS} clients`);
  const clients = { ...(await on(script, 1, CLIENTS)), clients: CLIENTS };
  const besideClients = other && (await on(other, 1, CLIENTS));
  progress(`replicas: ${stored} finished tasks stored`);
  const filled = { ...(await on(script, 1, CREATORS, { stored })), stored };
  progress('replicas: SQLite');
  const sqlite = await onSqlite(script);
  const besideSqlite = other && (await onSqlite(other));
  return {
    one,
    three,
    ...(heldOne && heldThree && { held: { cores: HELD_CORES, one: heldOne, three: heldThree } }),
    clients,
    filled,
    sqlite,
    ...(besideOne &&
      besideClients &&
      besideSqlite && { beside: { one: besideOne, clients: besideClients, sqlite: besideSqlite } }),
  };
}

export interface LoadOptions {
  readonly flags: readonly string[];
  readonly replicas: number;
  readonly creators: number;
  readonly seconds: number;
  readonly stored: number;
  /** What each replica may use; absent: whatever there is. */
  readonly cores?: number;
}

export function measureLoad(script: string, options: LoadOptions): Promise<ReplicaLoad> {
  const { flags, replicas, creators, seconds, stored, cores } = options;
  return inFolder(async (dataDir) => {
    const servers: ServerProcess[] = [];
    const frees: (() => void)[] = [];
    try {
      for (let replica = 0; replica < replicas; replica += 1) {
        const server = await startServer(script, ['--data', dataDir, ...flags]);
        servers.push(server);
        if (cores !== undefined) frees.push(limitCpu(server.pid, cores));
      }
      const [first] = servers;
      if (first === undefined) throw new Error('No replica was started.');
      await Promise.all(servers.map((server) => server.ask(`load ${creators},${WARM_UP_SECONDS}`)));
      await first.ask('drain');
      if (stored > 0) await first.ask(`fill ${stored}`);
      return await loadAll(servers, first, `load ${creators},${seconds}`);
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
      for (const free of frees) free();
    }
  });
}

async function loadAll(
  servers: readonly ServerProcess[],
  first: ServerProcess,
  line: string,
): Promise<ReplicaLoad> {
  const before = Number((await first.ask('finished'))['finished']);
  const cpuBefore = await databaseCpu(first);
  const loads = await Promise.all(servers.map((server) => server.ask(line)));
  const cpuAfter = await databaseCpu(first);
  const after = Number((await first.ask('finished'))['finished']);
  const drained = Number((await first.ask('drain'))['seconds']);
  const created = sum(loads, 'created');
  const tookSeconds = Math.max(...loads.map((load) => Number(load['seconds'])));
  const startedMs = loads.flatMap((load) => (Array.isArray(load['startedMs']) ? load['startedMs'] : []));
  return {
    createdPerSecond: Math.round(created / tookSeconds),
    refused: sum(loads, 'refused'),
    finishedPerSecond: Math.round((after - before) / tookSeconds),
    runPerSecond: Math.round(created / (tookSeconds + drained)),
    start: latencyOf(startedMs.map(Number)),
    cores: Number((sum(loads, 'cpuSeconds') / tookSeconds).toFixed(2)),
    databaseCores: Number((usedSeconds(cpuBefore, cpuAfter) / tookSeconds).toFixed(2)),
  };
}

/** The CPU time of each process of the database so far. */
async function databaseCpu(server: ServerProcess): Promise<ReadonlyMap<number, number>> {
  const { pids } = await server.ask('pids');
  const times = new Map<number, number>();
  for (const pid of Array.isArray(pids) ? pids.map(Number) : []) {
    try {
      times.set(pid, cpuTimeUs(pid, cpuSource()));
    } catch {
      // It ended between the list and the look, or is on another machine.
    }
  }
  return times;
}

function usedSeconds(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number {
  return [...after].reduce((total, [pid, us]) => total + us - (before.get(pid) ?? 0), 0) / 1e6;
}

function sum(loads: readonly Record<string, unknown>[], field: string): number {
  return loads.reduce((total, load) => total + Number(load[field]), 0);
}
