/** The rows behind `Idempotency-Key`: claimed before the work, marked with the change, answered after it. */
import { randomUUID } from 'node:crypto';
import type { Queryable, Store, StoreTransaction } from '@parley/store';
import { SecretOpenError } from '@parley/store';
import type { Selectable } from 'kysely';
import { conflict } from '../../faults.ts';
import type { FeedbackTables, IdempotencyRow } from '../../schema.ts';

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

/** How long an answer is kept. */
export const KEEP_MS = 24 * 60 * 60_000;

const LEASE_MS = 60_000;

/** The topic on which whoever waits for the answer listens. */
export function topicOf({ organizationId, callerId, requestHash }: RepeatableRequest): string {
  return `feedback.answered.${organizationId}.${callerId}.${requestHash}`;
}

/** Claims the key; undefined when somebody else has it. */
export async function claim(
  store: Store,
  request: RepeatableRequest,
  now: number,
): Promise<string | undefined> {
  const mine = randomUUID();
  const { numInsertedOrUpdatedRows = 0n } = await store
    .db<FeedbackTables>()
    .insertInto('feedback_idempotency')
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
export function findClaim(
  store: Store,
  request: RepeatableRequest,
): Promise<Selectable<IdempotencyRow> | undefined> {
  return store
    .db<FeedbackTables>()
    .selectFrom('feedback_idempotency')
    .selectAll()
    .where('organization_id', '=', request.organizationId)
    .where('caller_id', '=', request.callerId)
    .where('key', '=', request.key)
    .executeTakeFirst();
}

/** Takes over from a process that died before it changed anything; undefined when another was faster. */
export async function takeOver(
  store: Store,
  request: RepeatableRequest,
  from: string,
  now: number,
): Promise<string | undefined> {
  const mine = randomUUID();
  const isMine = await set(store, request, from, { claim: mine, lease_until: now + LEASE_MS });
  return isMine ? mine : undefined;
}

/** Writes into the transaction of the change that it happened; nobody who lost the claim gets this far. */
export async function markApplied(
  tx: StoreTransaction,
  request: RepeatableRequest,
  mine: string,
): Promise<void> {
  if (!(await set(tx, request, mine, { state: 'applied' })))
    throw conflict('This request was taken over by a repetition of it. Ask again for its answer.');
}

/** Keeps the answer and wakes those who wait for it. */
export async function keepAnswer(
  store: Store,
  request: RepeatableRequest,
  mine: string,
  { status, location, body }: KeptAnswer,
): Promise<void> {
  const isSealed = request.hasSecret && body !== undefined;
  await store.transaction(async (tx) => {
    await set(tx, request, mine, {
      state: 'answered',
      status,
      location: location ?? null,
      body: isSealed ? store.secrets.seal(body, sealContext(request)) : (body ?? null),
      is_sealed: isSealed ? 1 : 0,
    });
    await tx.signal(topicOf(request));
  });
}

/** Gives the key back after a failure of ours; what was changed already keeps it. */
export async function release(store: Store, request: RepeatableRequest, mine: string): Promise<void> {
  await store.transaction(async (tx) => {
    await deleteClaim(tx, request, mine).where('state', '=', 'claimed').execute();
    // Nobody works on it any more, so nobody should wait.
    await set(tx, request, mine, { lease_until: 0 });
    await tx.signal(topicOf(request));
  });
}

/** Removes a claim that is too old to count. */
export async function removeClaim(store: Store, request: RepeatableRequest, old: string): Promise<void> {
  await deleteClaim(store, request, old).execute();
}

function deleteClaim(from: Queryable, request: RepeatableRequest, claimed: string) {
  return from
    .db<FeedbackTables>()
    .deleteFrom('feedback_idempotency')
    .where('organization_id', '=', request.organizationId)
    .where('caller_id', '=', request.callerId)
    .where('key', '=', request.key)
    .where('claim', '=', claimed);
}

/** Forgets what is older than a day; every organization's, because age alone decides. */
export async function sweepAnswers(from: Queryable, now: number): Promise<void> {
  await from
    .db<FeedbackTables>()
    .deleteFrom('feedback_idempotency')
    .where('created_at', '<=', now - KEEP_MS)
    .execute();
}

/** The answer of a row that has one. */
export function answerIn(
  store: Store,
  request: RepeatableRequest,
  row: Selectable<IdempotencyRow>,
): KeptAnswer {
  const { status, location, body } = row;
  const text = body !== null && row.is_sealed === 1 ? openSealed(store, request, body) : body;
  return { status: status ?? 200, location: location ?? undefined, body: text ?? undefined };
}

function openSealed(store: Store, request: RepeatableRequest, body: string): string {
  try {
    return store.secrets.open(body, sealContext(request));
  } catch (error) {
    if (!(error instanceof SecretOpenError)) throw error;
    throw conflict('This request was carried out, but its answer cannot be shown again.');
  }
}

function sealContext({ organizationId, callerId, key }: RepeatableRequest) {
  return { organizationId, rowId: JSON.stringify(['feedback_idempotency', callerId, key]) };
}

async function set(
  from: Queryable,
  request: RepeatableRequest,
  claimed: string,
  values: Partial<Selectable<IdempotencyRow>>,
): Promise<boolean> {
  const { numUpdatedRows } = await from
    .db<FeedbackTables>()
    .updateTable('feedback_idempotency')
    .set(values)
    .where('organization_id', '=', request.organizationId)
    .where('caller_id', '=', request.callerId)
    .where('key', '=', request.key)
    .where('claim', '=', claimed)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
