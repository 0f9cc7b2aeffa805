/** The hold as it is stored: one row while a restored server waits for leave to act, none otherwise. */
import { commandWord } from '../config.ts';
import type { MigrationSet, Queryable, Store } from '@parley/store';
import { epochMsColumn } from '@parley/store';

/** Why a server holds its work back. */
export type HoldReason = 'restored' | 'asked';

/** Since when, and why. */
export interface Held {
  readonly since: number;
  readonly reason: HoldReason;
}

interface HoldTables {
  parley_hold: { id: number; since: number; reason: HoldReason };
}

/** What every process on the database is told by when the row comes or goes. */
export const HOLD_CHANGED = 'server.hold';

const ONLY_ROW = 1;

export const holdMigrations: MigrationSet = {
  name: 'hold',
  migrations: {
    '001-hold': async (db) => {
      await db.schema
        .createTable('parley_hold')
        .addColumn('id', 'integer', (column) => column.primaryKey())
        .addColumn('since', epochMsColumn, (column) => column.notNull())
        .addColumn('reason', 'text', (column) => column.notNull())
        .execute();
    },
  },
};

/** The hold; undefined when there is none. */
export async function readHold(from: Queryable): Promise<Held | undefined> {
  return from
    .db<HoldTables>()
    .selectFrom('parley_hold')
    .select(['since', 'reason'])
    .where('id', '=', ONLY_ROW)
    .executeTakeFirst();
}

/** Holds from the next start of each server on; false when it was held already. */
export async function writeHold(store: Store, { since, reason }: Held): Promise<boolean> {
  return store.transaction(async (tx) => {
    const made = await tx
      .db<HoldTables>()
      .insertInto('parley_hold')
      .values({ id: ONLY_ROW, since, reason })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    return made !== undefined;
  });
}

/** Lets every server on the database act; false when nothing was held. */
export async function liftHold(store: Store): Promise<boolean> {
  return store.transaction(async (tx) => {
    const lifted = await tx
      .db<HoldTables>()
      .deleteFrom('parley_hold')
      .where('id', '=', ONLY_ROW)
      .returning('id')
      .executeTakeFirst();
    if (lifted !== undefined) await tx.signal(HOLD_CHANGED);
    return lifted !== undefined;
  });
}

/** What a hold means and how it ends, for people and for clients. */
export function holdText({ since, reason }: Held): string {
  const from = new Date(since).toISOString();
  const why = reason === 'restored' ? `Restored from a backup at ${from}` : `Held since ${from}`;
  return `${why}: tasks, schedules and deliveries wait until "${commandWord()} resume".`;
}
