/** What a call record is, and what an engine must do with its table of records. */

/** How a call ended. */
export type CallOutcome = 'ok' | 'error' | 'denied' | 'cancelled';

/** A call to be recorded: who, what, when, how it ended. */
export interface NewCallRecord {
  readonly at: number;
  readonly organizationId: string;
  readonly callerId: string;
  readonly source: string;
  readonly toolset: string;
  readonly tool: string;
  readonly method: string;
  readonly outcome: CallOutcome;
  readonly code: string | null;
  readonly durationUs: number;
  readonly era: string;
  readonly client: string | null;
  readonly requestId: string | null;
}

/** The same as it is read back; ids grow with time. */
export interface StoredCallRecord extends NewCallRecord {
  readonly id: number;
}

/** Which records to read, newest first. */
export interface RecordQuery {
  readonly organizationId: string;
  readonly tool?: string;
  readonly callerId?: string;
  readonly outcome?: CallOutcome;
  /** Earliest `at`, included. */
  readonly since?: number;
  /** Latest `at`, included. */
  readonly until?: number;
  readonly limit: number;
  /** The id of the last record of the page before. */
  readonly before?: number;
}

/** The table of call records of one engine. */
export interface RecordTable {
  /** Most rows that one `write` takes. */
  readonly chunkRows: number;
  /** Stores the rows and returns how many of them it had to leave out as unusable. */
  write(rows: NewCallRecord[]): Promise<number>;
  list(query: RecordQuery): Promise<StoredCallRecord[]>;
  count(): Promise<number>;
  /** How many rows there are, and about how many bytes they take on the disk. */
  size(): Promise<{ rows: number; bytes: number }>;
  /** Deletes the oldest rows, in small batches, and returns how many. */
  prune(olderThan: number, maxRows: number): Promise<number>;
  /** Deletes the rows of an organization, in small batches, and returns how many. */
  forget(organizationId: string): Promise<number>;
  close(): Promise<void>;
}
