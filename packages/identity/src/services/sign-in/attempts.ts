/** A brake on guessing: every attempt counts before it is looked at, in the database, so that replicas share the count. */
import { hash } from 'node:crypto';
import { ToolError } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import type { IdentityTables } from '../../schema.ts';

/** Whom an attempt is for, as far as somebody says so, and where it comes from. */
export interface Attempt {
  /** The e-mail as it was given, known or not; absent for what names nobody. */
  readonly account?: string | undefined;
  readonly address: string;
  /** What there were too many of, in words. */
  readonly what?: string;
}

const WINDOW_MS = 15 * 60_000;
const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = WINDOW_MS;
/** Failures in a row before the next attempt has to wait. */
const OF_ACCOUNT_AND_ADDRESS = 5;
const OF_ADDRESS = 20;
// Many addresses guess at one account: its owner has other ways in, and never waits longer than a minute.
const OF_ACCOUNT = 50;
const LONGEST_FOR_ACCOUNT_MS = 60_000;

interface Bucket {
  readonly name: string;
  readonly free: number;
  readonly longestMs: number;
}

function bucketsOf({ account, address }: Attempt): Bucket[] {
  const digest = (text: string) => hash('sha256', text, 'base64url');
  const ofAddress = { name: `address ${digest(address)}`, free: OF_ADDRESS, longestMs: LONGEST_DELAY_MS };
  if (account === undefined) return [ofAddress];
  const name = digest(account);
  return [
    ofAddress,
    { name: `account ${name}`, free: OF_ACCOUNT, longestMs: LONGEST_FOR_ACCOUNT_MS },
    {
      name: `both ${digest(`${account} ${address}`)}`,
      free: OF_ACCOUNT_AND_ADDRESS,
      longestMs: LONGEST_DELAY_MS,
    },
  ];
}

/** Counts an attempt as failed; throws `rate_limited` with `retryAfterMs` when there were too many, and counts nothing then. */
export async function beginAttempt(store: Store, attempt: Attempt, now: number): Promise<void> {
  const buckets = bucketsOf(attempt);
  await store.transaction(async (tx) => {
    // In one order, so that no two wait for each other.
    for (const { name } of buckets) await tx.exclusive(`sign-in ${name}`);
    const waitMs = await longestWait(tx, buckets, now);
    if (waitMs > 0) throw tooMany(waitMs, attempt.what);
    for (const { name } of buckets) await countOne(tx, name, now);
  });
}

/** Forgets the failures of an account at an address, once somebody was let in there. */
export async function forgetAttempts(tx: StoreTransaction, attempt: Attempt, now: number): Promise<void> {
  const names = bucketsOf(attempt).map(({ name }) => name);
  const db = tx.db<IdentityTables>();
  await db.deleteFrom('sign_in_attempts').where('bucket', 'in', names).execute();
  await db
    .deleteFrom('sign_in_attempts')
    .where('last_at', '<=', now - WINDOW_MS)
    .execute();
}

async function longestWait(tx: StoreTransaction, buckets: readonly Bucket[], now: number): Promise<number> {
  const rows = await tx
    .db<IdentityTables>()
    .selectFrom('sign_in_attempts')
    .selectAll()
    .where(
      'bucket',
      'in',
      buckets.map(({ name }) => name),
    )
    .execute();
  const waits = buckets.map(({ name, free, longestMs }) => {
    const row = rows.find(({ bucket }) => bucket === name);
    if (row === undefined || row.failures < free) return 0;
    const delayMs = Math.min(longestMs, FIRST_DELAY_MS * 2 ** Math.min(row.failures - free, 30));
    return row.last_at + delayMs - now;
  });
  return Math.max(0, ...waits);
}

async function countOne(tx: StoreTransaction, bucket: string, now: number): Promise<void> {
  await tx
    .db<IdentityTables>()
    .insertInto('sign_in_attempts')
    .values({ bucket, failures: 1, last_at: now })
    .onConflict((conflict) =>
      conflict.column('bucket').doUpdateSet((row) => ({
        failures: row
          .case()
          .when('sign_in_attempts.last_at', '<=', now - WINDOW_MS)
          .then(1)
          .else(row('sign_in_attempts.failures', '+', 1))
          .end(),
        last_at: now,
      })),
    )
    .execute();
}

function tooMany(waitMs: number, what = 'attempts to sign in'): ToolError {
  const seconds = Math.ceil(waitMs / 1000);
  const text = `Too many ${what}. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
  return new ToolError('rate_limited', text, { retryAfterMs: waitMs });
}
