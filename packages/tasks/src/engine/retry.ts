/** One attempt at a step: it ends, is tried again later, or was interrupted. */
import type { StepOptions } from '@parley/kit';
import { Leave, ToolError } from '@parley/kit';
import type { StepOutcome } from './journal.ts';

const ATTEMPTS = 5;
const BASE_MS = 1000;
const CAP_MS = 60_000;

interface AttemptOptions extends StepOptions {
  readonly attempts: number;
  readonly signal: AbortSignal;
  readonly now: number;
}

/** Runs the work once. Errors that may pass are tried again; what a tool says itself is final. */
export async function attemptStep(
  work: () => unknown,
  options: AttemptOptions,
): Promise<StepOutcome | { readonly retryAt: number }> {
  try {
    const value = await withTimeout(Promise.resolve().then(work), options);
    return { value: value === undefined ? null : value };
  } catch (error) {
    // Leaving and being stopped are no outcomes: the step runs again when the task does.
    if (error instanceof Leave || options.signal.aborted) throw error;
    const most = options.retry?.attempts ?? ATTEMPTS;
    if (mayPass(error) && options.attempts < most) return { retryAt: options.now + delayMs(error, options) };
    return { error: describe(error) };
  }
}

async function withTimeout<T>(work: Promise<T>, { timeoutMs, signal }: AttemptOptions): Promise<T> {
  const stops: AbortSignal[] = [signal];
  if (timeoutMs !== undefined) stops.push(AbortSignal.timeout(timeoutMs));
  const stop = AbortSignal.any(stops);
  return new Promise((resolve, reject) => {
    const onStop = () =>
      reject(stop.reason instanceof Error ? stop.reason : new Error('The step was stopped.'));
    if (stop.aborted) onStop();
    stop.addEventListener('abort', onStop, { once: true });
    work.then(resolve, reject).finally(() => stop.removeEventListener('abort', onStop));
  });
}

function mayPass(error: unknown): boolean {
  return !(error instanceof ToolError) || error.code === 'unavailable' || error.code === 'rate_limited';
}

function delayMs(error: unknown, { attempts, retry }: AttemptOptions): number {
  const cap = retry?.capMs ?? CAP_MS;
  const data = error instanceof ToolError ? error.data : undefined;
  const told =
    typeof data === 'object' && data !== null && 'retryAfterMs' in data ? Number(data.retryAfterMs) : NaN;
  if (Number.isFinite(told)) return Math.min(Math.max(told, 0), cap);
  // Spread out, so that what failed together does not come back together.
  const jitter = 0.5 + Math.random();
  return Math.min((retry?.baseMs ?? BASE_MS) * 2 ** (attempts - 1) * jitter, cap);
}

function describe(error: unknown): { code: string; message: string; data?: unknown } {
  if (error instanceof ToolError) {
    return {
      code: error.code,
      message: error.message,
      ...(error.data !== undefined && { data: error.data }),
    };
  }
  return { code: 'step_failed', message: 'A step of this task failed and was tried as often as it may be.' };
}
