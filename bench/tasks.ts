/** Owns P7: how fast durable tasks are made, started, read and resumed, and what they cost while they wait. */
import { bundleScript, bundleShipped } from './bundle.ts';
import { latencyOf } from './latency.ts';
import type { Latency } from './latency.ts';
import type { Method } from './machine.ts';
import { inFolder } from './scratch-folder.ts';
import { startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';
import { countAfterKills } from './task-kill.ts';
import type { KillCount } from './task-kill.ts';
import { createOverHttp, getOverHttp } from './task-load.ts';
import { measureParked } from './task-parked.ts';
import type { ParkedTasks } from './task-parked.ts';

/** Figures that both databases have. */
export interface TaskSpeed {
  /** Created one after another and left for another process to run. */
  queuedPerSecond: number;
  /** Created one after another and run by the same process meanwhile. */
  runPerSecond: number;
  /** Created over HTTP by many connections and run by the same process meanwhile. */
  httpPerSecond: number;
  httpCreate: Latency;
  startOneProcess: Latency;
  startTwoProcesses: Latency;
  resume: Latency;
}

/** Everything P7 measures. */
export interface TaskFigures {
  sqlite: TaskSpeed;
  get: Latency & { stored: number };
  parked: ParkedTasks;
  kill: KillCount;
  postgres?: TaskSpeed;
}

/** How much of each; a third of the creations on PostgreSQL. The targets name how many are parked and stored. */
export interface TaskSettings {
  creations: number;
  starts: number;
  reads: number;
  kills: number;
}

const CONNECTIONS = 16;
const PARKED_COUNT = 10_000;
const STORED_COUNT = 100_000;
const WARM_UP_READS = 500;
const WARM_UP_ANSWERS = 20;

/** Measures P7 on SQLite, and the speeds once more on PostgreSQL where there is one. */
export async function measureTasks(
  settings: TaskSettings,
  { method, databaseUrl }: { method: Method; databaseUrl: string | undefined },
  progress: (line: string) => void,
): Promise<TaskFigures> {
  const script = bundleScript('servers/task-engine.ts');
  const run = { settings, script, method, progress };
  const { speed, get } = await onSqlite(run);
  progress(`tasks: ${PARKED_COUNT} parked`);
  const parked = await inFolder((dataDir) => measureParked(script, dataDir, PARKED_COUNT, method));
  progress(`tasks: ${settings.kills} kills`);
  const kill = await inFolder((dataDir) => countAfterKills(script, dataDir, settings.kills));
  const postgres = databaseUrl === undefined ? undefined : await onPostgres(run, databaseUrl);
  return { sqlite: speed, get, parked, kill, ...(postgres && { postgres }) };
}

interface TaskRun {
  settings: TaskSettings;
  script: string;
  method: Method;
  progress: (line: string) => void;
}

async function onSqlite(run: TaskRun): Promise<{ speed: TaskSpeed; get: TaskFigures['get'] }> {
  const { product, http } = await measureHttp(run, undefined);
  let get: TaskFigures['get'];
  try {
    run.progress(`tasks: reads with ${STORED_COUNT} stored`);
    const { ids } = await product.ask(`fill ${STORED_COUNT}`);
    const { stored } = await product.ask('stored');
    // printed by our own script
    const chosen = shuffled(ids as string[]).slice(0, run.settings.reads + WARM_UP_READS);
    await getOverHttp(product.ready, chosen.splice(0, WARM_UP_READS));
    get = { ...(await getOverHttp(product.ready, chosen)), stored: Number(stored) };
  } finally {
    await product.stop();
  }
  return { speed: { ...http, ...(await measureEngine(run, [])) }, get };
}

async function onPostgres(full: TaskRun, databaseUrl: string): Promise<TaskSpeed> {
  const creations = Math.round(full.settings.creations / 3);
  const run = { ...full, settings: { ...full.settings, creations } };
  const { product, http } = await measureHttp(run, databaseUrl);
  await product.stop();
  return { ...http, ...(await measureEngine(run, ['--database-url', databaseUrl])) };
}

type HttpSpeed = Pick<TaskSpeed, 'httpPerSecond' | 'httpCreate'>;

/** Creates over HTTP on the product, which goes on running. */
async function measureHttp(
  { settings, method, progress }: TaskRun,
  databaseUrl: string | undefined,
): Promise<{ product: ServerProcess; http: HttpSpeed }> {
  const label = databaseUrl === undefined ? 'SQLite' : 'PostgreSQL';
  progress(`tasks: created over HTTP, ${label}`);
  const args = databaseUrl === undefined ? [] : ['--database-url', databaseUrl];
  const script = await bundleShipped('servers/task-product.ts');
  const product = await startServer(script, args, method.cores?.server);
  try {
    await createOverHttp(product.ready, { count: settings.creations / 2, connections: CONNECTIONS });
    const created = await createOverHttp(product.ready, {
      count: settings.creations,
      connections: CONNECTIONS,
    });
    return { product, http: { httpPerSecond: created.perSecond, httpCreate: created.latency } };
  } catch (error) {
    await product.stop();
    throw error;
  }
}

/** Creates, starts and resumes through the engine itself, in one process and across two. */
async function measureEngine(
  { settings, script, method, progress }: TaskRun,
  databaseFlags: string[],
): Promise<Omit<TaskSpeed, keyof HttpSpeed>> {
  const { creations, starts } = settings;
  progress(`tasks: engine, ${databaseFlags.length > 0 ? 'PostgreSQL' : 'SQLite'}`);
  return inFolder(async (dataDir) => {
    const flags = ['--data', dataDir, ...databaseFlags];
    const runner = await startServer(script, [...flags, '--worker'], method.cores?.server);
    let maker: ServerProcess | undefined;
    try {
      await runner.ask(`create ${creations / 2}`);
      await timesOf(runner, creations / 2);
      const runPerSecond = await perSecond(runner, creations);
      await timesOf(runner, creations);
      await runner.ask(`trickle ${starts},10`);
      const startOneProcess = latencyOf(await timesOf(runner, starts));
      await runner.ask(`answer ${WARM_UP_ANSWERS}`);
      const resume = latencyOf(numbers((await runner.ask(`answer ${starts}`))['timesMs']));
      maker = await startServer(script, flags, method.cores?.generator);
      await maker.ask(`trickle ${starts},60`);
      const startTwoProcesses = latencyOf(await timesOf(runner, starts));
      await runner.stop();
      const queuedPerSecond = await perSecond(maker, creations);
      return { queuedPerSecond, runPerSecond, startOneProcess, startTwoProcesses, resume };
    } finally {
      await runner.stop();
      await maker?.stop();
    }
  });
}

async function perSecond(server: ServerProcess, count: number): Promise<number> {
  return Number((await server.ask(`create ${count}`))['perSecond']);
}

async function timesOf(server: ServerProcess, count: number): Promise<number[]> {
  const timesMs = numbers((await server.ask(`times ${count}`))['timesMs']);
  if (timesMs.length !== count) throw new Error(`${timesMs.length} tasks started where ${count} were made.`);
  return timesMs;
}

function numbers(value: unknown): number[] {
  return Array.isArray(value) ? value.map(Number) : [];
}

function shuffled(ids: readonly string[]): string[] {
  return ids
    .map((id) => ({ id, order: Math.random() }))
    .toSorted((left, right) => left.order - right.order)
    .map(({ id }) => id);
}
