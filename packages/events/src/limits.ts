/** How much events and their deliveries may take, and how long they are kept. */

export interface EventLimits {
  /** The wait after each failed attempt; one attempt more than there are waits, then the delivery is dead. */
  readonly retryDelaysMs: readonly number[];
  /** Time for one webhook request. */
  readonly timeoutMs: number;
  /** How much of a receiver's answer is read before the connection is dropped; none of it is kept. */
  readonly answerBytes: number;
  /** How many deliveries of one target are under way at once; those with the same order key never are. */
  readonly lanes: number;
  /** After so many attempts a target lets others go first. */
  readonly attemptsPerRun: number;
  /** How long a target that has nothing left waits for more before it lets go of its place. */
  readonly lingerMs: number;
  /** A webhook that only failed for so long is switched off. */
  readonly switchOffAfterMs: number;
  /** How long the secret before a rotation still signs. */
  readonly secretOverlapMs: number;
  readonly pollMs: number;
  readonly sweepEveryMs: number;
  /** How long events and finished deliveries are kept. */
  readonly keepMs: number;
  readonly keepDeadMs: number;
  readonly dataBytes: number;
  /** The wait after each failed attempt to reach a connection. */
  readonly subscriberRetryDelaysMs: readonly number[];
  /** The part of such a wait that chance adds to it. */
  readonly subscriberJitter: number;
  /** Time for one call of a connection. */
  readonly callMs: number;
  /** Connections of an organization that are called at once. */
  readonly callsAtOnce: number;
  /** The same for all organizations together. */
  readonly callsOfAllAtOnce: number;
  readonly eventsPerCall: number;
  readonly subscriptionsPerConnection: number;
  readonly schedulesPerOrganization: number;
  /** Schedules by cron that one source may have: each fires at most once a second. */
  readonly cronsPerSource: number;
  /** Publishers that may wait for the transaction before theirs. */
  readonly waitingPublishers: number;
  readonly webhooksPerOrganization: number;
  readonly patternsPerWebhook: number;
  readonly groupsPerWebhook: number;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export const DEFAULT_EVENT_LIMITS: EventLimits = {
  retryDelaysMs: [
    5 * SECOND_MS,
    30 * SECOND_MS,
    2 * MINUTE_MS,
    10 * MINUTE_MS,
    HOUR_MS,
    6 * HOUR_MS,
    12 * HOUR_MS,
  ],
  timeoutMs: 10 * SECOND_MS,
  answerBytes: 16 * 1024,
  lanes: 4,
  attemptsPerRun: 500,
  lingerMs: 100,
  switchOffAfterMs: 3 * DAY_MS,
  secretOverlapMs: DAY_MS,
  pollMs: 5 * SECOND_MS,
  sweepEveryMs: HOUR_MS,
  keepMs: 30 * DAY_MS,
  keepDeadMs: 90 * DAY_MS,
  dataBytes: 256 * 1024,
  // Doubling from a second to an hour: 20 attempts.
  subscriberRetryDelaysMs: Array.from({ length: 19 }, (_, index) =>
    Math.min(SECOND_MS * 2 ** index, HOUR_MS),
  ),
  subscriberJitter: 0.1,
  callMs: 30 * SECOND_MS,
  callsAtOnce: 10,
  callsOfAllAtOnce: 100,
  eventsPerCall: 100,
  subscriptionsPerConnection: 500,
  schedulesPerOrganization: 1000,
  cronsPerSource: 100,
  waitingPublishers: 10_000,
  webhooksPerOrganization: 100,
  patternsPerWebhook: 50,
  groupsPerWebhook: 50,
};
