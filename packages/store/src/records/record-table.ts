/** What a call record is, and what an engine must do with its table of records. */

/** How a call ended. */
export type CallOutcome = 'ok' | 'error' | 'denied' | 'cancelled';

/** A call to be recorded: who, what, when, how it ended. */
export interface NewCallRecord {
  readonly at: number;
  readonly organizationId: string;
  readonly callerId: string;
  /** The person behind the caller; null for one that is nobody's. */
  readonly userId: string | null;
  readonly source: string;
  readonly toolset: string;
  readonly tool: string;
  readonly method: string;
  /** The effect of the tool; null for what is no tool. */
  readonly effect: string | null;
  readonly outcome: CallOutcome;
  readonly code: string | null;
  readonly durationUs: number;
  readonly era: string;
  readonly client: string | null;
  readonly requestId: string | null;
  /** The virtual MCP that it came through. */
  readonly virtualMcpId?: string | null;
}

/** What went in and came out, as it may be kept: JSON texts without secrets. */
export interface CallDetail {
  readonly input: string | null;
  readonly output: string | null;
  /** The text of the error. */
  readonly message: string | null;
  /** Bytes of the JSON, before anything was cut; null when that is not known. */
  readonly bytesIn: number | null;
  readonly bytesOut: number | null;
  readonly upstreamUs: number | null;
  readonly traceId: string | null;
  /** A JSON object of texts. */
  readonly properties: string | null;
}

/** A detail that is made when its record is written, off the request path. */
export interface PendingDetail {
  /** About how much memory it holds until then. */
  readonly weightBytes: number;
  make(): CallDetail;
}

/** A record with its detail, ready to be stored. */
export interface RecordRow {
  readonly record: NewCallRecord;
  readonly detail: CallDetail | undefined;
}

/** The same as it is read back; ids grow with time. */
export interface StoredCallRecord extends Omit<NewCallRecord, 'virtualMcpId'> {
  readonly id: number;
  readonly virtualMcpId: string | null;
}

/** A stored record with its detail, if it has one. */
export interface DetailedCallRecord extends StoredCallRecord {
  readonly detail: CallDetail | null;
}

/** Which records are meant. */
export interface RecordFilter {
  readonly organizationId: string;
  readonly toolset?: string;
  readonly tool?: string;
  readonly callerId?: string;
  readonly outcome?: CallOutcome;
  /** True: errors and denials; false: everything else. */
  readonly isError?: boolean;
  readonly virtualMcpId?: string;
  readonly source?: string;
  readonly effect?: string;
  readonly code?: string;
  readonly userId?: string;
  readonly requestId?: string;
  /** A part of the tool's name, whatever its case. */
  readonly toolPart?: string;
  /** Calls that took so long, or longer. */
  readonly minDurationUs?: number;
  /** One of these. */
  readonly toolsets?: readonly string[];
  readonly tools?: readonly string[];
  readonly callerIds?: readonly string[];
  readonly virtualMcpIds?: readonly string[];
  /** None of these. */
  readonly exceptToolsets?: readonly string[];
  /** Earliest `at`, included. */
  readonly since?: number;
  /** Latest `at`, included. */
  readonly until?: number;
}

/** Which records to read, newest first unless it is said otherwise. */
export interface RecordQuery extends RecordFilter {
  readonly limit: number;
  /** The id of the last record of the page before. */
  readonly before?: number;
  /** Only records with a greater id. */
  readonly after?: number;
  /** True: from the other end; `after` with the last id gives the next page. */
  readonly oldestFirst?: boolean;
}

/** Counts of calls between two times; an empty toolset means all calls of the organization. */
export interface RollupQuery {
  readonly organizationId: string;
  readonly toolset: string;
  readonly tool: string;
  readonly stepMs: number;
  /** Buckets that begin in [from, to). */
  readonly from: number;
  readonly to: number;
}

/** How many calls took about so long; the slot is a power of two to the quarter, in microseconds. */
export interface RollupSlot {
  readonly slot: number;
  readonly calls: number;
  readonly errors: number;
  readonly durationUs: number;
}

/** The same for one bucket of a series. */
export interface BucketSlot extends RollupSlot {
  /** When the bucket begins. */
  readonly bucket: number;
}

/** The same for one tool. */
export interface ToolSlot extends RollupSlot {
  readonly toolset: string;
  readonly tool: string;
}

/** The lengths of the rollups' buckets, and how long each is kept. */
export const ROLLUPS = [
  { stepMs: 60_000, keptMs: 7 * 86_400_000 },
  { stepMs: 3_600_000, keptMs: 400 * 86_400_000 },
] as const;

/** Which rows go: the older ones, and the oldest beyond a number. */
export interface PruneLimits {
  readonly olderThan: number;
  readonly maxRows: number;
  readonly isOver: () => boolean;
}

/** The table of call records of one engine. */
export interface RecordTable {
  /** Most rows that one `write` takes. */
  readonly chunkRows: number;
  /** True when old rows are deleted while new ones are written, neither waiting for the other. */
  readonly prunesBeside: boolean;
  /** Stores the rows, counts them in the rollups, and returns how many it had to leave out as unusable. */
  write(rows: readonly RecordRow[]): Promise<number>;
  list(query: RecordQuery): Promise<StoredCallRecord[]>;
  listDetailed(query: RecordQuery): Promise<DetailedCallRecord[]>;
  count(filter?: RecordFilter): Promise<number>;
  rollup(query: RollupQuery): Promise<RollupSlot[]>;
  /** The same bucket by bucket. */
  rollupSeries(query: RollupQuery): Promise<BucketSlot[]>;
  /** The same for every tool that was called. */
  rollupTools(query: Omit<RollupQuery, 'toolset' | 'tool'>): Promise<ToolSlot[]>;
  /** How many rows there are, and about how many bytes they take on the disk. */
  size(): Promise<{ rows: number; bytes: number }>;
  /** Deletes the oldest rows, in small batches, and returns how many; `isOver` ends it after a batch. */
  prune(limits: PruneLimits): Promise<number>;
  /** Deletes the rows of an organization, in small batches, and returns how many. */
  forget(organizationId: string): Promise<number>;
  /** Deletes the buckets of this length that begin before the time. */
  pruneRollups(stepMs: number, before: number): Promise<void>;
  close(): Promise<void>;
}
