/** The seam of runners: whoever makes an agent think about a prompt. */

/** What was said earlier, oldest first. */
export interface Said {
  /** The name of the agent that said it. */
  readonly from: string;
  readonly text: string;
}

/** What an agent is run for. */
export type RunKind = 'message' | 'work_task' | 'schedule' | 'workflow' | 'remote';

export interface RunRequest {
  readonly kind: RunKind;
  readonly agent: { readonly id: string; readonly name: string; readonly organizationId: string };
  readonly prompt: string;
  readonly history: readonly Said[];
  /** The folder to work in; absent: an empty one that goes with the run. */
  readonly cwd?: string | undefined;
  readonly projectId?: string | undefined;
  /** The depth of whoever asks; the agent itself runs one deeper. */
  readonly depth: number;
  readonly unattended: boolean;
  /** How long it may take, unless the agent asks for more. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** How a run ended. */
export interface RunResult {
  readonly status: 'completed' | 'failed' | 'cancelled' | 'timeout';
  readonly text: string;
}

/** A run that has its session. */
export interface SessionRequest extends RunRequest {
  readonly sessionId: string;
  /** What the bundles of the agent and of its project tell it; empty: nothing. */
  readonly instructions: string;
  /** The last moment that the session can reach, however often it is extended. */
  readonly latestAt: number;
}

/** Runs agents. It must end soon after its signal fires; what it says then counts for nothing. */
export interface Runner {
  run(request: SessionRequest): Promise<RunResult>;
}
