/** How an agent is run: the seam that messages, work tasks and schedules stand on. */

/** What a run is for. */
export type RunKind = 'message' | 'work_task' | 'session' | 'schedule' | 'remote';

export interface RunRequest {
  readonly kind: RunKind;
  readonly agent: { readonly id: string; readonly name: string; readonly organizationId: string };
  readonly prompt: string;
  readonly history: string;
  /** Where it works; absent: in an empty folder of its own. */
  readonly cwd?: string | undefined;
  readonly depth: number;
  readonly unattended: boolean;
  readonly timeoutMs: number;
  /** Ends the run with all that it started. */
  readonly signal: AbortSignal;
}

export interface RunResult {
  readonly status: 'completed' | 'failed' | 'timeout' | 'cancelled';
  readonly text: string;
}

/** Without one, what is to be done is offered to whoever watches the inbox. */
export interface Runner {
  run(request: RunRequest): Promise<RunResult>;
}
