/** How much tasks may take; the defaults of the specification. */

export interface TaskLimits {
  readonly runningPerOwner: number;
  /** Below the limit of the process, so that one organization never has every place. */
  readonly runningPerOrganization: number;
  readonly runningPerProcess: number;
  /** Places for the work of the system itself, such as webhooks; tasks of callers take none of them. */
  readonly systemPerProcess: number;
  readonly systemPerOrganization: number;
  readonly waitingPerOwner: number;
  readonly ttlMs: number;
  readonly minTtlMs: number;
  readonly maxTtlMs: number;
  /** A finished task is kept at least this long, whatever its ttl. */
  readonly keepFinishedMs: number;
  readonly answerMs: number;
  readonly inputBytes: number;
  readonly resultBytes: number;
  readonly stepBytes: number;
  readonly steps: number;
  readonly leaseMs: number;
  readonly renewMs: number;
  readonly takeoverMs: number;
  /** How often a worker looks whether others are there, where that can be told. */
  readonly presenceMs: number;
  /** How long what a task did is tried to be written while the database refuses it; shorter than a lease. */
  readonly rewriteMs: number;
  readonly crashes: number;
  /** A task with so many runs beside no other such task, so that the innocent are told apart. */
  readonly suspectCrashes: number;
  /** A tool that ignores cancel or shutdown is cut off after this. */
  readonly graceMs: number;
  /** A sleep up to this long is held in memory; a longer one is parked in the store. */
  readonly heldSleepMs: number;
  readonly progressEveryMs: number;
  readonly orphanMs: number;
  readonly purgeEveryMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const DEFAULT_TASK_LIMITS: TaskLimits = {
  runningPerOwner: 16,
  runningPerOrganization: 48,
  runningPerProcess: 64,
  systemPerProcess: 32,
  systemPerOrganization: 16,
  waitingPerOwner: 10_000,
  ttlMs: 24 * HOUR_MS,
  minTtlMs: MINUTE_MS,
  maxTtlMs: 30 * 24 * HOUR_MS,
  keepFinishedMs: 15 * MINUTE_MS,
  answerMs: 24 * HOUR_MS,
  inputBytes: 1024 * 1024,
  resultBytes: 4 * 1024 * 1024,
  stepBytes: 1024 * 1024,
  steps: 10_000,
  leaseMs: 30_000,
  renewMs: 10_000,
  takeoverMs: 5000,
  presenceMs: 1000,
  rewriteMs: 15_000,
  crashes: 5,
  suspectCrashes: 3,
  graceMs: 10_000,
  heldSleepMs: 5000,
  progressEveryMs: 250,
  orphanMs: 24 * HOUR_MS,
  purgeEveryMs: MINUTE_MS,
};
