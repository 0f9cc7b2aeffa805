/** Notes that lose their holder: one conditional statement makes them pending, so exactly one process says so. */
import type { StoreTransaction } from '@parley/store';
import { sql } from 'kysely';
import type { NewEvent } from '@parley/events';
import { changeEvent } from '../events.ts';
import type { AnnotationRow, AnnotationTables } from '../schema.ts';
import { HELD, holderName, isHeld } from './holder.ts';
import type { NewReply } from './thread.ts';
import { addReply } from './thread.ts';
import type { ActionParts } from './transitions.ts';

/** What a note is when it is pending again; who had it stays known, so that words they missed are not passed over. */
export const REOPENED = {
  status: 'pending',
  acknowledged_by: null,
  lease_until: null,
  resolved_by: null,
  resolved_at: null,
  diff: null,
  diff_response: null,
  diff_words: null,
} satisfies Partial<AnnotationRow>;

/** Whose notes: of leases that have run out, or of a connection that has ended. */
export type Lost = { readonly lapsedAt: number } | { readonly connection: string };

const BATCH = 100;

/** Makes the notes pending again, each with a word in its thread. */
export async function letGo(parts: ActionParts, lost: Lost): Promise<void> {
  for (;;) {
    // Looked for first: a process with nothing to do takes no write lock.
    const found = await idsOf(parts, lost);
    if (found.length === 0) return;
    await parts.store.transaction((tx) => free(parts, tx, lost, found));
    if (found.length < BATCH) return;
  }
}

/** The same for one note that is locked already. */
export async function letGoLapsed(
  parts: ActionParts,
  tx: StoreTransaction,
  row: AnnotationRow,
): Promise<AnnotationRow> {
  const [freed] = await free(parts, tx, { lapsedAt: parts.now() }, [row.id]);
  return freed ?? row;
}

/** True when nobody has been heard from for as long as the lease of the note says. */
export function hasLapsed(row: AnnotationRow, now: number): boolean {
  return isHeld(row) && row.lease_until !== null && row.lease_until <= now;
}

async function idsOf({ store, limits }: ActionParts, lost: Lost): Promise<string[]> {
  const query = store.db<AnnotationTables>().selectFrom('annotations').select('id').limit(BATCH);
  const leased = query.where('status', 'in', HELD);
  if ('connection' in lost) {
    const ended = leased.where('lease_until', 'is not', null);
    return idsIn(await ended.where('holder_connection', '=', lost.connection).execute());
  }
  const lapsed = await leased.where('lease_until', '<=', lost.lapsedAt).execute();
  if (lapsed.length === BATCH) return idsIn(lapsed);
  // Taken up by a process from before there were leases; in the words of the index of such notes.
  const unleased = await query
    .where(sql<boolean>`lease_until IS NULL AND status IN ('acknowledged', 'diff_proposed')`)
    .where('updated_at', '<=', lost.lapsedAt - limits.noteLeaseMs)
    .limit(BATCH - lapsed.length)
    .execute();
  return idsIn([...lapsed, ...unleased]);
}

function idsIn(rows: readonly Pick<AnnotationRow, 'id'>[]): string[] {
  return rows.map(({ id }) => id);
}

async function free(
  { changes, limits, now, events }: ActionParts,
  tx: StoreTransaction,
  lost: Lost,
  ids: readonly string[],
): Promise<AnnotationRow[]> {
  const { acknowledged_by: _named, ...set } = REOPENED;
  const db = tx.db<AnnotationTables>();
  let query = db
    .updateTable('annotations')
    .set({ ...set, updated_at: now() })
    .where('id', 'in', ids)
    .where('status', 'in', HELD);
  query =
    'connection' in lost
      ? query.where('holder_connection', '=', lost.connection)
      : query.where(({ and, eb, or }) =>
          or([
            eb('lease_until', '<=', lost.lapsedAt),
            and([eb('lease_until', 'is', null), eb('updated_at', '<=', lost.lapsedAt - limits.noteLeaseMs)]),
          ]),
        );
  const freed = await query.returningAll().execute();
  const told: NewEvent[] = [];
  for (const row of freed) {
    const message = `${holderName(row)} ${'connection' in lost ? 'has gone' : 'was not heard from any more'}. This note is pending again.`;
    const reply: NewReply = { author: 'agent', author_name: 'Parley', message };
    await addReply(tx, row, reply, now());
    told.push(
      ...[changeEvent({ status: 'acknowledged' }, row, [reply])].filter((event) => event !== undefined),
    );
    await changes.announce(tx, {
      kind: 'notes',
      organizationId: row.organization_id,
      sessionId: row.session_id,
      ids: [row.id],
      pending: true,
    });
  }
  const cleared = { acknowledged_by: null };
  if (freed.length > 0)
    await db
      .updateTable('annotations')
      .set(cleared)
      .where(
        'id',
        'in',
        freed.map(({ id }) => id),
      )
      .execute();
  if (told.length > 0) await events?.publishAll(tx, told);
  return freed.map((row) => ({ ...row, ...cleared }));
}
