/** Owns a soak of the gateway: what happens in it, what is counted before and after, and how much more there may be. */
import { setTimeout as delay } from 'node:timers/promises';
import { descendantsOf, processesMarked } from '@parley/test-support/processes';
import { randomFrom } from '@parley/test-support/random';
import { healthOf } from '../../bench/hostile/target.ts';
import { startParley } from '../product/parley.ts';
import type { Endpoint, Outcome } from './clients.ts';
import { breakOff, callModern, callPlain, listen, listModern, useSession } from './clients.ts';
import { MOODS } from './moody-upstream.ts';
import type { World } from './world.ts';
import { buildWorld, KINDS } from './world.ts';

/** How much of it. */
export interface SoakPlan {
  readonly folder: string;
  readonly warmMs: number;
  readonly runMs: number;
  /** How long the server may take to give back what it took. */
  readonly settleMs: number;
  readonly lanes: number;
  readonly seed: number;
  /** False: what memory grows by in so short a time says nothing. */
  readonly isMemoryCounted: boolean;
}

/** What the server holds. */
export interface Held {
  readonly rssMb: number;
  readonly descriptors: number;
  /** Programs of connections, and what they started. */
  readonly programs: number;
  /** What upstreams have open for the server. */
  readonly sessions: number;
  readonly streams: number;
}

/** What came of it; faults are sentences. */
export interface Soaked {
  readonly before: Held;
  /** The most of each that was seen under load. */
  readonly peak: Held;
  readonly after: Held;
  readonly outcomes: ReadonlyMap<Outcome, number>;
  readonly faults: readonly string[];
}

/**
 * How much more a server may hold when everything is taken away again. A session whose id was still on its way when its
 * connection was deleted cannot be ended by anybody.
 */
export const BUDGET = { rssMb: 60, descriptors: 10, sessions: 0 } as const;

const KEYS = 8;
const LOOK_EVERY_MS = 250;
const LINE_EVERY_MS = 30_000;
/** Far longer than the limit of a call, the queue and a restart take together: only what hangs meets it. */
const LONGEST_ACT_MS = 60_000;
/** How a call may end while upstreams come and go; everything else is a fault. */
const EXPECTED =
  /^(done|broken off|listened|managed|unavailable|timeout|invalid_result|rate_limited|upstream_error|not_found|conflict|status 404.*|status 200, error -32602|plain (404|409|422|429|50[234]))$/;
/** Programs die, leave and hang of their own will; most calls are plain. */
const TOOLS = [...Array.from({ length: 10 }, () => 'echo'), 'other', 'hang', 'die', 'leave'];
const MODES = ['', '?mode=smart_tool_selection', '?mode=code_execution'];

/** Starts a server, soaks it, stops it, and says what was left at each step. */
export async function soak(plan: SoakPlan, say: (line: string) => void): Promise<Soaked> {
  const mark = `soak-${process.pid}-${plan.seed}`;
  const rates = ['--rate', '10000', '--rate-burst', '10000'];
  const args = [...rates, '--allow-egress', '127.0.0.1', '--allow-stdio', '--log-level', 'error'];
  await using server = await startParley(plan.folder, {
    args,
    env: { HOME: plan.folder, NODE_OPTIONS: '--trace-warnings' },
  });
  const pid = server.child.pid ?? 0;
  const port = Number(new URL(server.url).port);
  await using world = await buildWorld(server, { PARLEY_SOAK: mark });
  const keys: string[] = [];
  for (let made = 0; made < KEYS; made += 1) keys.push(await world.makeKey());
  const outcomes = new Map<Outcome, number>();
  const faults: string[] = [];
  const held = (): Held => {
    const open = world.upstreams.map((upstream) => upstream.open());
    return {
      ...healthOf(pid),
      programs: processesMarked(mark).length,
      sessions: open.reduce((sum, { sessions }) => sum + sessions, 0),
      streams: open.reduce((sum, { streams }) => sum + streams, 0),
    };
  };
  const live = (forMs: number) => liveIn(world, { ...plan, runMs: forMs, port, keys, mark, outcomes });

  await live(plan.warmMs);
  const before = await atRest(world, held, plan.settleMs, () => true);
  say(`after warming up: ${shown(before)}`);
  outcomes.clear();
  let peak = before;
  const looks = setInterval(() => (peak = greater(peak, held())), LOOK_EVERY_MS);
  const lines = setInterval(() => say(`${sum(outcomes)} acts: ${shown(held())}`), LINE_EVERY_MS);
  await live(plan.runMs);
  clearInterval(looks);
  clearInterval(lines);
  say(`at most: ${shown(peak)}`);
  const exceeded = (now: Held) => overBudget(before, now, plan);
  const isWithin = (now: Held) => exceeded(now).length === 0;
  const after = await atRest(world, held, plan.settleMs, isWithin);
  say(`at rest again: ${shown(after)}`);
  faults.push(...exceeded(after));
  for (const [outcome, count] of outcomes)
    if (!EXPECTED.test(outcome)) faults.push(`${count} times: ${outcome}`);
  // Nothing is proved by the end of what never began.
  for (const what of ['programs', 'sessions', 'streams'] as const)
    if (peak[what] === 0) faults.push(`There were no ${what} at any time.`);
  if (!outcomes.has('done')) faults.push('No call succeeded.');
  if (!(await fetch(`${server.url}/health`)).ok) faults.push('The server does not answer any more.');

  // Something runs when it is told to stop.
  for (const kind of KINDS) await world.connect(kind);
  for (const { id } of world.live) await callModern({ port, key: server.key, path: `/mcp/${id}` }, 'echo');
  const running = new Set([...descendantsOf(pid), ...processesMarked(mark)]);
  if (running.size < 3) faults.push(`Only ${running.size} programs ran before the stop.`);
  const { code } = await server.stop();
  if (code !== 0) faults.push(`The server ended with ${code}: ${server.stderr().slice(-500)}`);
  const left = processesMarked(mark).length;
  if (left > 0) faults.push(`${left} processes are left after the stop.`);
  say(`stopped: ${running.size} processes before, ${left} after`);
  if (server.stderr() !== '') say(`what the server logged:\n${server.stderr().slice(-4000)}`);
  return { before, peak, after, outcomes, faults };
}

interface Life extends SoakPlan {
  readonly port: number;
  readonly keys: readonly string[];
  readonly mark: string;
  readonly outcomes: Map<Outcome, number>;
}

/** Lets clients, upstreams and administrators do what they do, each lane one thing after the other. */
async function liveIn(world: World, life: Life): Promise<void> {
  const { lanes, runMs, seed, outcomes } = life;
  for (const kind of KINDS) await world.connect(kind);
  await world.combine();
  const untilMs = performance.now() + runMs;
  const lane = async (number: number) => {
    const random = randomFrom(seed + number);
    while (performance.now() < untilMs) {
      const outcome = await bounded(oneAct(world, life, random));
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
}

async function bounded(act: Promise<Outcome>): Promise<Outcome> {
  const timer = new AbortController();
  const over = delay(LONGEST_ACT_MS, 'it hung', { signal: timer.signal }).catch(() => 'it hung');
  // What a client or the management says to something that somebody else has just taken away.
  const ended = act.catch((error: unknown) => saidOf(error));
  const outcome = await Promise.race([ended, over]);
  timer.abort();
  return outcome;
}

/** The code of a refused management call, else the words of the fault. */
function saidOf(error: unknown): Outcome {
  const message = error instanceof Error ? error.message : String(error);
  return /"dev\.parley\/code":"([a-z_]+)"/.exec(message)?.[1] ?? message.slice(0, 200);
}

async function oneAct(world: World, life: Life, random: () => number): Promise<Outcome> {
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];
  const key = pick(life.keys);
  const at = (path: string): Endpoint => ({ port: life.port, key, path });
  const one = pick(world.live);
  const chance = random();
  if (one === undefined || chance < 0.03) {
    if (one !== undefined) await world.disconnect(one);
    await world.connect(pick(KINDS) ?? '2026');
    return 'managed';
  }
  const tool = pick(TOOLS) ?? 'echo';
  const path = `/mcp/${one.id}`;
  if (chance < 0.05) {
    await pick(world.upstreams)?.become(pick(MOODS) ?? 'well');
    return 'managed';
  }
  if (chance < 0.06) return hurt(pick(processesMarked(life.mark)), pick(['SIGKILL', 'SIGSTOP'] as const));
  if (chance < 0.08) {
    const old = pick(world.virtuals);
    if (old !== undefined && world.virtuals.length > 2) await world.separate(old);
    await world.combine();
    return 'managed';
  }
  if (chance < 0.12) return breakOff(at(path), tool, random() * 100);
  if (chance < 0.14) return listen(at('/mcp'), random() * 500);
  if (chance < 0.24) return listModern(at(pick(['/mcp', path]) ?? path));
  if (chance < 0.32)
    return listModern(at(`/mcp/virtual-mcp/${pick(world.virtuals) ?? 'none'}${pick(MODES) ?? ''}`));
  if (chance < 0.4) return callModern(at(`/mcp/virtual-mcp/${pick(world.virtuals) ?? 'none'}`), 'echo');
  if (chance < 0.5) return callPlain(at(path), tool);
  if (chance < 0.7) return useSession(at(path), [tool, 'echo']);
  return callModern(at(path), tool);
}

/** Kills or halts a program from outside. */
function hurt(pid: number | undefined, signal: 'SIGKILL' | 'SIGSTOP' | undefined): Outcome {
  try {
    if (pid !== undefined) process.kill(pid, signal);
  } catch {
    // It has ended by itself meanwhile.
  }
  return 'managed';
}

/**
 * Takes everything away and waits until the server is at rest: nothing runs for it, its figures stand still, and
 * `isEnough` holds, or it has had its time.
 */
async function atRest(
  world: World,
  held: () => Held,
  settleMs: number,
  isEnough: (now: Held) => boolean,
): Promise<Held> {
  for (const upstream of world.upstreams) {
    // Sessions that it could not be told the end of are forgotten with its port.
    await upstream.become('gone');
    await upstream.become('well');
  }
  await world.clear();
  const untilMs = performance.now() + settleMs;
  let last = held();
  for (let equal = 0; performance.now() < untilMs;) {
    await delay(LOOK_EVERY_MS);
    const now = held();
    const isStill = now.descriptors === last.descriptors && Math.abs(now.rssMb - last.rssMb) < 3;
    equal = isStill ? equal + 1 : 0;
    last = now;
    if (equal >= 4 && now.programs === 0 && isEnough(now)) break;
  }
  return last;
}

function overBudget(before: Held, now: Held, { isMemoryCounted }: SoakPlan): string[] {
  return [
    isMemoryCounted &&
      now.rssMb > before.rssMb + BUDGET.rssMb &&
      `Memory grew from ${before.rssMb} to ${now.rssMb} MB.`,
    now.descriptors > before.descriptors + BUDGET.descriptors &&
      `Descriptors grew from ${before.descriptors} to ${now.descriptors}.`,
    now.programs > 0 && `${now.programs} programs run for no connection.`,
    now.sessions > BUDGET.sessions && `${now.sessions} sessions are open for no connection.`,
    now.streams > 0 && `${now.streams} streams are open for no connection.`,
  ].filter((fault) => fault !== false);
}

function greater(one: Held, other: Held): Held {
  const most = (what: keyof Held) => Math.max(one[what], other[what]);
  return {
    rssMb: most('rssMb'),
    descriptors: most('descriptors'),
    programs: most('programs'),
    sessions: most('sessions'),
    streams: most('streams'),
  };
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}

/** The figures in a line. */
export function shown({ rssMb, descriptors, programs, sessions, streams }: Held): string {
  return `${rssMb} MB, ${descriptors} descriptors, ${programs} programs, ${sessions} sessions and ${streams} streams upstream`;
}
