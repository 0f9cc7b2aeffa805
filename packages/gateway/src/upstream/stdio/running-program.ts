/** A program after its handshake: calls in the words of its era, what it says meanwhile, and when nobody needs it. */
import { detach } from '@parley/kit';
import type { LogLevel } from '@parley/kit';
import { isObject } from '../../messages.ts';
import type { LinkNotice, LinkRequest, ServerFacts } from '../link.ts';
import { UpstreamFault } from '../link.ts';
import type { Opened } from './handshake.ts';
import { envelope } from './handshake.ts';
import type { Listening } from './listening.ts';
import { createListening, isListNotice } from './listening.ts';
import { Questions } from './questions.ts';
import type { ProgramTimes } from './times.ts';
import type { Params, Wire } from './wire.ts';

export interface RunningParts {
  readonly info: { readonly name: string; readonly version: string };
  readonly times: ProgramTimes;
  tell(notice: LinkNotice): void;
  /** Nobody hears any more what was listened to, though the program runs. */
  onLost(): void;
  /** It has ended though nobody asked it to; `wasBusy`: in the middle of calls. */
  onCrash(wasBusy: boolean): void;
  /** It has had nothing to do for a long time. */
  onIdle(): void;
  readonly onFault: (error: unknown) => void;
}

const LEVELS: readonly LogLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

export class RunningProgram {
  readonly facts: ServerFacts;
  readonly wire: Wire;
  readonly #parts: RunningParts;
  readonly #questions: Questions;
  readonly #listening: Listening;
  #isListening = false;
  #idleTimer: NodeJS.Timeout | undefined;
  #idleSince: number | undefined;
  /** The mildest level that a 2025 program was asked for. */
  #level = LEVELS.length;
  #isRetired = false;
  #isEnding = false;

  constructor(opened: Opened, parts: RunningParts) {
    const { wire, facts } = opened;
    this.wire = wire;
    this.facts = facts;
    this.#parts = parts;
    this.#questions = new Questions(opened, parts.onFault);
    const { tell, onLost, onFault } = parts;
    this.#listening = createListening({
      wire,
      facts,
      meta: envelope(parts.info, {}),
      limitMs: parts.times.handshakeMs,
      tell,
      onLost,
      onFault,
    });
    wire.listen({
      onRequest: (id, method, params) => this.#questions.take(id, method, params),
      onNotice: (method, params) => this.#notice(method, params),
      onEnd: () => this.#ended(),
    });
    this.#rest();
  }

  get isOpen(): boolean {
    return this.wire.isOpen && !this.#isEnding;
  }

  /** Since when it has nothing to do; undefined: it has. On the clock of `performance.now()`. */
  get idleSince(): number | undefined {
    return this.#idleSince;
  }

  /** Sends a call and waits for its result. */
  async request(request: LinkRequest, limitMs: number): Promise<Params> {
    const sentAt = performance.now();
    this.#work();
    try {
      if (request.log !== undefined) this.#askForLogs(request.log.level);
      const { method, signal } = request;
      return await this.wire.request(method, this.#paramsOf(request), { limitMs, signal, call: request });
    } catch (error) {
      const isLate = error instanceof UpstreamFault && error.kind === 'timeout';
      if (isLate && this.wire.heardAt < sentAt) detach(this.#endIfDead(), this.#parts.onFault);
      throw error;
    } finally {
      this.#rest();
    }
  }

  /** Listens for changes of lists and of these documents; undefined: for nothing. */
  async listen(uris: ReadonlySet<string> | undefined): Promise<void> {
    if (uris === undefined && !this.#isListening) return;
    this.#isListening = uris !== undefined;
    this.#work();
    try {
      await this.#listening.set(uris);
    } finally {
      this.#rest();
    }
  }

  /** Gets no more calls, and ends with the last one that it has. */
  retire(): void {
    this.#isRetired = true;
    this.#rest();
  }

  end(): Promise<void> {
    this.#isEnding = true;
    clearTimeout(this.#idleTimer);
    this.#idleSince = undefined;
    this.wire.close();
    return this.wire.child.end(this.#parts.times);
  }

  #work(): void {
    this.#idleSince = undefined;
    clearTimeout(this.#idleTimer);
  }

  #rest(): void {
    if (this.#isEnding || !this.wire.isOpen || this.wire.flights.size > 0) return;
    if (this.#isRetired) return detach(this.end(), this.#parts.onFault);
    if (this.#isListening) return;
    this.#idleSince = performance.now();
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.#parts.onIdle(), this.#parts.times.idleMs).unref();
  }

  #ended(): void {
    clearTimeout(this.#idleTimer);
    this.#idleSince = undefined;
    if (this.#isEnding) return;
    const wasBusy = this.wire.flights.size > 0;
    // It may still run without saying anything.
    detach(this.end(), this.#parts.onFault);
    this.#parts.onCrash(wasBusy);
  }

  /** A program that hangs is ended, unless it may be at work on something long. */
  async #endIfDead(): Promise<void> {
    const askedAt = performance.now();
    const { info, times } = this.#parts;
    const isModern = this.facts.era === 'modern';
    const params = isModern ? { _meta: envelope(info, {}) } : {};
    const options = { limitMs: times.signOfLifeMs, isSilent: true };
    // Any answer is a sign of life, and so is any other word; that there was none is seen below.
    await this.wire.request(isModern ? 'server/discover' : 'ping', params, options).catch(() => undefined);
    if (this.wire.heardAt >= askedAt || this.wire.flights.size > 0 || !this.isOpen) return;
    this.#ended();
  }

  #paramsOf({ params, capabilities, log, traceparent }: LinkRequest): Params {
    const isModern = this.facts.era === 'modern';
    const meta = {
      ...(isObject(params._meta) && params._meta),
      // One that the client chose may be another client's too; the wire adds one of its own where it is wanted.
      progressToken: undefined,
      ...(traceparent !== undefined && { traceparent }),
      ...(isModern && envelope(this.#parts.info, capabilities)),
      ...(isModern && log !== undefined && { 'io.modelcontextprotocol/logLevel': log.level }),
    };
    const isEmpty = Object.values(meta).every((value) => value === undefined);
    return { ...params, _meta: isEmpty ? undefined : meta };
  }

  /** A 2025 program has one level for all; each call gets of it what it asked for. */
  #askForLogs(level: LogLevel): void {
    const rank = LEVELS.indexOf(level);
    if (this.facts.era === 'modern' || !isObject(this.facts.capabilities.logging) || rank >= this.#level)
      return;
    this.#level = rank;
    const options = { limitMs: this.#parts.times.handshakeMs };
    // Without it there are fewer messages, and nothing else changes.
    detach(this.wire.request('logging/setLevel', { level }, options), () => undefined);
  }

  #notice(method: string, params: Params): void {
    if (this.facts.era === 'legacy' && isListNotice(method)) this.wire.flights.tellLists();
    if (this.#listening.take(method, params)) return;
    if (method === 'notifications/progress') this.#progress(params);
    else if (method === 'notifications/message') this.#log(params);
    else if (method === 'notifications/cancelled') this.#questions.cancel(params.requestId);
  }

  #progress({ progressToken, progress, total, message }: Params): void {
    if (typeof progressToken !== 'number' || typeof progress !== 'number') return;
    const call = this.wire.flights.get(progressToken)?.call;
    call?.onProgress?.(
      progress,
      typeof total === 'number' ? total : undefined,
      typeof message === 'string' ? message : undefined,
    );
  }

  /** Messages name no call: they go to the newest that asked for such, where no other principal could be meant. */
  #log({ level, data, logger }: Params): void {
    const rank = LEVELS.findIndex((known) => known === level);
    const known = LEVELS[rank];
    if (known === undefined) return;
    const flight = this.wire.flights.newest(
      ({ log }) => log !== undefined && LEVELS.indexOf(log.level) <= rank,
    );
    flight?.call.log?.on(known, data, typeof logger === 'string' ? logger : undefined);
  }
}
