/** One thread that checks values, started with the first of them: it is ended, and started anew, when a check takes too long. */
import { Worker } from 'node:worker_threads';
import type { JsonSchema } from '@parley/kit';
import { detach } from '@parley/kit';
import type { FromThread, ToThread } from './thread.ts';

/** How long each step may take. */
export interface CheckTimes {
  readonly startMs: number;
  readonly compileMs: number;
  readonly checkMs: number;
}

/** What a thread found: a fault in words, none, or a schema that is none. */
export type Found =
  | { readonly fault: string | undefined }
  | { readonly unusable: string }
  /** It took too much time or memory; undefined where it was only the start of the thread, or its end. */
  | { readonly tooMuch: 'check' | undefined };

interface Question {
  readonly digest: string;
  readonly schema: JsonSchema;
  readonly json: string;
}

interface Going {
  readonly question: Question;
  readonly settle: (found: Found) => void;
  timer: NodeJS.Timeout;
}

const THREAD_FILE = import.meta.url.endsWith('.ts') ? './thread.ts' : './schema-thread.js';
const HEAP_MB = 64;

/** Answers one question at a time; whoever uses it asks the next one after that. */
export class CheckingThread {
  readonly #times: CheckTimes;
  #worker: Worker | undefined;
  #isReady = false;
  #going: Going | undefined;

  constructor(times: CheckTimes) {
    this.#times = times;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  ask(question: Question): Promise<Found> {
    const { promise, resolve } = Promise.withResolvers<Found>();
    const settle = (found: Found) => {
      clearTimeout(this.#going?.timer);
      this.#going = undefined;
      resolve(found);
    };
    const { startMs, checkMs } = this.#times;
    const timer = this.#isReady ? this.#limit(checkMs, 'check') : this.#limit(startMs, undefined);
    this.#going = { question, settle, timer };
    const worker = (this.#worker ??= this.#start());
    if (this.#isReady) tell(worker, { type: 'check', digest: question.digest, json: question.json });
    return promise;
  }

  async close(): Promise<void> {
    await this.#end(undefined);
  }

  #start(): Worker {
    const worker = new Worker(new URL(THREAD_FILE, import.meta.url), {
      env: {},
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 16 },
    });
    // Nothing of it goes to the output of the server, and nothing waits for its end.
    worker.stdout.resume();
    worker.stderr.resume();
    worker.unref();
    worker.on('message', (message: FromThread) => {
      if (worker === this.#worker) this.#hear(worker, message);
    });
    const onEnd = () => {
      if (worker === this.#worker) this.#endLater(this.#isReady ? 'check' : undefined);
    };
    // Out of memory is the usual one; whatever it was, the next question starts another.
    worker.on('error', onEnd);
    worker.once('exit', onEnd);
    return worker;
  }

  #hear(worker: Worker, message: FromThread): void {
    if (message.type === 'ready') this.#isReady = true;
    const going = this.#going;
    if (going === undefined) return;
    const { digest, json, schema } = going.question;
    const { compileMs, checkMs } = this.#times;
    switch (message.type) {
      case 'ready':
        this.#restart(going, checkMs);
        tell(worker, { type: 'check', digest, json });
        return;
      case 'unknown':
        this.#restart(going, compileMs);
        tell(worker, { type: 'schema', schema });
        return;
      case 'compiled':
        this.#restart(going, checkMs);
        return;
      case 'unusable':
        going.settle({ unusable: message.why });
        return;
      case 'checked':
        going.settle({ fault: message.fault });
    }
  }

  #restart(going: Going, limitMs: number): void {
    clearTimeout(going.timer);
    going.timer = this.#limit(limitMs, 'check');
  }

  #limit(limitMs: number, tooMuch: 'check' | undefined): NodeJS.Timeout {
    const timer = setTimeout(() => {
      // When this process was busy, an answer that came in time has not been heard yet.
      setImmediate(() => {
        if (this.#going?.timer === timer) this.#endLater(tooMuch);
      });
    }, limitMs);
    return timer;
  }

  #endLater(tooMuch: 'check' | undefined): void {
    // It cannot fail: what the thread did until then is nobody's any more.
    detach(this.#end(tooMuch), () => undefined);
  }

  async #end(tooMuch: 'check' | undefined): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#isReady = false;
    this.#going?.settle({ tooMuch });
    await worker?.terminate();
  }
}

function tell(worker: Worker, message: ToThread): void {
  worker.postMessage(message);
}
