/** What a call record is, and what an engine must do with its table of records. */

/** How a call ended. */
export type CallOutcome = 'ok' | 'error' | 'denied' | 'cancelled';

/** One call: who, what, when, how it ended. */
export interface CallRecord {
  at: number;
  organizationId: string;
  callerId: string;
  source: string;
  toolset: string;
  tool: string;
  method: string;
  outcome: CallOutcome;
  code: string | null;
  durationUs: number;
  era: string;
  client: string | null;
  requestId: string | null;
}

/** A record as it is read back; ids grow with time. */
export interface StoredCallRecord extends CallRecord {
  id: number;
}

/** Which records to read, newest first. */
export interface RecordQuery {
  organizationId: string;
  tool?: string;
  callerId?: string;
  outcome?: CallOutcome;
  /** Earliest `at`, included. */
  since?: number;
  /** Latest `at`, included. */
  until?: number;
  limit: number;
  /** The id of the last record of the page before. */
  before?: number;
}

/** The table of call records of one engine. */
export interface RecordTable {
  /** Most rows that one `write` takes. */
  readonly chunkRows: number;
  /** Stores the rows and answers how many of them it had to leave out as unusable. */
  write(rows: CallRecord[]): Promise<number>;
  list(query: RecordQuery): Promise<StoredCallRecord[]>;
  count(): Promise<number>;
  /** How many rows there are, and about how many bytes they take on the disk. */
  size(): Promise<{ rows: number; bytes: number }>;
  /** Deletes the oldest rows, in small batches, and answers how many. */
  prune(olderThan: number, maxRows: number): Promise<number>;
  close(): Promise<void>;
}
