/** The sandbox: runs code that an agent wrote, away from the event loop, with tools as its only way out. */
import { addAbortListener } from 'node:events';
import { detach, ToolError } from '@parley/kit';
import { MAX_CODE_CHARACTERS, SANDBOX_LIMITS } from './limits.ts';
import type { SandboxLimits } from './limits.ts';
import type { ConsoleEntry, FromWorker, RunEnd, RunFailure, RunRequest, ToWorker } from './messages.ts';
import type { LentWorker } from './pool.ts';
import { createWorkerPool } from './pool.ts';

/** A call that the code makes; resolves with JSON of `{value}` or `{error: {code, message}}`. */
export type NestedCall = (name: string, args: string, signal: AbortSignal) => Promise<string>;

/** What a run needs besides its code. */
export interface RunOptions {
  /** The second argument of the function; absent: it gets the tools alone. */
  readonly args?: unknown;
  /** Whose code it is; organizations share the threads. */
  readonly organizationId: string;
  /** Begins with the run; waiting for a thread has a limit of its own. */
  readonly timeoutMs: number;
  readonly call: NestedCall;
  /** Ends the run, and the calls that it has under way. */
  readonly signal?: AbortSignal;
}

/** How a run ended, with what the code wrote until then. */
export interface RunOutcome {
  readonly returnValue?: unknown;
  readonly error?: RunFailure;
  readonly consoleLogs: readonly ConsoleEntry[];
}

export interface Sandbox {
  /** Runs code; throws `invalid` for code of another shape and `rate_limited` when too much of its organization waits. */
  run(code: string, options: RunOptions): Promise<RunOutcome>;
  /** Throws `invalid`, with line and column in its data, when the code could not be run. */
  checkCode(code: string): Promise<void>;
  close(): Promise<void>;
}

/** What a test may change. */
export interface SandboxOptions {
  readonly limits?: Partial<SandboxLimits>;
  /** Another program for the threads. */
  readonly workerFile?: URL;
}

const CHECK_MS = 2000;
/** Checks come without their organization and share the places of one, so that runs of others find some. */
const CHECKS = '';

/** Creates a sandbox; the first run starts its first thread. */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const limits = { ...SANDBOX_LIMITS, ...options.limits };
  const pool = createWorkerPool(limits, options.workerFile);

  async function execute(
    request: RunRequest,
    { organizationId, call, signal = NEVER }: Pick<RunOptions, 'organizationId' | 'call' | 'signal'>,
  ) {
    if (request.code.length > MAX_CODE_CHARACTERS) {
      throw new ToolError('invalid', `The code is over ${MAX_CODE_CHARACTERS} characters. Write less.`);
    }
    return pool.lend({ organizationId, signal }, async (worker) => {
      const run = new Run(worker, { call, signal, killMs: request.timeoutMs + limits.graceMs });
      const { consoleLogs } = run;
      try {
        const { end, isWorn } = await run.until(request);
        return { end, isWorn, consoleLogs };
      } catch (error) {
        signal.throwIfAborted();
        return { end: failureOfThread(error), isWorn: true, consoleLogs };
      } finally {
        run.close();
      }
    });
  }

  return {
    async run(code, { args, timeoutMs, ...rest }) {
      const json = args === undefined ? undefined : JSON.stringify(args);
      const { end, consoleLogs } = await execute({ kind: 'run', code, args: json, timeoutMs }, rest);
      if (!end.ok) {
        // Code of another shape is refused as input; whatever else went wrong is the outcome of its run.
        if (end.isShape) throw invalid(end.error);
        return { error: end.error, consoleLogs };
      }
      const { json: value } = end;
      return { ...(value !== undefined && { returnValue: JSON.parse(value) as unknown }), consoleLogs };
    },
    async checkCode(code) {
      const request = { kind: 'check', code, timeoutMs: CHECK_MS } as const;
      const { end } = await execute(request, { organizationId: CHECKS, call: refuseCall });
      if (!end.ok) throw invalid(end.error);
    },
    close: () => pool.close(),
  };
}

const NEVER = new AbortController().signal;

/** One run on a thread: its console, its calls, and the ways in which it can be ended from outside. */
class Run {
  readonly consoleLogs: ConsoleEntry[] = [];
  readonly #worker: LentWorker;
  readonly #call: NestedCall;
  readonly #ended = new AbortController();
  readonly #cancelling: Disposable;
  readonly #killMs: number;
  #isCancelled = false;

  constructor(
    worker: LentWorker,
    { call, signal, killMs }: { call: NestedCall; signal: AbortSignal; killMs: number },
  ) {
    this.#worker = worker;
    this.#call = call;
    this.#killMs = killMs;
    this.#cancelling = addAbortListener(signal, () => this.#kill());
  }

  /** Resolves with the end that the thread tells; rejects when the thread ended first. */
  async until(request: RunRequest): Promise<Extract<FromWorker, { type: 'end' }>> {
    const { thread, gone } = this.#worker;
    let listen: (message: FromWorker) => void = () => undefined;
    const told = new Promise<Extract<FromWorker, { type: 'end' }>>((resolve) => {
      listen = (message) => {
        if (message.type === 'log') this.consoleLogs.push(message.entry);
        else if (message.type === 'call') this.#nested(message);
        else if (message.type === 'end') resolve(message);
      };
    });
    thread.on('message', listen);
    const timer = setTimeout(() => this.#kill(), this.#killMs);
    try {
      this.#send({ type: 'run', ...request });
      return await Promise.race([told, gone]);
    } catch (error) {
      throw this.#isCancelled ? new KilledError() : error;
    } finally {
      clearTimeout(timer);
      thread.off('message', listen);
    }
  }

  /** Cancels what the run has under way. */
  close(): void {
    this.#cancelling[Symbol.dispose]();
    this.#ended.abort();
  }

  #nested({ id, name, args }: Extract<FromWorker, { type: 'call' }>): void {
    const answered = this.#call(name, args, this.#ended.signal);
    detach(
      answered.then((json) => this.#send({ type: 'answer', id, json })),
      () => this.#kill(),
    );
  }

  #send(message: ToWorker): void {
    this.#worker.thread.postMessage(message);
  }

  #kill(): void {
    this.#isCancelled = true;
    // The run hears of it by the end of its thread.
    detach(this.#worker.thread.terminate(), () => undefined);
  }
}

/** The thread was ended from outside. */
class KilledError extends Error {
  override readonly name = 'KilledError';
}

function failureOfThread(error: unknown): Extract<RunEnd, { ok: false }> {
  const fault = (code: string, message: string) => ({ ok: false, error: { code, message } }) as const;
  if (error instanceof KilledError) {
    return fault('timeout', 'The code took longer than its time and was ended. Do less in one run.');
  }
  if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return fault('out_of_memory', 'The code used more than its memory and was ended. Work on less data.');
  }
  return fault(
    'sandbox_failed',
    'The sandbox broke while it ran this code. Change the code, then try again.',
  );
}

function invalid({ message, line, column }: RunFailure): ToolError {
  return new ToolError('invalid', message, line === undefined ? undefined : { line, column });
}

function refuseCall(): Promise<string> {
  const error = {
    code: 'forbidden',
    message: 'Call tools inside the exported function, not while it is loaded.',
  };
  return Promise.resolve(JSON.stringify({ error }));
}
