/** The thread that reads code, from outside: started by the first question, ended when nobody asks, or when a file is too much for it. */
import { Worker } from 'node:worker_threads';
import { detach, ToolError } from '@parley/kit';
import type {
  AnswerTo,
  CodeQuestion,
  CodeScope,
  CountsAnswer,
  CountsQuestion,
  FromThread,
  GivenUpFile,
  ReferencesAnswer,
  ReferencesQuestion,
  SymbolsAnswer,
  SymbolsQuestion,
  ThreadStart,
  ToThread,
} from './messages.ts';
import { newParsingNote, ParsingNote } from './parsing-note.ts';

const WORKER_FILE = import.meta.url.endsWith('.ts') ? './worker.ts' : './code-worker.js';
const HEAP_MB = 512;
// Text can make the parser go deep without brackets, too; so much is enough for the largest file that is read.
const STACK_MB = 512;
const WATCH_MS = 250;
const MOST_WAITING = 64;
const MOST_GIVEN_UP = 100;

/** A question without what this side knows by itself. */
type Asked<Question> = Question extends CodeQuestion
  ? Omit<Question, 'scope'> & { readonly scope: Omit<CodeScope, 'givenUp'> }
  : never;

/** How long things may take. */
export interface CodeTimes {
  readonly fileMs: number;
  readonly questionMs: number;
  readonly idleMs: number;
}

export const CODE_TIMES: CodeTimes = { fileMs: 5000, questionMs: 60_000, idleMs: 10 * 60_000 };

interface Open {
  readonly asked: Asked<CodeQuestion>;
  readonly deadline: number;
  resolve(answer: AnswerTo<CodeQuestion>): void;
  reject(error: unknown): void;
}

interface Thread {
  readonly worker: Worker;
  readonly note: ParsingNote;
}

export class CodeThread {
  readonly #times: CodeTimes;
  readonly #file: URL;
  readonly #open = new Map<number, Open>();
  readonly #givenUp = new Map<string, GivenUpFile[]>();
  #thread: Thread | undefined;
  #count = 0;
  #watch: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(times: CodeTimes = CODE_TIMES, file: URL = new URL(WORKER_FILE, import.meta.url)) {
    this.#times = times;
    this.#file = file;
  }

  ask(question: Asked<SymbolsQuestion>, signal: AbortSignal): Promise<SymbolsAnswer>;
  ask(question: Asked<ReferencesQuestion>, signal: AbortSignal): Promise<ReferencesAnswer>;
  ask(question: Asked<CountsQuestion>, signal: AbortSignal): Promise<CountsAnswer>;
  async ask(asked: Asked<CodeQuestion>, signal: AbortSignal): Promise<AnswerTo<CodeQuestion>> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new ToolError('unavailable', 'The server is stopping. Try again later.');
    if (this.#open.size >= MOST_WAITING)
      throw new ToolError('rate_limited', 'Too many questions about code wait. Try again in a moment.');
    this.#count += 1;
    const id = this.#count;
    const answered = Promise.withResolvers<AnswerTo<CodeQuestion>>();
    const leave = () => answered.reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    this.#open.set(id, { asked, deadline: Date.now() + this.#times.questionMs, ...answered });
    try {
      this.#send(id, asked);
      return await answered.promise;
    } finally {
      signal.removeEventListener('abort', leave);
      this.#open.delete(id);
      if (this.#open.size === 0) this.#rest();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    await this.#end(new ToolError('unavailable', 'The server is stopping. Try again later.'));
  }

  #send(id: number, asked: Asked<CodeQuestion>): void {
    clearTimeout(this.#idle);
    this.#watch ??= setInterval(() => this.#look(), WATCH_MS).unref();
    const { worker } = (this.#thread ??= this.#start());
    worker.ref();
    const givenUp = this.#givenUp.get(asked.scope.root) ?? [];
    const question: CodeQuestion = { ...asked, scope: { ...asked.scope, givenUp } };
    worker.postMessage({ id, question } satisfies ToThread);
  }

  #start(): Thread {
    const parsing = newParsingNote();
    const worker = new Worker(this.#file, {
      workerData: { parsing } satisfies ThreadStart,
      env: {},
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits: {
        maxOldGenerationSizeMb: HEAP_MB,
        maxYoungGenerationSizeMb: 32,
        stackSizeMb: STACK_MB,
      },
    });
    const thread = { worker, note: new ParsingNote(parsing) };
    let fault: unknown;
    worker.stdout.resume();
    worker.stderr.resume();
    worker.on('error', (error) => {
      fault = error;
    });
    worker.on('message', (message: FromThread) => {
      const open = this.#open.get(message.id);
      if ('answer' in message) open?.resolve(message.answer);
      else open?.reject(new ToolError('too_large', TOO_LARGE));
    });
    worker.once('exit', () => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      const isFull = fault instanceof Error && 'code' in fault && fault.code === 'ERR_WORKER_OUT_OF_MEMORY';
      this.#fail(
        isFull ? new ToolError('too_large', TOO_LARGE) : (fault ?? new Error('The thread of code ended.')),
      );
    });
    return thread;
  }

  /** Ends a thread that hangs over a file, and asks a new one to leave that file out. */
  #look(): void {
    const late = this.#thread?.note.lateSince(Date.now() - this.#times.fileMs);
    const isOver = [...this.#open.values()].some(({ deadline }) => deadline < Date.now());
    if (isOver || (late !== undefined && this.#givenUpCount() >= MOST_GIVEN_UP)) {
      // Those who wait are told; that the thread ends cannot fail.
      detach(this.#end(new ToolError('too_large', SLOW)), () => undefined);
      return;
    }
    if (late === undefined) return;
    // Which root it was: that of the question that came first.
    const [first] = this.#open.values();
    if (first === undefined) return;
    const { root } = first.asked.scope;
    this.#givenUp.set(root, [...(this.#givenUp.get(root) ?? []), late]);
    const hanging = this.#thread;
    this.#thread = undefined;
    // It cannot fail: what the thread did until then is asked for again.
    if (hanging !== undefined) detach(hanging.worker.terminate(), () => undefined);
    for (const [id, { asked }] of this.#open) this.#send(id, asked);
  }

  #givenUpCount(): number {
    return [...this.#givenUp.values()].reduce((sum, files) => sum + files.length, 0);
  }

  #fail(error: unknown): void {
    for (const { reject } of this.#open.values()) reject(error);
  }

  async #end(error: unknown): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    clearInterval(this.#watch);
    this.#watch = undefined;
    this.#fail(error);
    await thread?.worker.terminate();
  }

  /** Nobody waits: the thread keeps no program alive, and goes when nobody asks for long. */
  #rest(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
    this.#thread?.worker.unref();
    clearTimeout(this.#idle);
    if (this.#isClosed) return;
    this.#idle = setTimeout(() => {
      // It cannot fail, and nobody waits for the thread.
      detach(this.#end(new Error('Nobody asks.')), () => undefined);
    }, this.#times.idleMs).unref();
  }
}

const TOO_LARGE =
  'This project has more than 20000 files. Name a smaller one, or let .gitignore leave some out.';
const SLOW = 'Reading this project takes too long. Try again, or ask in a smaller project.';
