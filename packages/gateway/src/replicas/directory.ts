/** The replicas on one database: a row for each with its address, renewed while it lives, and what this one knows of the others. */
import { detach } from '@parley/kit';
import type { Store } from '@parley/store';

interface ReplicaRow {
  id: string;
  address: string;
  renewed_at: number;
  /** One that leaves finishes what it has begun, and begins nothing. */
  state: 'serving' | 'leaving';
}

/** How another replica is reached. */
export type Whereabouts = Pick<ReplicaRow, 'address' | 'state'>;

interface ReplicaTables {
  replicas: ReplicaRow;
}

export interface DirectoryTimes {
  readonly renewMs: number;
  /** A row that was not renewed for so long is of a replica that is gone. */
  readonly lapseMs: number;
  /** Such a row is taken away after this. */
  readonly sweepMs: number;
  /** An id that nobody has is looked for in the database this often at most. */
  readonly lookAgainMs: number;
}

export const DIRECTORY_TIMES: DirectoryTimes = {
  renewMs: 5_000,
  lapseMs: 20_000,
  sweepMs: 10 * 60_000,
  lookAgainMs: 500,
};

export interface DirectoryOptions {
  readonly store: Store;
  readonly id: string;
  /** Told of a replica that has stopped to renew its row. */
  onLapse(id: string): void;
  readonly onFault: (error: unknown, where: string) => void;
  /** Tests have less. */
  readonly times?: Partial<DirectoryTimes> | undefined;
}

const TOPIC = 'replicas';
/** More rows than any installation has. */
const MOST_ROWS = 1_000;

interface Known extends Whereabouts {
  readonly renewedAt: number;
  /** When this process saw the row change, by its own clock: those of others may be wrong. */
  readonly seenMs: number;
  isLapsed: boolean;
}

export class ReplicaDirectory {
  readonly #store: Store;
  readonly #id: string;
  readonly #options: DirectoryOptions;
  readonly #times: DirectoryTimes;
  readonly #known = new Map<string, Known>();
  readonly #unsubscribe: () => void;
  #address: string | undefined;
  #state: ReplicaRow['state'] = 'serving';
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  #renewing: Promise<unknown> | undefined;
  #askedMs = -Infinity;

  constructor(options: DirectoryOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#id = options.id;
    this.#times = { ...DIRECTORY_TIMES, ...options.times };
    this.#unsubscribe = this.#store.signal.subscribe(TOPIC, () => {
      if (this.#address !== undefined) this.#inBackground(() => this.#readAgain());
    });
  }

  /** Says where this replica is reached, and goes on saying so. */
  async join(address: string): Promise<void> {
    this.#address = address;
    await this.#renew();
    await this.#store.signal.publish(TOPIC);
    await this.#read();
    this.#timer = setInterval(
      () =>
        this.#inBackground(async () => {
          await this.#renew();
          await this.#read();
        }),
      this.#times.renewMs,
    ).unref();
  }

  /** Where a replica is reached; undefined: it is gone, or never was. */
  async find(id: string): Promise<Whereabouts | undefined> {
    // Anybody can make up ids, and each would be a question to the database.
    const mayAsk = performance.now() - this.#askedMs >= this.#times.lookAgainMs;
    if (!this.#known.has(id) && mayAsk) {
      this.#askedMs = performance.now();
      await this.#read();
    }
    const found = this.#known.get(id);
    // A row with our own address is of one that was here before.
    if (found === undefined || found.isLapsed || found.address === this.#address) return undefined;
    return found;
  }

  /** Says that it begins nothing more. */
  async retire(): Promise<void> {
    this.#state = 'leaving';
    await this.#renew();
    await this.#store.signal.publish(TOPIC);
  }

  /** Takes the row away, so that others know at once. */
  async leave(): Promise<void> {
    clearInterval(this.#timer);
    this.#unsubscribe();
    if (this.#address === undefined) return;
    this.#address = undefined;
    // A renewal that is under way would bring the row back.
    await this.#renewing?.catch(() => undefined); // told where it was begun
    await this.#db().deleteFrom('replicas').where('id', '=', this.#id).execute();
    await this.#store.signal.publish(TOPIC);
  }

  #db() {
    return this.#store.db<ReplicaTables>();
  }

  #inBackground(work: () => Promise<void>): void {
    detach(work, (error) => this.#options.onFault(error, 'replicas'));
  }

  async #renew(): Promise<void> {
    const address = this.#address;
    if (address === undefined) return;
    const row = { address, renewed_at: Date.now(), state: this.#state };
    this.#renewing = this.#db()
      .insertInto('replicas')
      .values({ id: this.#id, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute();
    await this.#renewing;
  }

  /** What was read before a change is told must not hide it. */
  async #readAgain(): Promise<void> {
    await this.#reading;
    await this.#read();
  }

  async #read(): Promise<void> {
    this.#reading ??= this.#take().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async #take(): Promise<void> {
    const rows = await this.#db().selectFrom('replicas').selectAll().limit(MOST_ROWS).execute();
    const nowMs = performance.now();
    const missing = new Set(this.#known.keys());
    for (const { id, address, renewed_at: renewedAt, state } of rows) {
      missing.delete(id);
      const before = this.#known.get(id);
      if (before?.renewedAt === renewedAt && before.state === state)
        this.#grow(id, before, nowMs - before.seenMs);
      else if (id !== this.#id)
        this.#known.set(id, { address, renewedAt, state, seenMs: nowMs, isLapsed: false });
    }
    for (const id of missing) this.#known.delete(id);
  }

  /** Looks how long a row has stayed as it is; only while rows can be read, since otherwise nobody could renew theirs. */
  #grow(id: string, known: Known, unchangedMs: number): void {
    const { lapseMs, sweepMs } = this.#times;
    if (unchangedMs >= lapseMs && !known.isLapsed) {
      known.isLapsed = true;
      this.#options.onLapse(id);
    }
    if (unchangedMs < sweepMs) return;
    this.#inBackground(async () => {
      const gone = this.#db().deleteFrom('replicas').where('id', '=', id);
      await gone.where('renewed_at', '=', known.renewedAt).execute();
    });
  }
}
