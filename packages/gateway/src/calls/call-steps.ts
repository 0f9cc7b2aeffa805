/** Step outcomes in the store: a call that is entered again, on any replica, finds what it has done. */
import type { StepStore } from '@parley/kit';
import { stepBusy } from '@parley/kit';
import type { Store } from '@parley/store';
import { fromJson, inBatches, toJson } from '@parley/store';

interface CallStepRow {
  organization_id: string;
  call_id: string;
  step_key: string;
  outcome: string | null;
  claimed_until: number;
  expires_at: number;
}

interface StepTables {
  call_steps: CallStepRow;
}

const CLAIM_MS = 60_000;
// A round trip's state lives ten minutes; its steps must outlive it.
const KEEP_MS = 30 * 60_000;
const BATCH = 200;

/** Keeps step outcomes in the store. */
export function storedSteps(store: Store, now: () => number = () => store.now()): StepStore {
  return {
    async once<T>(
      { organizationId, callId }: { organizationId: string; callId: string },
      key: string,
      work: () => Promise<T> | T,
    ) {
      const row = { organization_id: organizationId, call_id: callId, step_key: key };
      const known = await claim(store, row, now());
      // A step's result type never changes between two entries of the same call.
      if (known !== undefined) return fromJson<{ value: T }>(known).value;
      const db = store.db<StepTables>();
      try {
        const value = await work();
        const outcome = toJson({ value });
        await db
          .updateTable('call_steps')
          .set({ outcome })
          .where((where) => where.and(row))
          .execute();
        return value;
      } catch (error) {
        await db
          .deleteFrom('call_steps')
          .where((where) => where.and(row))
          .where('outcome', 'is', null)
          .execute();
        throw error;
      }
    },
  };
}

/** Forgets what no call can come back for, beside the calls. */
export async function sweepCallSteps(store: Store, now: number, signal?: AbortSignal): Promise<void> {
  await inBatches(
    store,
    async (tx) => {
      const db = tx.db<StepTables>();
      const old = await db
        .selectFrom('call_steps')
        .select(['organization_id', 'call_id', 'step_key'])
        .where('expires_at', '<', now)
        .orderBy('expires_at')
        .limit(BATCH)
        .execute();
      if (old.length === 0) return 'done';
      await db
        .deleteFrom('call_steps')
        .where((where) => where.or(old.map((key) => where.and(key))))
        .execute();
      return old.length === BATCH ? 'more' : 'done';
    },
    signal,
  );
}

type StepKey = Pick<CallStepRow, 'organization_id' | 'call_id' | 'step_key'>;

/** The outcome when the step is done; undefined when it is now ours to run; throws while another runs it. */
function claim(store: Store, key: StepKey, now: number): Promise<string | undefined> {
  return store.transaction(async (tx) => {
    const db = tx.db<StepTables>();
    const fresh = { ...key, outcome: null, claimed_until: now + CLAIM_MS, expires_at: now + KEEP_MS };
    const inserted = await db
      .insertInto('call_steps')
      .values(fresh)
      .onConflict((conflict) => conflict.doNothing())
      .returning('call_id')
      .executeTakeFirst();
    if (inserted !== undefined) return undefined;
    const row = await db
      .selectFrom('call_steps')
      .selectAll()
      .where((where) => where.and(key))
      .executeTakeFirstOrThrow();
    if (row.outcome !== null) return row.outcome;
    if (row.claimed_until > now) throw stepBusy(key.step_key);
    await db
      .updateTable('call_steps')
      .set({ claimed_until: now + CLAIM_MS })
      .where((where) => where.and(key))
      .execute();
    return undefined;
  });
}
