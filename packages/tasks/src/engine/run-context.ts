/** The inside of a running task: steps that run once, sleeps that survive, questions that park. */
import type {
  ClientCapabilities,
  InputRequest,
  InputResponse,
  Interaction,
  LogLevel,
  StepOptions,
} from '@parley/kit';
import { isSupported, Leave, ToolError } from '@parley/kit';
import { toJson } from '@parley/store';
import type { TaskLimits } from '../limits.ts';
import type { Asking, Journal, StepOutcome } from './journal.ts';
import { attemptStep } from './retry.ts';
import type { Sleeper } from './sleeper.ts';

/** A task that was written against another history than it has: its code changed under it. */
export class OrderFault extends Error {
  override readonly name = 'OrderFault';
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
}

type WaitingStep = Parameters<Journal['writeStep']>[0];

/** The interaction of a tool that runs as a task. */
export class RunContext implements Interaction {
  readonly capabilities: ClientCapabilities;
  readonly asks: Asking[] = [];
  readonly waiting: WaitingStep[] = [];
  readonly #options: RunOptions;
  readonly #used = new Set<string>();
  readonly #asked = new Map<string, number>();
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
      ...this.waiting.map(({ due_at }) => due_at ?? 0),
      ...this.asks.map(({ expiresAt }) => expiresAt),
    ];
    return Math.min(...times);
  }

  async request(name: string, request: InputRequest): Promise<InputResponse> {
    const count = (this.#asked.get(name) ?? 0) + 1;
    this.#asked.set(name, count);
    const key = count === 1 ? name : `${name}#${count}`;
    const position = this.#next(key, this.#options.journal.inputs.get(key)?.position);
    const { journal, limits, now } = this.#options;
    const response = journal.responseTo(key);
    if (response !== undefined) return response;
    if (!isSupported(this.capabilities, request.method)) {
      throw new ToolError(
        'declined',
        `The client of this task cannot answer "${name}" (${request.method}).`,
        {
          reason: 'unsupported',
        },
      );
    }
    const expiresAt = journal.inputs.get(key)?.expires_at ?? now() + limits.answerMs;
    if (expiresAt <= now()) {
      throw new ToolError('declined', `Nobody answered "${name}" in time.`, { reason: 'timeout' });
    }
    this.asks.push({ key, position, request, expiresAt });
    throw new Leave();
  }

  async step<T>(key: string, work: () => Promise<T> | T, options: StepOptions = {}): Promise<T> {
    const { journal, limits, signal, now } = this.#options;
    const known = journal.steps.get(key);
    const position = this.#next(key, known?.position);
    const stored = journal.outcomeOf(key);
    // The journal holds what this very step returned before.
    if (stored !== undefined) return unpack(stored) as T;
    signal.throwIfAborted();
    if (known?.due_at != null && known.due_at > now()) return this.#wait(known);
    const attempts = (known?.attempts ?? 0) + 1;
    const row = { step_key: key, position, kind: 'step' as const, attempts };
    const ended = await attemptStep(work, { ...options, attempts, signal, now: now() });
    if ('retryAt' in ended) return this.#wait({ ...row, outcome: null, due_at: ended.retryAt });
    const outcome = toJson(ended);
    if (outcome.length > limits.stepBytes) {
      throw new OrderFault(`Step "${key}" returned more than ${limits.stepBytes} bytes.`);
    }
    await journal.writeStep({ ...row, outcome, due_at: null });
    return unpack(ended) as T; // just returned by the work itself
  }

  async sleep(key: string, until: number | Date): Promise<void> {
    const { journal, limits, sleeper, signal, now } = this.#options;
    const known = journal.steps.get(key);
    const position = this.#next(key, known?.position);
    const dueAt = known?.due_at ?? (typeof until === 'number' ? now() + until : until.getTime());
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
    if (known === undefined) await journal.writeStep(row);
    await sleeper.until(dueAt, signal);
  }

  async progress(done: number, total?: number, message?: string): Promise<void> {
    // A run that is entered again passes what it has already told.
    if (done <= this.#reported) return;
    this.#reported = done;
    this.#options.onProgress(done, total ?? null, message ?? null);
  }

  async log(_level: LogLevel, _data: unknown): Promise<void> {
    // A task has no request whose stream could carry a log line.
  }

  #wait(row: WaitingStep): never {
    this.waiting.push(row);
    throw new Leave();
  }

  /** Counts the calls of a run and compares them with the history: same key, same place. */
  #next(key: string, known: number | undefined): number {
    const position = this.#position;
    this.#position += 1;
    if (this.#used.has(key)) throw new OrderFault(`The key "${key}" is used twice in one task.`);
    this.#used.add(key);
    if (known !== undefined && known !== position) {
      throw new OrderFault(
        `The key "${key}" comes at another place than before; the code of the task has changed.`,
      );
    }
    if (position >= this.#options.limits.steps) {
      throw new OrderFault(
        `A task may have at most ${this.#options.limits.steps} steps (reached at "${key}").`,
      );
    }
    return position;
  }
}

function unpack(outcome: StepOutcome): unknown {
  if ('value' in outcome) return outcome.value;
  throw new ToolError(outcome.error.code, outcome.error.message, outcome.error.data);
}
