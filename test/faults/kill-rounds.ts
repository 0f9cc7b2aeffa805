/** Owns the rounds of `kill -9`: servers die at random moments under mixed load, and after each round everything is looked for. */
import { setTimeout as delay } from 'node:timers/promises';
import { randomFrom } from '@parley/test-support/random';
import type { Verdict } from './acknowledged.ts';
import { isClean } from './acknowledged.ts';
import { startFaultBed } from './fault-bed.ts';
import { until } from './fleet.ts';
import { DOINGS, startLoad, wrongAnswers } from './mixed-load.ts';

export interface RoundOptions {
  readonly dataDir: string;
  /** Absent: SQLite. */
  readonly databaseUrl?: string | undefined;
  readonly rounds: number;
  readonly replicas: number;
  readonly seed: number;
  readonly leaseMs: number;
  say?(line: string): void;
}

/** What became of all rounds. */
export interface RoundsReport {
  readonly acknowledged: Readonly<Record<'tasks' | 'posts' | 'events' | 'notes', number>>;
  readonly kills: number;
  /** The verdicts that are not clean, each with its round. */
  readonly faults: readonly (Verdict & { readonly round: number })[];
  /** Answers that no client should get, whoever was killed. */
  readonly wrongAnswers: readonly string[];
  /** The longest time from the kill until everything was at rest. */
  readonly longestMs: number;
}

const LANES = { task: 6, post: 2, event: 1, note: 1 };
const LONGEST_MS = 1_000;
const AFTER_MS = 150;
/** Now and then all of them die, as a machine does. */
const ALL_SHARE = 0.2;
/** Far more than a lease: what is not over by then is stuck. */
const SETTLE_MS = 60_000;

/** Kills and looks, so many times. */
export async function killRounds(options: RoundOptions): Promise<RoundsReport> {
  const { rounds, replicas, seed, say = () => undefined } = options;
  const random = randomFrom(seed);
  await using bed = await startFaultBed(options);
  const { fleet, ledger } = bed;
  const faults: (Verdict & { round: number })[] = [];
  const wrong: string[] = [];
  let kills = 0;
  let longestMs = 0;
  for (let round = 1; round <= rounds; round += 1) {
    const load = startLoad(bed, { lanes: LANES });
    // However slow the machine is, there is something of each kind to lose.
    const isMade = () => DOINGS.every((doing) => load.tally.has(`${doing} done`));
    await until('everything is made', isMade, SETTLE_MS);
    await delay(random() * LONGEST_MS);
    const one = Math.floor(random() * replicas);
    const doomed = random() < ALL_SHARE ? Array.from({ length: replicas }, (_, index) => index) : [one];
    await Promise.all(doomed.map((index) => fleet.kill(index)));
    const killedMs = performance.now();
    kills += doomed.length;
    await delay(random() * AFTER_MS);
    await load.stop();
    await Promise.all(doomed.map((index) => fleet.start(index)));
    const verdict = await bed.settled(SETTLE_MS);
    const tookMs = performance.now() - killedMs;
    longestMs = Math.max(longestMs, tookMs);
    wrong.push(...wrongAnswers(load));
    if (!isClean(verdict)) faults.push({ round, ...verdict });
    say(
      `round ${round}: killed ${doomed.join(' ')}, ${ledger.size} acknowledged so far, at rest after ${Math.round(tookMs)} ms` +
        (isClean(verdict) ? '' : `, ${JSON.stringify(verdict)}`),
    );
  }
  const { tasks, posts, events, notes } = ledger;
  return {
    acknowledged: { tasks: tasks.size, posts: posts.size, events: events.size, notes: notes.size },
    kills,
    faults,
    wrongAnswers: wrong,
    longestMs: Math.round(longestMs),
  };
}
