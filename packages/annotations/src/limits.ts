/** How much the browser link and the tools may take; the numbers of the specification. */

/** How long `watch_annotations` waits by default. */
export const DEFAULT_WATCH_TIMEOUT_MS = 25_000;

/** How often a watch reads when the change signal is broken. */
export const WATCH_POLL_INTERVAL_MS = 500;

/** How long `watch_diff_response` waits by default. */
export const DEFAULT_DIFF_TIMEOUT_MS = 300_000;

/** Limits of the link and of the lists. */
export interface AnnotationLimits {
  readonly messageBytes: number;
  readonly messagesPerSecond: number;
  readonly messageBurst: number;
  readonly openNotesPerSession: number;
  readonly repliesPerNote: number;
  /** What people and agents have said in one thread, in all. */
  readonly threadCharacters: number;
  readonly sessionsPerPageToken: number;
  readonly screenshotBytes: number;
  readonly screenshotBytesPerProject: number;
  readonly listItems: number;
  /** JSON of one list, so that the whole answer fits into one result. */
  readonly listBytes: number;
  /** JSON of the notes that a page is told of at once. */
  readonly sessionBytes: number;
  readonly helloMs: number;
  readonly helloBytes: number;
  /** Sockets that have not said hello yet. */
  readonly ungreetedPerAddress: number;
  readonly ungreetedPerProcess: number;
  /** Sockets and event streams that have. */
  readonly connectionsPerSession: number;
  readonly connectionsPerPageToken: number;
  readonly connectionsPerProcess: number;
  readonly violationsPerMinute: number;
  /** A session is inactive this long after its last connection is gone. */
  readonly graceMs: number;
  readonly pingMs: number;
  /** A note is pending again when its holder was not heard from for this long. */
  readonly noteLeaseMs: number;
  /** Closed notes are kept this long. */
  readonly keepClosedMs: number;
}

export const DEFAULT_ANNOTATION_LIMITS: AnnotationLimits = {
  messageBytes: 256 * 1024,
  messagesPerSecond: 20,
  messageBurst: 60,
  openNotesPerSession: 1000,
  repliesPerNote: 200,
  threadCharacters: 500_000,
  sessionsPerPageToken: 64,
  screenshotBytes: 2 * 1024 * 1024,
  screenshotBytesPerProject: 200 * 1024 * 1024,
  listItems: 200,
  listBytes: 300_000,
  sessionBytes: 1024 * 1024,
  helloMs: 5000,
  helloBytes: 8 * 1024,
  ungreetedPerAddress: 64,
  ungreetedPerProcess: 256,
  connectionsPerSession: 32,
  connectionsPerPageToken: 256,
  connectionsPerProcess: 1024,
  violationsPerMinute: 3,
  graceMs: 15_000,
  pingMs: 10_000,
  noteLeaseMs: 30 * 60_000,
  keepClosedMs: 90 * 24 * 60 * 60_000,
};
