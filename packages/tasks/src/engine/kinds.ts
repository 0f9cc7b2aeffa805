/** The code that a worker can run, by kind and version. */
import type { TaskOwner } from '../task.ts';
import type { Ending } from './finish.ts';
import type { RunContext } from './run-context.ts';

/** What a kind's code is given. */
export interface TaskRun {
  readonly taskId: string;
  readonly owner: TaskOwner;
  readonly io: RunContext;
  /** Aborts on cancel, shutdown and a lost lease. */
  readonly signal: AbortSignal;
}

/** Code for a kind of task. */
export interface Kind {
  readonly kind: string;
  /** A worker with another version leaves the task alone. */
  readonly version: number;
  /** Work of the system itself: it has places of its own, which no caller can take. */
  readonly isSystem?: boolean;
  /** True where such tasks are made and never run: another process has to. */
  readonly isRunElsewhere?: boolean;
  run(input: unknown, run: TaskRun): Promise<Ending>;
  /** How a task ends that took its process down again and again; absent or undefined: with a plain fault. */
  givenUp?(input: unknown, taskId: string): Promise<Ending | undefined>;
  /** Told of a task that was cancelled while it waited, so that no run of it could hear of it. */
  cancelled?(input: unknown, taskId: string): Promise<void>;
}

/** Why a running task is stopped from outside. */
export class TaskStopped extends Error {
  override readonly name = 'AbortError';
  readonly why: 'cancel' | 'shutdown' | 'lease_lost';

  constructor(why: 'cancel' | 'shutdown' | 'lease_lost', message: string) {
    super(message);
    this.why = why;
  }
}
