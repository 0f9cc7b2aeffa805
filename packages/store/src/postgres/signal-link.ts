/** Signals between processes on PostgreSQL: one connection that listens, and tells others what was committed. */
import type { Client, QueryResultRow } from 'pg';
import { detach } from '../detach.ts';
import type { EngineOptions } from '../engine.ts';
import type { SignalEvent, SignalLink } from '../signals/change-signal.ts';
import { LONGEST_PAUSE_MS } from '../signals/change-signal.ts';
import { PostgresPresence } from './presence.ts';
import { SignalOutbox } from './signal-outbox.ts';

const CHANNEL = 'parley_signal';
/** Told by a process that ends in good order: nothing of it is missing. */
const LEFT = 'parley.left';
const FIRST_RETRY_MS = 100;
/** Well within the grace of presence. */
const LONGEST_RETRY_MS = 2_000;
/** With the time for an answer: sooner than the server gives up a peer that is silent, so that a process knows before others do. */
const HEARTBEAT_EVERY_MS = 4_000;
/** Nothing listens there, or it says that it is starting or stopping: so it is for everybody. */
const AWAY_CODES = new Set(['ECONNREFUSED', 'ENOENT', '57P01', '57P02', '57P03']);
const BEAT_EVERY_MS = 250;
/** What is committed within this time is told in one statement. */
const TELL_EVERY_MS = 4;
const TELL_SQL = `select pg_notify('${CHANNEL}', message) from unnest($1::text[]) as message`;
const CLOCK_SQL = 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms';
/** The quickest of so many answers says what time it is. */
const CLOCK_LOOKS = 3;

/** How the link connects. */
export interface PostgresSignalOptions extends Pick<EngineOptions, 'origin' | 'onError'> {
  /** Whether a connection is one session of the server; behind a pooler it is not. */
  readonly isDirect: boolean;
  readonly createClient: () => Client;
}

/** The link of one database. */
export class PostgresSignalLink implements SignalLink {
  readonly presence: PostgresPresence;
  readonly #options: PostgresSignalOptions;
  readonly #outbox: SignalOutbox;
  #tellTimer: NodeJS.Timeout | undefined;
  #telling: Promise<boolean> | undefined;
  #toldMs = -Infinity;
  #client: Client | undefined;
  #deliver: ((event: SignalEvent) => void) | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #beat: NodeJS.Timeout | undefined;
  #beatMs = 0;
  /** The same by the clock on the wall, which goes on while a machine sleeps. */
  #beatAt = 0;
  /** True from a pause of the whole process until the server has answered, and so all that it had sent before is read. */
  #isBehind = false;
  #retryMs = FIRST_RETRY_MS;
  /** From the clock of this process, which nobody sets, to the clock of the database. */
  #offsetMs = Date.now() - performance.now();
  #isClosed = false;
  #losses = 0;
  /** The driver takes one question at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: PostgresSignalOptions) {
    this.#options = options;
    this.#outbox = new SignalOutbox(options.origin);
    this.presence = new PostgresPresence(options.origin, {
      isKept: options.isDirect,
      ask: (sql, parameters) => this.#ask(sql, parameters),
    });
  }

  /** Connects and listens; signals count from the moment this resolves. */
  async connect(): Promise<void> {
    const client = this.#options.createClient();
    this.#turn = Promise.resolve();
    client.on('error', (error) => this.#lose(client, error));
    client.on('end', () => this.#lose(client, undefined));
    client.on('notification', ({ payload }) => this.#receive(payload));
    try {
      await client.connect();
      await this.#readClock(client);
      await this.presence.connected((sql, parameters) => this.#query(client, sql, parameters));
      await this.#query(client, `listen ${CHANNEL}`);
    } catch (error) {
      this.presence.lost();
      this.#drop(client);
      throw error;
    }
    this.#client = client;
    // With the same turn in which signals count again: nobody trusts what was read before the gap.
    this.#deliver?.({ topic: '*', payload: null });
    // A dead peer sends nothing, so only a question finds it out.
    this.#heartbeat = setInterval(() => {
      detach(this.#lookAround(client), (error) => this.#lose(client, error));
    }, HEARTBEAT_EVERY_MS).unref();
    this.#tellSoon();
    detach(this.presence.take(), this.#options.onError);
    this.#beatMs = performance.now();
    this.#beatAt = Date.now();
    this.#isBehind = false;
    this.#beat = setInterval(() => this.#noticePause(), BEAT_EVERY_MS).unref();
  }

  // Told after the commit: a transaction that notifies makes every other one that does wait for its flush.
  async write(): Promise<number> {
    return 0;
  }

  committed(events: readonly SignalEvent[]): void {
    this.#outbox.add(events);
    this.#tellSoon();
  }

  open(deliver: (event: SignalEvent) => void): void {
    this.#deliver = deliver;
  }

  pause(): void {
    this.#deliver = undefined;
  }

  isBroken(): boolean {
    // After a pause of the whole process, requests may come before the next beat.
    if (!this.#isBehind) this.#noticePause();
    return this.#client === undefined || this.#isBehind;
  }

  get losses(): number {
    return this.#losses;
  }

  /** Milliseconds since the epoch by the clock of the database, as it was last measured. */
  databaseNow(): number {
    return performance.now() + this.#offsetMs;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retryTimer);
    clearInterval(this.#heartbeat);
    clearInterval(this.#beat);
    clearTimeout(this.#tellTimer);
    await this.#telling;
    this.#outbox.add([{ topic: LEFT, payload: this.presence.goodbye() }]);
    for (let isTold = true; isTold && this.#client !== undefined && !this.#outbox.isEmpty;)
      isTold = await this.#tell(this.#client);
    await this.#client?.end();
  }

  /** Asks the server when the last beat is too long ago: what it sent meanwhile comes before its answer. */
  #noticePause(): void {
    const client = this.#client;
    if (client === undefined) return;
    const [nowMs, at] = [performance.now(), Date.now()];
    const pauseMs = Math.max(nowMs - this.#beatMs, at - this.#beatAt);
    this.#beatMs = nowMs;
    this.#beatAt = at;
    if (pauseMs <= LONGEST_PAUSE_MS || this.#isBehind) return;
    this.#isBehind = true;
    const heard = this.#readClock(client).then(() => {
      if (this.#client === client) this.#isBehind = false;
    });
    detach(heard, (error) => this.#lose(client, error));
  }

  async #readClock(client: Client): Promise<void> {
    let bestMs = Infinity;
    let offsetMs = this.#offsetMs;
    for (let look = 0; look < CLOCK_LOOKS; look += 1) {
      const sentMs = performance.now();
      const { rows } = await this.#query<{ ms: number }>(client, CLOCK_SQL);
      const tripMs = performance.now() - sentMs;
      if (tripMs >= bestMs) continue;
      bestMs = tripMs;
      offsetMs = (rows[0]?.ms ?? 0) - sentMs - tripMs / 2;
    }
    // What lies within the doubt of this look is not better known by it.
    if (Math.abs(offsetMs - this.#offsetMs) > bestMs / 2) this.#offsetMs = offsetMs;
  }

  /** What a heartbeat does: a dead peer does not answer, the time is read again, and a process that died is missed. */
  async #lookAround(client: Client): Promise<void> {
    await this.#readClock(client);
    // What it had committed and not told yet, nobody will tell.
    if (await this.presence.hasLostSomebody()) this.#deliver?.({ topic: '*', payload: null });
  }

  #query<Row extends QueryResultRow>(client: Client, sql: string, parameters: unknown[] = []) {
    const asked = this.#turn.then(() => client.query<Row>(sql, parameters));
    // Whoever asked hears of the fault; the next one asks all the same.
    this.#turn = asked.catch(() => undefined);
    return asked;
  }

  async #ask(sql: string, parameters: unknown[]): Promise<{ rows: unknown[] } | undefined> {
    const client = this.#client;
    if (client === undefined) return undefined;
    try {
      return await this.#query(client, sql, parameters);
    } catch (error) {
      this.#lose(client, error);
      return undefined;
    }
  }

  /** At once when nothing was told for a while, so that one change alone does not wait. */
  #tellSoon(): void {
    const client = this.#client;
    if (client === undefined || this.#isClosed || this.#telling || this.#tellTimer || this.#outbox.isEmpty)
      return;
    const waitMs = this.#toldMs + TELL_EVERY_MS - performance.now();
    if (waitMs > 0) {
      this.#tellTimer = setTimeout(() => {
        this.#tellTimer = undefined;
        this.#tellSoon();
      }, waitMs);
      return;
    }
    this.#toldMs = performance.now();
    this.#telling = this.#tell(client).finally(() => {
      this.#telling = undefined;
      this.#tellSoon();
    });
  }

  /** False when others may not have heard it; it waits for the next connection then. */
  async #tell(client: Client): Promise<boolean> {
    const messages = this.#outbox.take();
    try {
      await this.#query(client, TELL_SQL, [messages]);
      return true;
    } catch (error) {
      this.#outbox.putBack(messages);
      this.#lose(client, error);
      return false;
    }
  }

  #receive(text: string | undefined): void {
    try {
      for (const event of this.#outbox.read(text ?? '')) {
        if (event.topic === LEFT) this.presence.forget(event.payload ?? '');
        else this.#deliver?.(event);
      }
    } catch (error) {
      this.#options.onError(error);
    }
  }

  #lose(client: Client, error: unknown): void {
    if (this.#isClosed || this.#client !== client) return;
    this.#client = undefined;
    this.#losses += 1;
    this.presence.lost();
    clearInterval(this.#heartbeat);
    clearInterval(this.#beat);
    if (error) this.#options.onError(error);
    this.#drop(client);
    this.#scheduleReconnect();
  }

  #drop(client: Client): void {
    // Of a connection that is lost already nobody has to hear twice.
    detach(client.end(), () => undefined);
  }

  #scheduleReconnect(): void {
    const jitteredMs = this.#retryMs * (0.5 + Math.random() / 2);
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
    this.#retryTimer = setTimeout(() => {
      detach(this.#reconnect(), this.#options.onError);
    }, jitteredMs).unref();
  }

  async #reconnect(): Promise<void> {
    try {
      await this.connect();
    } catch (error) {
      if (isAway(error)) this.presence.lostByAll();
      this.#options.onError(error);
      if (!this.#isClosed) this.#scheduleReconnect();
      return;
    }
    if (this.#isClosed) return this.close();
    this.#retryMs = FIRST_RETRY_MS;
  }
}

function isAway(error: unknown): boolean {
  return error instanceof Error && 'code' in error && AWAY_CODES.has(String(error.code));
}
