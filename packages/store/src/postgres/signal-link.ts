/** Signals between processes on PostgreSQL: notify in the transaction, one connection that listens. */
import { CompiledQuery } from 'kysely';
import type { Kysely } from 'kysely';
import type { Client } from 'pg';
import { detach } from '../detach.ts';
import type { AnyTables, EngineOptions } from '../engine.ts';
import type { SignalEvent, SignalLink } from '../signals/change-signal.ts';
import { LONGEST_PAUSE_MS } from '../signals/change-signal.ts';

const CHANNEL = 'parley_signal';
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;
const HEARTBEAT_EVERY_MS = 10_000;
const BEAT_EVERY_MS = 250;

/** How the link connects. */
export interface PostgresSignalOptions extends Pick<EngineOptions, 'origin' | 'onError'> {
  readonly createClient: () => Client;
}

/** The link of one database. */
export class PostgresSignalLink implements SignalLink {
  readonly #options: PostgresSignalOptions;
  #client: Client | undefined;
  #deliver: ((event: SignalEvent) => void) | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #beat: NodeJS.Timeout | undefined;
  #beatMs = 0;
  /** True from a pause of the whole process until the server has answered, and so all that it had sent before is read. */
  #isBehind = false;
  #retryMs = FIRST_RETRY_MS;
  #isClosed = false;

  constructor(options: PostgresSignalOptions) {
    this.#options = options;
  }

  /** Connects and listens; signals count from the moment this resolves. */
  async connect(): Promise<void> {
    const client = this.#options.createClient();
    client.on('error', (error) => this.#lose(client, error));
    client.on('end', () => this.#lose(client, undefined));
    client.on('notification', ({ payload }) => this.#receive(payload));
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      this.#drop(client);
      throw error;
    }
    this.#client = client;
    // With the same turn in which signals count again: nobody trusts what was read before the gap.
    this.#deliver?.({ topic: '*', payload: null });
    // A dead peer sends nothing, so only a question finds it out.
    this.#heartbeat = setInterval(() => {
      detach(client.query('select 1'), (error) => this.#lose(client, error));
    }, HEARTBEAT_EVERY_MS).unref();
    this.#beatMs = performance.now();
    this.#isBehind = false;
    this.#beat = setInterval(() => this.#noticePause(), BEAT_EVERY_MS).unref();
  }

  async write(trx: Kysely<AnyTables>, { topic, payload }: SignalEvent): Promise<number> {
    const message = JSON.stringify([this.#options.origin, topic, payload]);
    await trx.executeQuery(CompiledQuery.raw('select pg_notify($1, $2)', [CHANNEL, message]));
    return 0;
  }

  committed(): void {}

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

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retryTimer);
    clearInterval(this.#heartbeat);
    clearInterval(this.#beat);
    await this.#client?.end();
  }

  /** Asks the server when the last beat is too long ago: what it sent meanwhile comes before its answer. */
  #noticePause(): void {
    const client = this.#client;
    const beforeMs = this.#beatMs;
    const nowMs = performance.now();
    if (client === undefined) return;
    this.#beatMs = nowMs;
    if (nowMs - beforeMs <= LONGEST_PAUSE_MS || this.#isBehind) return;
    this.#isBehind = true;
    const heard = client.query('select 1').then(() => {
      if (this.#client === client) this.#isBehind = false;
    });
    detach(heard, (error) => this.#lose(client, error));
  }

  #receive(text: string | undefined): void {
    try {
      // Only `write` sends on this channel, and it sends this triple.
      const [origin, topic, payload]: [string, string, string | null] = JSON.parse(text ?? '');
      if (origin !== this.#options.origin) this.#deliver?.({ topic, payload });
    } catch (error) {
      this.#options.onError(error);
    }
  }

  #lose(client: Client, error: unknown): void {
    if (this.#isClosed || this.#client !== client) return;
    this.#client = undefined;
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
      this.#options.onError(error);
      if (!this.#isClosed) this.#scheduleReconnect();
      return;
    }
    if (this.#isClosed) return this.close();
    this.#retryMs = FIRST_RETRY_MS;
  }
}
