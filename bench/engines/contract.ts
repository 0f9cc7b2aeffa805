/** What the runner asks of every engine: the part of our task contract that can be held against another one. */

/** How many may run at once. */
export interface Limits {
  readonly perOwner: number;
  readonly perOrganization: number;
  readonly perProcess: number;
}

/** The limits of the specification. */
export const LIMITS: Limits = { perOwner: 16, perOrganization: 48, perProcess: 64 };

/** What a task does; `label` names it among the effects. */
export interface JobInput {
  readonly label: string;
  readonly owner: string;
  readonly organization: string;
  readonly does: 'nothing' | 'steps' | 'wait' | 'ask' | 'fail' | 'kill';
  /** How long `wait` takes, and how often `fail` fails. */
  readonly amount?: number;
}

/** What the code of a task is given. */
export interface JobIo {
  /** Runs once and keeps the outcome; the signal fires when the task is cancelled or lost. */
  step<T>(key: string, work: (signal: AbortSignal) => Promise<T> | T): Promise<T>;
  /** Waits for an answer, for as long as it takes. */
  ask(key: string): Promise<unknown>;
}

export type RunJob = (input: JobInput, io: JobIo) => Promise<unknown>;

export type Status = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled' | 'absent';

/** Where a task stands. */
export interface State {
  readonly status: Status;
  readonly result?: unknown;
}

export interface OpenOptions {
  readonly url: string;
  /** For files; it is removed with the bed, since a replica that is killed leaves everything behind. */
  readonly folder: string;
  /** The name of the replica, the same after a restart. */
  readonly name: string;
  /** Of the code that this replica has. */
  readonly version: number;
  /** False for one that only creates. */
  readonly works: boolean;
  /** Absent: the engine runs without limits for owners and organizations, as fast as it can. */
  readonly limits: Limits | undefined;
  readonly organizations: readonly string[];
  /** Leases as short as the engine allows. */
  readonly isQuick: boolean;
  readonly run: RunJob;
  /** Where work that nobody waits for reports its faults. */
  readonly onFault: (error: unknown) => void;
}

/** One replica of an engine, in a process of its own. */
export interface Replica {
  create(input: JobInput): Promise<string>;
  /** Creates with a row of the caller, in the caller's transaction. */
  createWith(input: JobInput, end: 'commit' | 'rollback'): Promise<string>;
  cancel(id: string): Promise<void>;
  answer(id: string, value: unknown): Promise<void>;
  state(id: string): Promise<State>;
  /** How many tasks have not ended. */
  unfinished(): Promise<number>;
  /** Gives the work of a dead replica to the others, where the engine cannot tell by itself that it is dead. */
  takeOver?(name: string): Promise<void>;
  stop(): Promise<void>;
}

/** Thrown where the code has to leave: the task waits, or is no longer ours. */
export class Left extends Error {
  readonly why: 'parked' | 'lost';

  constructor(why: 'parked' | 'lost') {
    super(why === 'parked' ? 'The task waits for an answer.' : 'Another worker has the task.');
    this.why = why;
  }
}
