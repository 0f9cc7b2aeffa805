/** One run of code in an engine of its own: a fresh WebAssembly instance, whose memory nothing else has or will see. */
import baseVariant from '@jitl/quickjs-wasmfile-release-sync';
import type {
  QuickJSContext,
  QuickJSHandle,
  QuickJSRuntime,
  QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import { newQuickJSWASMModuleFromVariant, newVariant } from 'quickjs-emscripten-core';
import type { SandboxLimits } from './limits.ts';
import type { ConsoleEntry, RunEnd, RunFailure, RunRequest, WorkerStart } from './messages.ts';
import { PRELUDE } from './prelude.ts';

// Its types are written for CommonJS, where the default export would be one level further in.
const BASE = baseVariant as unknown as QuickJSSyncVariant;
const PAGE_BYTES = 65_536;
const FIRST_PAGES = 256;
const FILE = 'code.js';
const LONGEST_LINE = 8 * 1024;
const LONGEST_TEXT = 2000;
const JOBS_AT_ONCE = 1000;

/** What a run may do with the world outside its engine. */
export interface GuestPorts {
  log(entry: ConsoleEntry): void;
  /** Answers with JSON of `{value}` or `{error}`. */
  call(name: string, args: string, answered: (json: string) => void): void;
}

/** How a run ended, and what its engine took. */
export interface GuestOutcome {
  readonly end: RunEnd;
  readonly engineBytes: number;
}

export const SHAPE =
  'Write an ES module whose default export is a function, such as: export default async (tools) => tools.NAME({}).';

/** Runs code, or checks that it could be run. */
export async function runGuest(
  request: RunRequest,
  { wasmModule, limits }: WorkerStart,
  ports: GuestPorts,
): Promise<GuestOutcome> {
  const wasmMemory = new WebAssembly.Memory({
    initial: FIRST_PAGES,
    maximum: limits.engineBytes / PAGE_BYTES,
  });
  const engine = await newQuickJSWASMModuleFromVariant(newVariant(BASE, { wasmModule, wasmMemory }));
  // Limits first: code that is evaluated before them has none.
  const runtime = engine.newRuntime({
    memoryLimitBytes: limits.heapBytes,
    maxStackSizeBytes: limits.stackBytes,
  });
  const deadline = performance.now() + request.timeoutMs;
  runtime.setInterruptHandler(() => performance.now() > deadline);
  runtime.setModuleLoader(() => ({ error: new Error('Code in the sandbox cannot import modules.') }));
  const guest = new Guest(runtime, limits, { ports, deadline });
  const end = await guest.run(request).catch(failureOfEngine);
  // Nothing is freed: the whole engine is dropped, also one that its code has broken.
  return { end, engineBytes: wasmMemory.buffer.byteLength };
}

class Guest {
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #limits: SandboxLimits;
  readonly #ports: GuestPorts;
  readonly #deadline: number;
  /** Calls that were not answered yet, and who waits for the next answer. */
  #open = 0;
  #wake: () => void = () => undefined;

  constructor(
    runtime: QuickJSRuntime,
    limits: SandboxLimits,
    { ports, deadline }: { readonly ports: GuestPorts; readonly deadline: number },
  ) {
    this.#runtime = runtime;
    this.#context = runtime.newContext();
    this.#limits = limits;
    this.#ports = ports;
    this.#deadline = deadline;
  }

  async run({ kind, code, args }: RunRequest): Promise<RunEnd> {
    const settle = this.#prelude();
    const evaluated = this.#context.evalCode(code, FILE, { type: 'module' });
    if (evaluated.error !== undefined) return this.#thrown(evaluated.error, 'loading');
    const loaded = await this.#settled(evaluated.value);
    if ('failure' in loaded) return { ok: false, error: loaded.failure };
    if ('rejected' in loaded) return this.#thrown(loaded.rejected);
    const entry = this.#context.getProp(loaded.value, 'default');
    if (this.#context.typeof(entry) !== 'function') return { ...failed('invalid', SHAPE), isShape: true };
    if (kind === 'check') return { ok: true };
    const given = args === undefined ? [entry] : [entry, this.#context.newString(args)];
    const called = this.#context.callFunction(settle, this.#context.undefined, ...given);
    if (called.error !== undefined) return this.#thrown(called.error);
    const ended = await this.#settled(called.value);
    if ('failure' in ended) return { ok: false, error: ended.failure };
    if ('rejected' in ended) return this.#thrown(ended.rejected);
    return this.#answer(ended.value);
  }

  /** Evaluates the prelude and returns the function that runs what the code exports. */
  #prelude(): QuickJSHandle {
    const context = this.#context;
    const make = context.unwrapResult(context.evalCode(PRELUDE, 'prelude.js', { type: 'global' }));
    const log = context.newFunction('log', (type, line) => this.#log(type, line));
    const call = context.newFunction('call', (name, args) => this.#call(name, args));
    const longest = [LONGEST_LINE, LONGEST_TEXT].map((length) => context.newNumber(length));
    return context.unwrapResult(context.callFunction(make, context.undefined, call, log, ...longest));
  }

  #log(type: QuickJSHandle, line: QuickJSHandle): void {
    const content = this.#text(line, LONGEST_LINE) ?? '';
    const kind = this.#text(type, 'error'.length);
    this.#ports.log({ type: kind === 'warn' || kind === 'error' ? kind : 'log', content });
  }

  #call(name: QuickJSHandle, args: QuickJSHandle): QuickJSHandle {
    const deferred = this.#context.newPromise();
    const wanted = this.#text(name, LONGEST_TEXT);
    const given = this.#text(args, this.#limits.argumentBytes);
    this.#open += 1;
    const answered = (json: string) => {
      this.#open -= 1;
      deferred.resolve(this.#context.newString(json));
      this.#wake();
    };
    if (wanted === undefined || given === undefined) answered(TOO_LARGE_ARGUMENTS);
    else this.#ports.call(wanted, given, answered);
    return deferred.handle;
  }

  /** Goes on until a promise is settled; a value that is no promise is settled already. */
  async #settled(
    handle: QuickJSHandle,
  ): Promise<{ value: QuickJSHandle } | { rejected: QuickJSHandle } | { failure: RunFailure }> {
    for (;;) {
      const state = this.#context.getPromiseState(handle);
      if (state.type === 'fulfilled') return { value: state.value };
      if (state.type === 'rejected') return { rejected: state.error };
      if (performance.now() > this.#deadline) return { failure: TIMEOUT };
      const done = this.#runtime.executePendingJobs(JOBS_AT_ONCE);
      if (done.error !== undefined) return { rejected: done.error };
      // The jobs may have settled it, and then nobody waits for calls that are still under way.
      if (this.#context.getPromiseState(handle).type !== 'pending') continue;
      if (this.#runtime.hasPendingJob()) await new Promise((resolve) => setImmediate(resolve));
      else if (this.#open > 0) await this.#nextAnswer();
      else return { failure: NEVER_SETTLES };
    }
  }

  /** Waits for an answer or for the deadline. */
  #nextAnswer(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, this.#deadline - performance.now()) + 1);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** The text of a string that is no longer than this; undefined for all else. */
  #text(handle: QuickJSHandle, longest: number): string | undefined {
    if (this.#context.typeof(handle) !== 'string') return undefined;
    const length = this.#context.getNumber(this.#context.getProp(handle, 'length'));
    return length > longest ? undefined : this.#context.getString(handle);
  }

  /** What the prelude made of the end: a letter, then JSON. */
  #answer(handle: QuickJSHandle): RunEnd {
    const text = this.#text(handle, this.#limits.resultBytes + 1);
    const json = text?.slice(1);
    if (json === undefined || Buffer.byteLength(json) > this.#limits.resultBytes) return TOO_LARGE;
    if (text?.startsWith('u')) return { ok: true };
    if (text?.startsWith('v')) return { ok: true, json };
    const thrown = JSON.parse(json) as Thrown; // written by the prelude
    if (!text?.startsWith('j')) return failureOf(thrown);
    return failed('invalid', `What the code returns cannot be written as JSON: ${thrown.message ?? ''}`);
  }

  /** An error that the engine gave to us. */
  #thrown(handle: QuickJSHandle, during: 'loading' | 'run' = 'run'): RunEnd {
    const read = (name: string) => {
      const found = this.#context.typeof(handle) === 'object' ? this.#context.getProp(handle, name) : handle;
      return this.#text(found, LONGEST_TEXT);
    };
    return failureOf({ name: read('name'), message: read('message'), stack: read('stack') }, during);
  }
}

interface Thrown {
  readonly name?: string | undefined;
  readonly message?: string | undefined;
  readonly code?: string | undefined;
  readonly stack?: string | undefined;
}

const TIMEOUT: RunFailure = {
  code: 'timeout',
  message: 'The code took longer than its time. Do less in one run, or ask for more time with timeoutMs.',
};
const NEVER_SETTLES: RunFailure = {
  code: 'invalid',
  message:
    'The code waits for a promise that nothing will settle. There are no timers; await what tools return.',
};
const OUT_OF_MEMORY = 'The code used more than its 32 MiB of memory. Work on less data at a time.';
const TOO_LARGE = failed('too_large', 'What the code returns is over 256 KiB of JSON. Return less of it.');
const TOO_LARGE_ARGUMENTS = JSON.stringify({
  error: { code: 'too_large', message: 'The arguments of this call are over 1 MiB of JSON. Send less.' },
});

function failed(code: string, message: string): Extract<RunEnd, { ok: false }> {
  return { ok: false, error: { code, message } };
}

/** Sorts what was thrown: limits of the engine have codes of their own. */
function failureOf(
  { name = '', message = '', code = '', stack = '' }: Thrown,
  during: 'loading' | 'run' = 'run',
): RunEnd {
  if (name === 'InternalError' && message === 'interrupted') return { ok: false, error: TIMEOUT };
  if (name === 'InternalError' && message === 'out of memory') return failed('out_of_memory', OUT_OF_MEMORY);
  const [, line, column] = /code\.js:(\d{1,7}):(\d{1,7})/.exec(stack) ?? [];
  const place = line === undefined ? {} : { line: Number(line), column: Number(column) };
  const at = line === undefined ? '' : ` (line ${line}, column ${column})`;
  const kind = name === '' || name === 'Error' || name === 'ToolError' ? '' : `${name}: `;
  const text = `${kind}${message}${at}` || 'The code threw nothing that can be read.';
  // What does not parse or cannot be linked has the wrong shape; what a module does while it is loaded is a run.
  const isShape = during === 'loading' && (name === 'SyntaxError' || line === undefined);
  const error = { code: code || (isShape ? 'invalid' : 'thrown'), message: text, ...place };
  return { ok: false, error, isShape };
}

/** What the engine itself threw: its own limits, or a fault that costs this run alone. */
function failureOfEngine(error: unknown): RunEnd {
  const message = error instanceof Error ? error.message : '';
  if (error instanceof RangeError) return failed('thrown', 'InternalError: stack overflow');
  if (/memory|allocat/i.test(message)) return failed('out_of_memory', OUT_OF_MEMORY);
  return failed(
    'sandbox_failed',
    'The sandbox broke while it ran this code. Change the code, then try again.',
  );
}
