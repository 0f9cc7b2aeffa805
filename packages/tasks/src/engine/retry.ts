/** One attempt at a step: it ends, is tried again later, or was interrupted. */
import type { StepOptions } from '@parley/kit';
import { Leave, ToolError } from '@parley/kit';
import { StoreUnavailableError } from '@parley/store';
import type { StepOutcome } from './journal.ts';

const ATTEMPTS = 5;
const BASE_MS = 1000;
const CAP_MS = 60_000;

/** The code of a step that failed for no reason that its tool gave. */
export const STEP_FAILED = 'engine.step_failed';

interface AttemptOptions extends StepOptions {
  readonly key: string;
  readonly attempts: number;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly onFault: (error: unknown, where: string) => void;
}

/** Runs the work once. Errors that may pass are tried again; what a tool says itself is final. */
export async function attemptStep(
  work: () => unknown,
  options: AttemptOptions,
): Promise<StepOutcome | { readonly retryAt: number }> {
  try {
    // Not raced with the signal: a step that is under way when the worker stops gets the time to end.
    const value = await withTimeout(Promise.resolve().then(work), options.timeoutMs);
    return { value: value === undefined ? null : value };
  } catch (error) {
    // Leaving and being stopped are no outcomes: the step runs again when the task does.
    if (error instanceof Leave || options.signal.aborted) throw error;
    const most = options.retry?.attempts ?? ATTEMPTS;
    // No fault of the step, so no attempt; what may be done only once is not done again for it either.
    if (error instanceof StoreUnavailableError && most > 1) throw error;
    if (!(error instanceof ToolError)) options.onFault(error, `task step ${options.key}`);
    if (mayPass(error) && options.attempts < most)
      return { retryAt: options.now() + delayMs(error, options) };
    return { error: describe(error, options) };
  }
}

async function withTimeout<T>(work: Promise<T>, timeoutMs: number | undefined): Promise<T> {
  if (timeoutMs === undefined) return work;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`The step took longer than ${timeoutMs} ms.`)), timeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function mayPass(error: unknown): boolean {
  return !(error instanceof ToolError) || error.code === 'unavailable' || error.code === 'rate_limited';
}

function delayMs(error: unknown, { attempts, retry }: AttemptOptions): number {
  const cap = retry?.capMs ?? CAP_MS;
  const data = error instanceof ToolError ? error.data : undefined;
  const told =
    typeof data === 'object' && data !== null && 'retryAfterMs' in data ? Number(data.retryAfterMs) : NaN;
  if (Number.isFinite(told)) return Math.round(Math.min(Math.max(told, 0), cap));
  // Spread out, so that what failed together does not come back together.
  const jitter = 0.5 + Math.random();
  return Math.round(Math.min((retry?.baseMs ?? BASE_MS) * 2 ** (attempts - 1) * jitter, cap));
}

function describe(
  error: unknown,
  { key, attempts }: AttemptOptions,
): { code: string; message: string; data?: unknown } {
  if (!(error instanceof ToolError)) {
    const message = `Step "${key}" failed ${attempts} times and is not tried again.`;
    return { code: STEP_FAILED, message };
  }
  return {
    code: error.code,
    message: error.message,
    ...(error.data !== undefined && { data: error.data }),
  };
}
