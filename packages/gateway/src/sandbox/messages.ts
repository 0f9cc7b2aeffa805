/** What a sandbox and its worker tell each other. */
import type { SandboxLimits } from './limits.ts';

/** What a worker is started with. */
export interface WorkerStart {
  /** Compiled once for all workers. */
  readonly wasmModule: WebAssembly.Module;
  readonly limits: SandboxLimits;
}

/** A run, or only the look whether there could be one. */
export interface RunRequest {
  readonly kind: 'run' | 'check';
  readonly code: string;
  /** JSON of the second argument; absent: the code gets the tools alone. */
  readonly args?: string | undefined;
  readonly timeoutMs: number;
}

/** A line that the code wrote. */
export interface ConsoleEntry {
  readonly type: 'log' | 'warn' | 'error';
  readonly content: string;
}

/** Why a run gave no value. */
export interface RunFailure {
  readonly code: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

/** How a run ended: JSON of what the code returned, which may be nothing, or why it failed. */
export type RunEnd =
  | { readonly ok: true; readonly json?: string }
  /** `isShape`: the code is none that could be run at all. */
  | { readonly ok: false; readonly error: RunFailure; readonly isShape?: boolean };

/** From the worker. */
export type FromWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'log'; readonly entry: ConsoleEntry }
  | { readonly type: 'call'; readonly id: number; readonly name: string; readonly args: string }
  /** `isWorn`: the run took so much memory that the thread should not serve another. */
  | { readonly type: 'end'; readonly end: RunEnd; readonly isWorn: boolean };

/** To the worker. */
export type ToWorker =
  | ({ readonly type: 'run' } & RunRequest)
  /** JSON of `{value}` or `{error: {code, message}}`. */
  | { readonly type: 'answer'; readonly id: number; readonly json: string };
