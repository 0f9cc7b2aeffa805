/** What the person in the browser does with the notes of their own session. */
import { ToolError, typeId } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import { isUniqueViolation, toJson } from '@parley/store';
import type { ClientPayload } from '../link/messages.ts';
import { changeEvent, createdEvent } from '../events.ts';
import type { AnnotationLimits } from '../limits.ts';
import type { AnnotationRow, AnnotationTables, SessionRow } from '../schema.ts';
import type { PageAnnotation } from '../shapes.ts';
import { strike } from '../secrets.ts';
import { STATUSES } from '../shapes.ts';
import { REOPENED } from './lapse.ts';
import { notesById } from './reading.ts';
import { loadPageAnnotations } from './rows.ts';
import type { ActionParts, Step } from './transitions.ts';
import { actOfPage, noteNotFound } from './transitions.ts';

export type ActingSession = Pick<SessionRow, 'id' | 'organization_id'>;

const OPEN = ['pending', 'acknowledged', 'diff_proposed'] as const;

export interface PersonActions {
  /** A second create with the same client id returns the first note. */
  create(
    session: ActingSession,
    note: ClientPayload<'annotation:create'>,
  ): Promise<{ annotation: PageAnnotation; isNew: boolean }>;
  edit(session: ActingSession, change: ClientPayload<'annotation:edit'>): Promise<PageAnnotation>;
  reply(session: ActingSession, reply: ClientPayload<'annotation:reply'>): Promise<PageAnnotation>;
  reopen(session: ActingSession, id: string): Promise<PageAnnotation>;
  /** Dismisses; nothing is ever removed by a page. */
  remove(session: ActingSession, id: string): Promise<PageAnnotation>;
  /** Dismisses the open notes of the session, or those named; returns how many. */
  clear(session: ActingSession, ids?: readonly string[]): Promise<number>;
}

export function createPersonActions(parts: ActionParts, limits: AnnotationLimits): PersonActions {
  const refOf = (session: ActingSession, id: string) => ({
    organizationId: session.organization_id,
    sessionId: session.id,
    id,
  });
  return {
    create: (session, note) => create(parts, limits, session, note),
    edit: (session, { id, annotationText, intent, severity }) =>
      actOfPage(parts, refOf(session, id), (before) => ({
        from: ['pending'],
        set: {
          ...(annotationText !== undefined && { annotation_text: annotationText }),
          ...(intent !== undefined && { intent }),
          ...(severity !== undefined && { severity }),
          edited_at: parts.now(),
        },
        refusal: `Only a pending annotation can be edited; this one is ${before.status}. Reply to it instead.`,
      })),
    reply: (session, { id, message, reopen = false }) =>
      actOfPage(parts, refOf(session, id), (before): Step => ({
        from: STATUSES,
        set: reopen && before.status !== 'pending' ? REOPENED : {},
        replies: [{ author: 'user', author_name: null, message }],
      })),
    reopen: (session, id) =>
      actOfPage(parts, refOf(session, id), () => ({
        from: STATUSES.filter((status) => status !== 'pending'),
        set: REOPENED,
      })),
    remove: (session, id) =>
      actOfPage(parts, refOf(session, id), () => ({
        from: STATUSES,
        set: { status: 'dismissed', lease_until: null, resolved_by: 'user', resolved_at: parts.now() },
      })),
    clear: (session, ids) => parts.store.transaction((tx) => clear(parts, tx, session, ids)),
  };
}

async function create(
  parts: ActionParts,
  limits: AnnotationLimits,
  session: ActingSession,
  note: ClientPayload<'annotation:create'>,
): Promise<{ annotation: PageAnnotation; isNew: boolean }> {
  const existing = await findByClientId(parts, session.id, note.clientId);
  if (existing !== undefined) return { annotation: existing, isNew: false };
  try {
    const annotation = await parts.store.transaction((tx) => insert(parts, tx, limits, session, note));
    return { annotation, isNew: true };
  } catch (error) {
    // The same note came over two connections at once; the other one has made it.
    const other = isUniqueViolation(error)
      ? await findByClientId(parts, session.id, note.clientId)
      : undefined;
    if (other === undefined) throw error;
    return { annotation: other, isNew: false };
  }
}

async function insert(
  { changes, now, events }: ActionParts,
  tx: StoreTransaction,
  limits: AnnotationLimits,
  session: ActingSession,
  note: ClientPayload<'annotation:create'>,
): Promise<PageAnnotation> {
  const { clientId, annotationText, intent, severity, screenshotId, ...captured } = strike(note);
  const db = tx.db<AnnotationTables>();
  // The counter's row is locked by this, so that the count below cannot be overtaken.
  const { last_number: number } = await db
    .updateTable('annotation_sessions')
    .set((each) => ({ last_number: each('last_number', '+', 1) }))
    .where('id', '=', session.id)
    .returning('last_number')
    .executeTakeFirstOrThrow(() => new ToolError('not_found', 'This session is gone. Reload the page.'));
  await refuseTooMany(tx, session.id, limits);
  if (screenshotId !== undefined) await requireScreenshot(tx, session.id, screenshotId);
  const row: AnnotationRow = {
    id: typeId('ann', now()),
    organization_id: session.organization_id,
    session_id: session.id,
    client_id: clientId,
    number,
    status: 'pending',
    annotation_text: annotationText,
    intent,
    severity,
    captured: toJson(captured),
    screenshot_id: screenshotId ?? null,
    diff: null,
    diff_revision: 0,
    diff_response: null,
    diff_words: null,
    acknowledged_by: null,
    holder_id: null,
    holder_client: null,
    holder_connection: null,
    lease_until: null,
    shown_replies: 0,
    edited_at: null,
    resolved_by: null,
    resolved_at: null,
    created_at: now(),
    updated_at: now(),
  };
  await db.insertInto('annotations').values(row).execute();
  const { organization_id: organizationId } = session;
  await changes.announce(tx, {
    kind: 'notes',
    organizationId,
    sessionId: session.id,
    ids: [row.id],
    pending: true,
  });
  await events?.publishAll(tx, [createdEvent(row)]);
  const [annotation] = await loadPageAnnotations(tx, [row]);
  if (annotation === undefined) throw noteNotFound(row.id);
  return annotation;
}

async function refuseTooMany(
  tx: StoreTransaction,
  sessionId: string,
  limits: AnnotationLimits,
): Promise<void> {
  const { open } = await tx
    .db<AnnotationTables>()
    .selectFrom('annotations')
    .select((each) => each.fn.countAll<number | string>().as('open'))
    .where('session_id', '=', sessionId)
    .where('status', 'in', OPEN)
    .executeTakeFirstOrThrow();
  if (Number(open) < limits.openNotesPerSession) return;
  throw new ToolError(
    'invalid',
    `This session has ${limits.openNotesPerSession} open notes already. Clear some before adding more.`,
  );
}

async function requireScreenshot(
  tx: StoreTransaction,
  sessionId: string,
  screenshotId: string,
): Promise<void> {
  const row = await tx
    .db<AnnotationTables>()
    .selectFrom('annotation_screenshots')
    .select('id')
    .where('id', '=', screenshotId)
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
  if (row === undefined) throw new ToolError('not_found', `Screenshot not found: ${screenshotId}`);
}

async function findByClientId(
  { store }: ActionParts,
  sessionId: string,
  clientId: string,
): Promise<PageAnnotation | undefined> {
  const rows = await store
    .db<AnnotationTables>()
    .selectFrom('annotations')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('client_id', '=', clientId)
    .execute();
  const [annotation] = await loadPageAnnotations(store, rows);
  return annotation;
}

async function clear(
  { changes, now, events }: ActionParts,
  tx: StoreTransaction,
  session: ActingSession,
  ids: readonly string[] | undefined,
): Promise<number> {
  const foreign = ids === undefined ? undefined : await firstForeign(tx, session.id, ids);
  if (foreign !== undefined) throw noteNotFound(foreign);
  let query = tx
    .db<AnnotationTables>()
    .updateTable('annotations')
    .set({
      status: 'dismissed',
      lease_until: null,
      resolved_by: 'user',
      resolved_at: now(),
      updated_at: now(),
    })
    .where('session_id', '=', session.id)
    .where('status', 'in', OPEN);
  if (ids !== undefined) query = query.where('id', 'in', ids.length === 0 ? [''] : ids);
  const cleared = await query.returningAll().execute();
  if (cleared.length === 0) return 0;
  await changes.announce(tx, {
    kind: 'notes',
    organizationId: session.organization_id,
    sessionId: session.id,
    ids: cleared.map(({ id }) => id),
    pending: true,
  });
  // Each of them was open.
  const told = cleared.flatMap((row) => changeEvent({ status: 'pending' }, row, []) ?? []);
  await events?.publishAll(tx, told);
  return cleared.length;
}

async function firstForeign(
  tx: StoreTransaction,
  sessionId: string,
  ids: readonly string[],
): Promise<string | undefined> {
  const own = new Set(
    (await notesById(tx, ids)).filter((note) => note.sessionId === sessionId).map(({ id }) => id),
  );
  return ids.find((id) => !own.has(id));
}
