/** Owns the fault "a server stands still": the others go on, its tasks are taken over, and what it says later counts for nothing. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Verdict } from './acknowledged.ts';
import { follow, getTask, startChore } from './any-replica.ts';
import type { WireTask } from './any-replica.ts';
import { startFaultBed } from './fault-bed.ts';
import type { FaultBed } from './fault-bed.ts';
import { exchange } from './fault-client.ts';
import { until } from './fleet.ts';
import type { Load } from './mixed-load.ts';
import { startLoad, wrongAnswers } from './mixed-load.ts';

export interface FreezeOptions {
  /** How long it stands still at least. It does until others have finished its tasks. */
  readonly freezeMs: number;
  /** How long others may take until their creations go on; absent: as long as it stands still. */
  readonly goOnMs?: number;
  /** How long creations are measured before. */
  readonly beforeMs: number;
  /** Clients that create tasks at the others, and at the one that will stand still. */
  readonly creators: number;
}

export interface FreezeReport extends Verdict {
  /** Creations at the servers that went on. */
  readonly before: Spread;
  readonly during: Spread;
  /** What those were answered besides success. */
  readonly wrongAnswers: readonly string[];
  /** Tasks that the frozen one was in the middle of, and how many of them others have finished before it woke. */
  readonly held: number;
  readonly takenOver: number;
  /** What the frozen one changed after it woke, of tasks that were no longer its own. */
  readonly changed: readonly string[];
  /** Whether it serves again afterwards. */
  readonly isBack: boolean;
}

/** How long creations took. */
export interface Spread {
  readonly count: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly mostMs: number;
}

/** The last of the servers; the load of the others goes to those before it. */
const VICTIM = 2;
const HELD = 6;
const HOLD_TRIES = 5;
/** Long enough that it stands still inside a step, and short enough for whoever takes it over. */
const HELD_STEP_MS = 1_500;
const LIMIT_MS = 120_000;

/** Starts the three servers of this fault. */
export function startThree(at: { dataDir: string; databaseUrl: string; leaseMs: number }): Promise<FaultBed> {
  return startFaultBed({ ...at, replicas: VICTIM + 1, isForTasks: true });
}

/** Lets one of three servers stand still for a while under load. */
export async function freezeOne(bed: FaultBed, options: FreezeOptions): Promise<FreezeReport> {
  const { freezeMs, beforeMs, creators } = options;
  const { fleet, ledger, door } = bed;
  const victim = { url: fleet.servers[VICTIM]?.url ?? '', key: door.key };
  let turn = 0;
  const other = () => ({ url: fleet.servers[(turn += 1) % VICTIM]?.url ?? '', key: door.key });
  const lanes = { task: creators };
  const atOthers = startLoad(bed, { lanes, door: other, steps: 1, workMs: 0 });
  // So that it may stand still in the middle of any statement.
  const atVictim = startLoad(bed, { lanes, door: () => victim, steps: 1, workMs: 0 });
  await delay(beforeMs);
  const held = await holdAt(bed, victim);
  const frozenMs = performance.now();
  fleet.freeze(VICTIM);
  await delay(freezeMs);
  const isGoingOn = () => atOthers.creations.some(({ atMs }) => atMs >= frozenMs);
  if (options.goOnMs !== undefined) {
    // When they do not, the report says so.
    await until('creations go on', isGoingOn, options.goOnMs).catch(() => undefined);
  }
  const during = spreadOf(atOthers, frozenMs, performance.now());
  await atOthers.stop();
  // One that nobody finishes counts as not taken over.
  const finished = await Promise.all(
    held.map(({ id }) => follow(other(), id, 'completed', 'failed', 'cancelled').catch(() => undefined)),
  );
  const before = linesOf(bed, held);
  fleet.thaw(VICTIM);
  await atVictim.stop();
  // Connections that the database gave up meanwhile are noticed by whoever asks first.
  const isReady = () =>
    exchange(victim, { path: '/ready', patienceMs: LIMIT_MS }).then(
      ({ status }) => status === 200,
      () => false,
    );
  const isBack = await until('it is ready', isReady, LIMIT_MS).then(
    () => true,
    () => false,
  );
  const verdict = await bed.settled(LIMIT_MS);
  const now = await Promise.all(held.map(({ id }) => getTask(door, id)));
  const changed = held.flatMap(({ id, mark }, at) =>
    isSame(finished[at], now[at]) && before.get(mark) === linesOf(bed, held).get(mark) ? [] : [id],
  );
  return {
    before: spreadOf(atOthers, frozenMs - beforeMs, frozenMs),
    during,
    wrongAnswers: wrongAnswers(atOthers, ['done']),
    held: held.length,
    takenOver: finished.filter((task) => task?.status === 'completed').length,
    changed,
    isBack,
    ...verdict,
    missing: [...verdict.missing, ...(ledger.tasks.size === 0 ? ['no task was made at all'] : [])],
  };
}

/** Tasks that a server is in the middle of; others may have taken some of those that were made there, or even all. */
async function holdAt(bed: FaultBed, victim: FaultBed['door']): Promise<{ id: string; mark: string }[]> {
  for (let tries = 0; tries < HOLD_TRIES; tries += 1) {
    const held = await tryToHold(bed, victim);
    if (held.length > 0) return held;
  }
  return [];
}

async function tryToHold(bed: FaultBed, victim: FaultBed['door']): Promise<{ id: string; mark: string }[]> {
  const made = await Promise.all(
    Array.from({ length: HELD }, () => startChore(bed, { steps: 2, workMs: HELD_STEP_MS }, victim)),
  );
  let begun = new Map<string, string>();
  await until(
    'their first steps have begun',
    () => {
      begun = new Map(bed.ledger.effects().map(({ mark, worker }) => [mark, worker]));
      return made.every(({ mark }) => begun.has(mark));
    },
    LIMIT_MS,
  );
  return made.filter(({ mark }) => begun.get(mark) === `server-${VICTIM}`);
}

/** How many lines each of these has. */
function linesOf(bed: FaultBed, held: readonly { readonly mark: string }[]): Map<string, number> {
  const lines = bed.ledger.effects();
  return new Map(held.map(({ mark }) => [mark, lines.filter((line) => line.mark === mark).length]));
}

/** How often to ask again depends on the age of a task; nothing else of a finished one may ever differ. */
function isSame(left: WireTask | undefined, right: WireTask | undefined): boolean {
  const [one, other] = [left, right].map((task) => JSON.stringify({ ...task, pollIntervalMs: 0 }));
  return one === other;
}

function spreadOf({ creations }: Load, fromMs: number, toMs: number): Spread {
  const took = creations
    .filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
    .map(({ tookMs }) => tookMs)
    .toSorted((left, right) => left - right);
  const at = (share: number) => Math.round((took[Math.floor(took.length * share)] ?? 0) * 10) / 10;
  const perSecond = Math.round((took.length / (toMs - fromMs)) * 1000);
  const mostMs = Math.round(took.at(-1) ?? 0);
  return { count: took.length, perSecond, p50Ms: at(0.5), p99Ms: at(0.99), mostMs };
}
