/** The program of one connection and principal: one process for all, started when it is needed and again after a crash. */
import { setTimeout as delay } from 'node:timers/promises';
import type { UpstreamTarget } from '@parley/connections';
import { detach } from '@parley/kit';
import type { Link, LinkNotice, LinkRequest, LinkWatch, ServerFacts, UpstreamFault } from '../link.ts';
import type { LinkOptions } from '../links.ts';
import type { Child } from './child.ts';
import { ended, outOfTime, unreachable } from './faults.ts';
import { openProgram } from './handshake.ts';
import { Restarts } from './restarts.ts';
import { RunningProgram } from './running-program.ts';
import type { ProgramTimes } from './times.ts';
import { Watches } from './watches.ts';
import type { Params } from './wire.ts';
import { Wire } from './wire.ts';

export interface SharedParts {
  readonly info: { readonly name: string; readonly version: string };
  readonly times: ProgramTimes;
  readonly now: () => number;
  readonly onFault: (error: unknown) => void;
  /** Told when the era was found out. */
  readonly onEra?: LinkOptions['onEra'];
  /** Starts a process when there is a place for it; throws an `UpstreamFault`. */
  start(target: UpstreamTarget): Promise<Child>;
  /** There is nothing left of it that anybody has to know. */
  onRest(program: SharedProgram): void;
}

// A program that ends whenever it is asked has failed, however quickly it starts again.
const MOST_TRIES = 3;

export class SharedProgram implements Link {
  readonly #parts: SharedParts;
  readonly #watches: Watches;
  readonly #children = new Set<Child>();
  readonly #closed = new AbortController();
  #target: UpstreamTarget;
  #fingerprint: string;
  /** Grows when the program becomes another one. */
  #generation = 0;
  #restarts: Restarts;
  /** Undefined: nothing but what its connection says is known of it. */
  #era: { readonly era: ServerFacts['era']; readonly untilMs: number } | undefined;
  #running: RunningProgram | undefined;
  #opening: Promise<RunningProgram> | undefined;
  #lastChild: Child | undefined;

  constructor(target: UpstreamTarget, parts: SharedParts) {
    this.#parts = parts;
    this.#target = target;
    this.#fingerprint = fingerprintOf(target);
    this.#restarts = new Restarts(parts.times, parts.now);
    this.#watches = new Watches({
      times: parts.times,
      closed: this.#closed.signal,
      onFault: parts.onFault,
      ready: () => this.#ready({}),
      current: () => this.#running,
    });
  }

  get connectionId(): string {
    return this.#target.id;
  }

  /** True: there is no process, and nobody waits for one. */
  get isQuiet(): boolean {
    return this.#watches.isEmpty && this.#opening === undefined && this.#running === undefined;
  }

  /** Since when its process has nothing to do; undefined: there is none, or it has. */
  get idleSince(): number | undefined {
    return this.#running?.idleSince;
  }

  /** The last of what it wrote for people. */
  stderr(): string {
    return this.#lastChild?.stderr.text() ?? '';
  }

  /** Follows the connection: another command, or other variables, are another process. */
  use(target: UpstreamTarget): void {
    if (target === this.#target) return;
    const fingerprint = fingerprintOf(target);
    this.#target = target;
    if (fingerprint === this.#fingerprint) return;
    this.#fingerprint = fingerprint;
    this.#generation += 1;
    this.#restarts = new Restarts(this.#parts.times, this.#parts.now);
    this.#era = undefined;
    this.#opening = undefined;
    const before = this.#running;
    this.#running = undefined;
    before?.retire();
    this.#watches.lost();
  }

  async facts(signal?: AbortSignal): Promise<ServerFacts> {
    return (await this.#ready({ signal })).facts;
  }

  async request(request: LinkRequest): Promise<Params> {
    const { signal, limitMs } = request;
    const deadline = performance.now() + limitMs;
    for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
      const running = await this.#ready({ signal, limitMs: Math.max(0, deadline - performance.now()) });
      const leftMs = deadline - performance.now();
      // Both may come at once in a busy process, and a request whose time is over must not run.
      if (leftMs <= 0) throw outOfTime({ wasSent: false });
      // It may have ended while others that waited for it had their turn.
      if (running.isOpen) return running.request(request, leftMs);
    }
    throw ended({ wasSent: false });
  }

  watch(on: (notice: LinkNotice) => void, uris?: ReadonlySet<string>): Promise<LinkWatch> {
    return this.#watches.add(on, uris);
  }

  /** Ends a process that has nothing to do. */
  async endIdle(): Promise<void> {
    const running = this.#running;
    if (running?.idleSince === undefined) return;
    this.#running = undefined;
    await running.end();
    if (this.isQuiet && this.#restarts.isClean) this.#parts.onRest(this);
  }

  /** Ends everything at once; calls under way get a fault. */
  async close(): Promise<void> {
    this.#closed.abort();
    this.#watches.clear();
    const running = this.#running;
    this.#running = undefined;
    await Promise.all([running?.end(), ...[...this.#children].map((child) => child.end(this.#parts.times))]);
  }

  /** The open program, within the patience of whoever waits. */
  async #ready({
    signal,
    limitMs,
  }: {
    signal?: AbortSignal | undefined;
    limitMs?: number;
  }): Promise<RunningProgram> {
    signal?.throwIfAborted();
    if (this.#closed.signal.aborted) throw switchedOff();
    if (this.#running?.isOpen === true) return this.#running;
    const opening = (this.#opening ??= this.#open());
    // Its fault is for those who wait; when all have gone, nobody has to know it.
    detach(opening, () => undefined);
    const gate = Promise.withResolvers<never>();
    const onAbort = () => gate.reject(signal?.aborted === true ? signal.reason : switchedOff());
    const stops = [this.#closed.signal, ...(signal === undefined ? [] : [signal])];
    for (const stop of stops) stop.addEventListener('abort', onAbort, { once: true });
    const timer =
      limitMs === undefined
        ? undefined
        : setTimeout(() => gate.reject(outOfTime({ wasSent: false })), limitMs);
    try {
      return await Promise.race([opening, gate.promise]);
    } finally {
      clearTimeout(timer);
      for (const stop of stops) stop.removeEventListener('abort', onAbort);
    }
  }

  async #open(): Promise<RunningProgram> {
    const generation = this.#generation;
    try {
      await this.#untilRestart();
      const running = await this.#start();
      // The connection has changed meanwhile, and whoever waits looks for the new one.
      if (generation !== this.#generation || this.#closed.signal.aborted)
        detach(running.end(), this.#parts.onFault);
      else this.#running = running;
      return running;
    } finally {
      if (generation === this.#generation) this.#opening = undefined;
    }
  }

  async #untilRestart(): Promise<void> {
    const waitMs = this.#restarts.waitMs();
    if (waitMs === 0) return;
    if (this.#restarts.areTooMany)
      throw unreachable(
        `The program crashed again and again. It is started again in ${Math.ceil(waitMs / 1000)} s.`,
        waitMs,
      );
    // Only the end of it all cuts the wait short, and the start that follows looks for that.
    await delay(waitMs, undefined, { signal: this.#closed.signal }).catch(() => undefined);
  }

  async #start(): Promise<RunningProgram> {
    const { info, times, now, onFault, onEra } = this.#parts;
    const target = this.#target;
    const restarts = this.#restarts;
    let hasStarted = false;
    const start = async () => {
      if (this.#closed.signal.aborted) throw switchedOff();
      const child = await this.#parts.start(target);
      hasStarted = true;
      this.#keep(child);
      if (this.#closed.signal.aborted) throw await endedFor(child, times);
      const { maxResultBytes, secrets } = target;
      return new Wire(child, { maxResultBytes, secrets, onFault });
    };
    const era = this.#believed(target);
    try {
      const opened = await openProgram({ start, era, info, times });
      // What was only believed is not found out by that, and ends when it would have ended.
      if (opened.facts.era !== era) {
        this.#era = { era: opened.facts.era, untilMs: now() + times.eraMs };
        onEra?.(target.id, opened.facts.era);
      }
      return this.#run(opened, restarts);
    } catch (error) {
      if (hasStarted) restarts.crashed();
      throw error;
    }
  }

  /** The era to begin with; null: to be found out. */
  #believed({ era, eraUntil }: UpstreamTarget): ServerFacts['era'] | null {
    const { now, times } = this.#parts;
    if (this.#era === undefined && era !== null) {
      const leftMs = eraUntil === undefined ? times.eraMs : eraUntil - Date.now();
      this.#era = { era, untilMs: now() + Math.min(leftMs, times.eraMs) };
    }
    return this.#era !== undefined && now() < this.#era.untilMs ? this.#era.era : null;
  }

  #run(opened: Awaited<ReturnType<typeof openProgram>>, restarts: Restarts): RunningProgram {
    const { info, times, onFault } = this.#parts;
    const running: RunningProgram = new RunningProgram(opened, {
      info,
      times,
      onFault,
      tell: (notice) => this.#watches.tell(notice),
      onLost: () => this.#watches.lost(),
      onIdle: () => detach(this.endIdle(), onFault),
      onCrash: (wasBusy) => {
        if (wasBusy) restarts.crashed();
        else detach(this.#judge(opened.wire.child, restarts), onFault);
        if (this.#running !== running) return;
        this.#running = undefined;
        this.#watches.lost();
      },
    });
    return running;
  }

  /** A program that ends of its own accord, in order and with nothing to do, has not crashed. */
  async #judge({ gone }: Child, restarts: Restarts): Promise<void> {
    const { code } = await gone;
    if (code !== 0) restarts.crashed();
  }

  #keep(child: Child): void {
    this.#lastChild = child;
    this.#children.add(child);
    detach(
      child.gone.then(() => this.#children.delete(child)),
      this.#parts.onFault,
    );
  }
}

function switchedOff(): UpstreamFault {
  return unreachable('The connection was changed or switched off. Try again.');
}

/** Whoever closed it meanwhile knew nothing of this process. */
async function endedFor(child: Child, times: ProgramTimes): Promise<UpstreamFault> {
  await child.end(times);
  return switchedOff();
}

function fingerprintOf({ program, maxResultBytes }: UpstreamTarget): string {
  return JSON.stringify([program, maxResultBytes]);
}
