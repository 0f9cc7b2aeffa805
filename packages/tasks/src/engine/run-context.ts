/** The inside of a running task: steps that run once, sleeps that survive, questions that park. */
import type {
  Channel,
  ClientCapabilities,
  InputRequest,
  InputResponse,
  LogLevel,
  StepOptions,
} from '@parley/kit';
import { detach, isSupported, Leave, ToolError } from '@parley/kit';
import { toJson } from '@parley/store';
import type { TaskLimits } from '../limits.ts';
import type { Asking, Journal, StepOutcome } from './journal.ts';
import { inputPlace, stepPlace } from './journal.ts';
import { attemptStep, STEP_FAILED } from './retry.ts';
import type { Sleeper } from './sleeper.ts';

/** A task that cannot go on: its code changed under it, breaks the rules of steps, or has a step that keeps failing. */
export class RunFault extends Error {
  override readonly name = 'RunFault';
}

/** What a run is given from outside. */
export interface RunOptions {
  readonly taskId: string;
  readonly capabilities: ClientCapabilities;
  readonly journal: Journal;
  readonly limits: TaskLimits;
  readonly sleeper: Sleeper;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** The progress that earlier runs have told. */
  readonly reported: number | null;
  onProgress(done: number, total: number | null, message: string | null): void;
  onFault(error: unknown, where: string): void;
}

type WaitingStep = Parameters<Journal['writeStep']>[0];

/** The place of a call that was made beside another one: their order may differ from run to run. */
const NO_PLACE = -1;

/** The channel of a tool that runs as a task. */
export class RunContext implements Channel {
  readonly capabilities: ClientCapabilities;
  readonly asks: Asking[] = [];
  readonly waiting = new Set<WaitingStep>();
  readonly #options: RunOptions;
  readonly #used = new Set<string>();
  readonly #working = new Set<Promise<unknown>>();
  #openCalls = 0;
  #hasForked = false;
  #isClosed = false;
  #position = 0;
  #reported: number;

  constructor(options: RunOptions) {
    this.#options = options;
    this.capabilities = options.capabilities;
    this.#reported = options.reported ?? -Infinity;
  }

  /** When the task must be looked at again: the first sleep or retry that ends, or the last moment for an answer. */
  get dueAt(): number {
    const times = [
      ...[...this.waiting].map(({ due_at }) => due_at ?? 0),
      ...this.asks.map(({ expiresAt }) => expiresAt),
    ];
    return Math.min(...times);
  }

  /** True when there is something that brings a left run back. */
  get hasReasonToLeave(): boolean {
    return this.asks.length > 0 || this.waiting.size > 0;
  }

  request(name: string, request: InputRequest): Promise<InputResponse> {
    const key = this.#inputKey(name);
    const { journal } = this.#options;
    return this.#call(inputPlace(key), journal.inputs.get(key)?.position, (position) =>
      this.#ask(name, key, position, request),
    );
  }

  step<T>(key: string, work: () => Promise<T> | T, options: StepOptions = {}): Promise<T> {
    const known = this.#options.journal.steps.get(key);
    return this.#call(stepPlace(key), known?.position, (position) => {
      const done = this.#step(key, position, work, options);
      this.#working.add(done);
      const forget = () => this.#working.delete(done);
      detach(done.then(forget), forget);
      return done;
    });
  }

  sleep(key: string, until: number | Date): Promise<void> {
    const known = this.#options.journal.steps.get(key);
    return this.#call(stepPlace(key), known?.position, (position) => this.#sleep(key, position, until));
  }

  /** Throws when somebody else has the task now: for work whose effects are outside of the store. */
  hold(): Promise<void> {
    return this.#options.journal.hold();
  }

  async progress(done: number, total?: number, message?: string): Promise<void> {
    // A run that is entered again passes what it has already told.
    if (this.#isClosed || done <= this.#reported) return;
    this.#reported = done;
    this.#options.onProgress(done, total ?? null, message ?? null);
  }

  async log(_level: LogLevel, _data: unknown): Promise<void> {
    // A task has no request whose stream could carry a log line.
  }

  /** Resolves when nothing but sleeps and questions is under way. */
  async quiet(): Promise<void> {
    for (;;) {
      // Questions asked side by side are all registered before the run is left.
      await new Promise(setImmediate);
      if (this.#working.size === 0) return;
      await Promise.allSettled(this.#working);
    }
  }

  /** Ends the run for code that has not noticed yet. */
  close(): void {
    this.#isClosed = true;
  }

  async #ask(name: string, key: string, position: number, request: InputRequest): Promise<InputResponse> {
    const { journal, limits, now } = this.#options;
    const known = journal.inputs.get(key);
    const isLate = known !== undefined && known.expires_at <= now();
    const response = journal.responseTo(key) ?? (isLate ? await journal.expire(key) : undefined);
    if (response !== undefined) {
      if (!('timedOut' in response)) return response;
      throw new ToolError('declined', `Nobody answered "${name}" in time.`, { reason: 'timeout' });
    }
    if (!isSupported(this.capabilities, request.method)) {
      const message = `The client of this task cannot answer "${name}" (${request.method}).`;
      throw new ToolError('declined', message, { reason: 'unsupported' });
    }
    this.asks.push({ key, position, request, expiresAt: known?.expires_at ?? now() + limits.answerMs });
    throw new Leave();
  }

  async #step<T>(
    key: string,
    position: number,
    work: () => Promise<T> | T,
    options: StepOptions,
  ): Promise<T> {
    const { journal, limits, signal, now, onFault } = this.#options;
    const known = journal.steps.get(key);
    const stored = journal.outcomeOf(key);
    // The journal holds what this very step returned before.
    if (stored !== undefined) return unpack(stored) as T;
    signal.throwIfAborted();
    if (known !== undefined && (known.due_at ?? 0) > now()) return this.#wait(known);
    const attempts = (known?.attempts ?? 0) + 1;
    const row = { step_key: key, position, kind: 'step' as const, attempts };
    await journal.keep();
    signal.throwIfAborted();
    const used = this.#used.size;
    const ended = await journal.outlast(
      () => attemptStep(work, { ...options, key, attempts, signal, now, onFault }),
      // Steps within it are known to this run; only another run can pass them again.
      () => this.#used.size === used,
    );
    if ('retryAt' in ended) return this.#wait({ ...row, outcome: null, due_at: ended.retryAt });
    const outcome = toJson(ended);
    if (Buffer.byteLength(outcome) > limits.stepBytes) {
      throw new RunFault(`Step "${key}" returned more than ${limits.stepBytes} bytes.`);
    }
    await journal.writeStep({ ...row, outcome, due_at: null });
    return unpack(ended) as T; // just returned by the work itself
  }

  async #sleep(key: string, position: number, until: number | Date): Promise<void> {
    const { journal, limits, sleeper, signal, now } = this.#options;
    const known = journal.steps.get(key);
    const wanted = typeof until === 'number' ? now() + until : until.getTime();
    const dueAt = known?.due_at ?? Math.ceil(wanted);
    if (dueAt <= now()) return;
    const row = {
      step_key: key,
      position,
      kind: 'sleep' as const,
      outcome: null,
      attempts: 1,
      due_at: dueAt,
    };
    if (dueAt - now() > limits.heldSleepMs) return this.#wait(row);
    // Left beside a question, the task must still come back for the end of this sleep.
    this.waiting.add(row);
    if (known === undefined) await journal.writeStep(row);
    await sleeper.sleep(dueAt - now(), signal);
    this.waiting.delete(row);
  }

  #wait(row: WaitingStep): never {
    this.waiting.add(row);
    throw new Leave();
  }

  /** A key that no other question of this run has: the tool's own name, with a counter when it comes again. */
  #inputKey(name: string): string {
    let key = name;
    for (let count = 2; this.#used.has(inputPlace(key)); count += 1) key = `${name}#${count}`;
    return key;
  }

  async #call<T>(
    place: string,
    known: number | undefined,
    work: (position: number) => Promise<T>,
  ): Promise<T> {
    if (this.#isClosed) throw new Leave();
    const position = this.#place(place, known);
    this.#openCalls += 1;
    try {
      return await work(position);
    } finally {
      this.#openCalls -= 1;
    }
  }

  /** Counts the calls of a run and compares them with the history: same key, same place. */
  #place(place: string, known: number | undefined): number {
    const { journal, limits } = this.#options;
    if (this.#used.has(place)) throw new RunFault(`The key of ${place} is used twice in one task.`);
    this.#used.add(place);
    if (this.#used.size > limits.steps) {
      throw new RunFault(`A task may have at most ${limits.steps} steps (reached at ${place}).`);
    }
    if (this.#openCalls > 0) this.#hasForked = true;
    if (this.#hasForked) return NO_PLACE;
    const position = this.#position;
    this.#position += 1;
    const before = journal.placeAt(position);
    const hasMoved = known !== undefined && known !== NO_PLACE && known !== position;
    if (hasMoved || (before !== undefined && before !== place)) {
      throw new RunFault(
        `The order of steps has changed at ${place}; the task was started with other code. Start it again.`,
      );
    }
    return position;
  }
}

function unpack(outcome: StepOutcome): unknown {
  if ('value' in outcome) return outcome.value;
  const { code, message, data } = outcome.error;
  throw code === STEP_FAILED ? new RunFault(message) : new ToolError(code, message, data);
}
