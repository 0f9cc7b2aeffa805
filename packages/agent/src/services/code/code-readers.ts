/** Who reads code for whom: each root that is asked about has a process of its own, few at a time, the first question first. */
import { detach, ToolError } from '@parley/kit';
import type { CodeLimits } from './code-process.ts';
import { CODE_PROGRAM, CodeProcess } from './code-process.ts';
import { GivenUp } from './given-up.ts';
import type {
  AnswerTo,
  CodeQuestion,
  CodeScope,
  CountsAnswer,
  CountsQuestion,
  ReferencesAnswer,
  ReferencesQuestion,
  SymbolsAnswer,
  SymbolsQuestion,
} from './messages.ts';

const MOST_PROCESSES = 4;
const MOST_WAITING = 64;
const MOST_WAITING_OF_ROOT = 16;

export const CODE_LIMITS: CodeLimits = {
  fileMs: 5000,
  questionMs: 60_000,
  idleMs: 10 * 60_000,
  residentBytes: 700 * 1024 * 1024,
};

/** A question without what this side knows by itself. */
type Asked<Question> = Question extends CodeQuestion
  ? Omit<Question, 'scope'> & { readonly scope: Omit<CodeScope, 'givenUp'> }
  : never;

/** A question that somebody waits for. */
interface Open {
  readonly asked: Asked<CodeQuestion>;
  readonly timer: NodeJS.Timeout;
  /** Undefined: it waits for its turn. */
  reader: Reader | undefined;
  resolve(answer: AnswerTo<CodeQuestion>): void;
  reject(error: unknown): void;
}

interface Reader {
  readonly root: string;
  process: CodeProcess | undefined;
  /** What it works on; nobody may wait for it any more. */
  open: Open | undefined;
  idle: NodeJS.Timeout | undefined;
}

export class CodeReaders {
  readonly #limits: CodeLimits;
  readonly #program: URL;
  // In the order in which they were asked.
  readonly #open = new Set<Open>();
  // The root that was asked about last goes last.
  readonly #readers = new Map<string, Reader>();
  readonly #processes = new Set<CodeProcess>();
  readonly #givenUp = new GivenUp();
  #isClosed = false;

  constructor(limits: CodeLimits = CODE_LIMITS, program: URL = CODE_PROGRAM) {
    this.#limits = limits;
    this.#program = program;
  }

  ask(question: Asked<SymbolsQuestion>, signal: AbortSignal): Promise<SymbolsAnswer>;
  ask(question: Asked<ReferencesQuestion>, signal: AbortSignal): Promise<ReferencesAnswer>;
  ask(question: Asked<CountsQuestion>, signal: AbortSignal): Promise<CountsAnswer>;
  async ask(asked: Asked<CodeQuestion>, signal: AbortSignal): Promise<AnswerTo<CodeQuestion>> {
    signal.throwIfAborted();
    if (this.#isClosed) throw stopping();
    this.#refuseTooMany(asked.scope.root);
    const answered = Promise.withResolvers<AnswerTo<CodeQuestion>>();
    const leave = () => answered.reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    const timer = setTimeout(() => this.#over(open), this.#limits.questionMs);
    const open: Open = { asked, timer, reader: undefined, ...answered };
    this.#open.add(open);
    this.#assign();
    try {
      return await answered.promise;
    } finally {
      signal.removeEventListener('abort', leave);
      this.#open.delete(open);
      // What has begun goes on in its time, so that the next question finds what was read.
      if (open.reader === undefined) clearTimeout(timer);
      this.#assign();
    }
  }

  /** Returns when no process is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#open) reject(stopping());
    for (const reader of this.#readers.values()) this.#end(reader);
    for (const each of this.#processes) each.kill();
    await Promise.all([...this.#processes].map(({ gone }) => gone));
  }

  #refuseTooMany(root: string): void {
    const ofRoot = [...this.#open].filter(({ asked }) => asked.scope.root === root);
    if (this.#open.size >= MOST_WAITING || ofRoot.length >= MOST_WAITING_OF_ROOT)
      throw new ToolError('rate_limited', 'Too many questions about code wait. Try again in a moment.');
  }

  /** Gives every question a reader that can have one. */
  #assign(): void {
    if (this.#isClosed) return;
    for (const open of this.#open) {
      const reader = open.reader === undefined ? this.#readerFor(open.asked.scope.root) : undefined;
      if (reader === undefined) continue;
      clearTimeout(reader.idle);
      reader.open = open;
      open.reader = reader;
      detach(
        this.#work(reader, open).finally(() => this.#rest(reader, open)),
        open.reject,
      );
    }
  }

  #readerFor(root: string): Reader | undefined {
    const known = this.#readers.get(root);
    if (known?.open !== undefined) return undefined;
    if (known === undefined && this.#readers.size >= MOST_PROCESSES && !this.#makeRoom()) return undefined;
    const reader = known ?? { root, process: undefined, open: undefined, idle: undefined };
    this.#readers.delete(root);
    this.#readers.set(root, reader);
    return reader;
  }

  /** Ends the process that nobody waits for since the longest time. */
  #makeRoom(): boolean {
    for (const reader of this.#readers.values()) {
      if (reader.open !== undefined && this.#open.has(reader.open)) continue;
      this.#end(reader);
      return true;
    }
    return false;
  }

  /** Answers a question; a file that ends the process is left out, and the question is asked again. */
  async #work(reader: Reader, open: Open): Promise<void> {
    const { root } = reader;
    for (;;) {
      const known = reader.process?.isGone === false ? reader.process : undefined;
      const current = known ?? this.#start(root);
      reader.process = current;
      const { asked } = open;
      const question: CodeQuestion = {
        ...asked,
        scope: { ...asked.scope, givenUp: this.#givenUp.of(root) },
      };
      const outcome = await current.ask(question);
      switch (outcome.type) {
        case 'answer':
          return open.resolve(outcome.answer);
        case 'too_large':
          return open.reject(new ToolError('too_large', TOO_MANY));
        case 'file':
          if (!this.#givenUp.add(root, outcome.file)) return open.reject(new ToolError('too_large', SLOW));
          break;
        default:
          // One that has answered before may have ended for something else.
          if (known === undefined) return open.reject(ended(outcome.type));
      }
      if (!this.#open.has(open)) return;
    }
  }

  #start(root: string): CodeProcess {
    const started = new CodeProcess(root, this.#limits, this.#program);
    this.#processes.add(started);
    const forget = async () => {
      await started.gone;
      this.#processes.delete(started);
    };
    // It cannot fail: a process is gone some day.
    detach(forget(), () => undefined);
    return started;
  }

  /** A question is over: its process waits for the next one, but not for long. */
  #rest(reader: Reader, open: Open): void {
    clearTimeout(open.timer);
    reader.open = undefined;
    if (this.#readers.get(reader.root) === reader) {
      if (reader.process?.isGone !== false) this.#readers.delete(reader.root);
      else reader.idle = setTimeout(() => this.#end(reader), this.#limits.idleMs).unref();
    }
    this.#assign();
  }

  #over(open: Open): void {
    open.reject(new ToolError('too_large', SLOW));
    open.reader?.process?.kill();
  }

  #end(reader: Reader): void {
    clearTimeout(reader.idle);
    this.#readers.delete(reader.root);
    reader.process?.kill();
  }
}

function stopping(): ToolError {
  return new ToolError('unavailable', 'The server is stopping. Try again later.');
}

function ended(how: 'full' | 'ended'): Error {
  return how === 'full'
    ? new ToolError('too_large', TOO_MUCH)
    : new Error('The process that reads code ended.');
}

const TOO_MANY =
  'This project has more than 20000 files. Name a smaller one, or let .gitignore leave some out.';
const TOO_MUCH = 'This project has too much code. Name a smaller one, or let .gitignore leave some out.';
const SLOW = 'Reading this project takes too long. Try again, or ask in a smaller project.';
