/** One action on one note: lock, conditional write, reply and announcement in one transaction. */
import { ToolError } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import type { Publisher } from '../events.ts';
import { changeEvent } from '../events.ts';
import type { AnnotationLimits } from '../limits.ts';
import type { AnnotationRow, AnnotationTables } from '../schema.ts';
import type { Annotation, AnnotationStatus, PageAnnotation } from '../shapes.ts';
import type { AnnotationChanges } from './changes.ts';
import type { Agent } from './holder.ts';
import { isHeld, isHolder } from './holder.ts';
import { hasLapsed, letGoLapsed } from './lapse.ts';
import { loadAnnotations, loadPageAnnotations } from './rows.ts';
import type { NewReply } from './thread.ts';
import { addReply, refuseFull } from './thread.ts';

export interface ActionParts {
  readonly store: Store;
  readonly changes: AnnotationChanges;
  readonly limits: AnnotationLimits;
  readonly now: () => number;
  /** Absent: nobody outside hears of changes. */
  readonly events?: Publisher | undefined;
}

/** Which note; with a session, only a note of that session. */
export interface NoteRef {
  readonly organizationId: string;
  readonly id: string;
  readonly sessionId?: string;
  /** The agent that acts; absent: a person does. */
  readonly agent?: Agent;
}

/** What an action does to a note that it has locked. */
export interface Step {
  /** The statuses it is allowed from. */
  readonly from: readonly AnnotationStatus[];
  /** The proposal it must still be about. */
  readonly revision?: number;
  readonly set: Partial<AnnotationRow>;
  readonly replies?: readonly (NewReply | undefined)[];
  /** Words that go in before those, however full the thread is. */
  readonly notices?: readonly (NewReply | undefined)[];
  /** The text of the conflict; absent: names the status. */
  readonly refusal?: string;
}

/** The answer for a note that does not exist, or that belongs to somebody else: the same for both. */
export function noteNotFound(id: string): ToolError {
  return new ToolError('not_found', `Annotation not found: ${id}`);
}

type Decide = (before: AnnotationRow, tx: StoreTransaction) => Step | Promise<Step>;

/** Runs one action of an agent and returns the note as it is after it. */
export function act(parts: ActionParts, ref: NoteRef, decide: Decide): Promise<Annotation> {
  return actAndLoad(parts, ref, decide, loadAnnotations);
}

/** The same for an action of the note's own page. */
export function actOfPage(parts: ActionParts, ref: NoteRef, decide: Decide): Promise<PageAnnotation> {
  return actAndLoad(parts, ref, decide, loadPageAnnotations);
}

function actAndLoad<Loaded extends Annotation>(
  parts: ActionParts,
  ref: NoteRef,
  decide: Decide,
  load: (tx: StoreTransaction, rows: readonly AnnotationRow[]) => Promise<Loaded[]>,
): Promise<Loaded> {
  return parts.store.transaction(async (tx) => {
    const [annotation] = await load(tx, [await change(parts, tx, ref, decide)]);
    if (annotation === undefined) throw noteNotFound(ref.id);
    return annotation;
  });
}

async function change(
  parts: ActionParts,
  tx: StoreTransaction,
  ref: NoteRef,
  decide: Decide,
): Promise<AnnotationRow> {
  const { changes, limits, now } = parts;
  const locked = await lockNote(tx, ref, now());
  const isLost = hasLapsed(locked, now()) && !isHolder(locked, ref.agent);
  const before = isLost ? await letGoLapsed(parts, tx, locked) : locked;
  const { from, revision, set, replies = [], notices = [], refusal } = await decide(before, tx);
  let update = tx
    .db<AnnotationTables>()
    .updateTable('annotations')
    .set({ ...set, updated_at: now() })
    .where('id', '=', ref.id)
    .where('status', 'in', from);
  if (revision !== undefined) update = update.where('diff_revision', '=', revision);
  const after = await update.returningAll().executeTakeFirst();
  if (after === undefined) {
    throw new ToolError('conflict', refusal ?? `This annotation is already ${before.status}.`);
  }
  const words = replies.filter((reply) => reply !== undefined);
  await refuseFull(tx, after.id, words, limits);
  const added = [...notices.filter((notice) => notice !== undefined), ...words];
  for (const reply of added) await addReply(tx, after, reply, now());
  await changes.announce(tx, {
    kind: 'notes',
    organizationId: after.organization_id,
    sessionId: after.session_id,
    ids: [after.id],
    pending: before.status === 'pending' || after.status === 'pending',
    ...(isHeld(after) && added.some(({ author }) => author === 'user') && { words: true }),
  });
  const event = changeEvent(before, after, added);
  if (event !== undefined) await parts.events?.publishAll(tx, [event]);
  return after;
}

/** Holds the row until the transaction ends, on both databases, and returns it as it is then. */
async function lockNote(tx: StoreTransaction, ref: NoteRef, now: number): Promise<AnnotationRow> {
  let query = tx
    .db<AnnotationTables>()
    .updateTable('annotations')
    .set({ updated_at: now })
    .where('id', '=', ref.id)
    .where('organization_id', '=', ref.organizationId);
  if (ref.sessionId !== undefined) query = query.where('session_id', '=', ref.sessionId);
  const row = await query.returningAll().executeTakeFirst();
  if (row === undefined) throw noteNotFound(ref.id);
  return row;
}
