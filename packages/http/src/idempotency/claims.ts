/** The rows behind `Idempotency-Key`: claimed before the work, marked with the change, answered after it. */
import { randomUUID } from 'node:crypto';
import { ToolError } from '@parley/kit';
import type { Queryable, Store, StoreTransaction } from '@parley/store';
import { inBatches, SecretOpenError } from '@parley/store';
import type { Selectable } from 'kysely';
import type { IdempotencyRow } from '../tables.ts';
import { answerTable } from '../tables.ts';

/** Whose key it is, and what was asked with it. */
export interface RepeatableRequest {
  readonly organizationId: string;
  readonly callerId: string;
  readonly key: string;
  /** Method, path and body. */
  readonly requestHash: string;
  /** The answer holds a secret and must not be readable where it is kept. */
  readonly hasSecret: boolean;
}

/** An answer as it is kept. */
export interface KeptAnswer {
  readonly status: number;
  readonly location: string | undefined;
  /** The JSON text; undefined when there is no body. */
  readonly body: string | undefined;
}

/** A row that somebody made for a key. */
export type ClaimRow = Selectable<IdempotencyRow>;

/** How long an answer is kept. */
export const KEEP_MS = 24 * 60 * 60_000;

const LEASE_MS = 60_000;
const BATCH = 200;

/** The claims in the table of one toolset. */
export class Claims {
  readonly #store: Store;
  readonly #toolset: string;
  readonly #table: string;

  constructor(store: Store, toolset: string) {
    this.#store = store;
    this.#toolset = toolset;
    this.#table = answerTable(toolset);
  }

  /** The topic on which requests that wait for the answer listen. */
  topicOf({ organizationId, callerId, requestHash }: RepeatableRequest): string {
    return `${this.#toolset}.answered.${organizationId}.${callerId}.${requestHash}`;
  }

  /** Claims the key; undefined when somebody else has it. */
  async claim(request: RepeatableRequest, now: number): Promise<string | undefined> {
    const mine = randomUUID();
    const { numInsertedOrUpdatedRows = 0n } = await this.#db(this.#store)
      .insertInto(this.#table)
      .values({
        organization_id: request.organizationId,
        caller_id: request.callerId,
        key: request.key,
        request_hash: request.requestHash,
        claim: mine,
        state: 'claimed',
        lease_until: now + LEASE_MS,
        status: null,
        location: null,
        body: null,
        created_at: now,
      })
      .onConflict((found) => found.doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows > 0n ? mine : undefined;
  }

  /** The row of a key that is claimed already. */
  find(request: RepeatableRequest): Promise<ClaimRow | undefined> {
    return this.#db(this.#store)
      .selectFrom(this.#table)
      .selectAll()
      .where('organization_id', '=', request.organizationId)
      .where('caller_id', '=', request.callerId)
      .where('key', '=', request.key)
      .executeTakeFirst();
  }

  /** Takes over from a process that died before it changed anything; undefined when another was faster. */
  async takeOver(request: RepeatableRequest, from: string, now: number): Promise<string | undefined> {
    const mine = randomUUID();
    const values = { claim: mine, lease_until: now + LEASE_MS };
    const isMine = await this.#set(this.#store, request, from, values);
    return isMine ? mine : undefined;
  }

  /** Writes into the transaction of the change that it happened; nobody who lost the claim gets this far. */
  async markApplied(tx: StoreTransaction, request: RepeatableRequest, mine: string): Promise<void> {
    if (!(await this.#set(tx, request, mine, { state: 'applied' })))
      throw new ToolError(
        'conflict',
        'This request was taken over by a repetition of it. Ask again for its answer.',
      );
  }

  /** Keeps the answer and wakes those who wait for it. */
  async keep(request: RepeatableRequest, mine: string, answer: KeptAnswer): Promise<void> {
    const { status, location, body } = answer;
    const isSealed = request.hasSecret && body !== undefined;
    const sealed = isSealed ? this.#store.secrets.seal(body, this.#sealContext(request)) : (body ?? null);
    await this.#store.transaction(async (tx) => {
      await this.#set(tx, request, mine, {
        state: 'answered',
        status,
        location: location ?? null,
        body: sealed,
        is_sealed: isSealed ? 1 : 0,
      });
      await tx.signal(this.topicOf(request));
    });
  }

  /** Gives the key back after a failure of ours; what was changed already keeps it. */
  async release(request: RepeatableRequest, mine: string): Promise<void> {
    await this.#store.transaction(async (tx) => {
      await this.#delete(tx, request, mine).where('state', '=', 'claimed').execute();
      // Nobody works on it any more, so nobody should wait.
      await this.#set(tx, request, mine, { lease_until: 0 });
      await tx.signal(this.topicOf(request));
    });
  }

  /** Removes a claim that is too old to count. */
  async remove(request: RepeatableRequest, old: string): Promise<void> {
    await this.#delete(this.#store, request, old).execute();
  }

  /** Forgets what is older than a day; every organization's, because age alone decides. */
  async sweep(now: number): Promise<void> {
    await inBatches(this.#store, async (tx) => {
      const old = await this.#db(tx)
        .selectFrom(this.#table)
        .select(['organization_id', 'caller_id', 'key'])
        .where('created_at', '<=', now - KEEP_MS)
        .orderBy('created_at')
        .limit(BATCH)
        .execute();
      if (old.length === 0) return 'done';
      await this.#db(tx)
        .deleteFrom(this.#table)
        // A key that was made anew meanwhile is younger.
        .where('created_at', '<=', now - KEEP_MS)
        .where((where) => where.or(old.map((key) => where.and(key))))
        .execute();
      return old.length === BATCH ? 'more' : 'done';
    });
  }

  /** The answer of a row that has one. */
  answerIn(request: RepeatableRequest, row: ClaimRow): KeptAnswer {
    const { status, location, body } = row;
    const text = body !== null && row.is_sealed === 1 ? this.#open(request, body) : body;
    return { status: status ?? 200, location: location ?? undefined, body: text ?? undefined };
  }

  #open(request: RepeatableRequest, body: string): string {
    try {
      return this.#store.secrets.open(body, this.#sealContext(request));
    } catch (error) {
      if (!(error instanceof SecretOpenError)) throw error;
      throw new ToolError('conflict', 'This request was carried out, but its answer cannot be shown again.');
    }
  }

  #sealContext({ organizationId, callerId, key }: RepeatableRequest) {
    return { organizationId, rowId: JSON.stringify([this.#table, callerId, key]) };
  }

  #db(from: Queryable) {
    return from.db<Record<string, IdempotencyRow>>();
  }

  #delete(from: Queryable, request: RepeatableRequest, claimed: string) {
    return this.#db(from)
      .deleteFrom(this.#table)
      .where('organization_id', '=', request.organizationId)
      .where('caller_id', '=', request.callerId)
      .where('key', '=', request.key)
      .where('claim', '=', claimed);
  }

  async #set(
    from: Queryable,
    request: RepeatableRequest,
    claimed: string,
    values: Partial<ClaimRow>,
  ): Promise<boolean> {
    const { numUpdatedRows } = await this.#db(from)
      .updateTable(this.#table)
      .set(values)
      .where('organization_id', '=', request.organizationId)
      .where('caller_id', '=', request.callerId)
      .where('key', '=', request.key)
      .where('claim', '=', claimed)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }
}
