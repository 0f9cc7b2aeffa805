/** Reading notes: one, those of a session, those that are pending. */
import type { Queryable } from '@parley/store';
import type { AnnotationLimits } from '../limits.ts';
import type { AnnotationRow, AnnotationTables } from '../schema.ts';
import type { Annotation } from '../shapes.ts';
import { loadAnnotations } from './rows.ts';

/** A list that may be cut; `total` counts what there is. */
export interface NoteList {
  readonly annotations: readonly Annotation[];
  readonly total: number;
  readonly isTruncated: boolean;
}

/** Whose notes. */
export interface NoteScope {
  readonly organizationId: string;
  readonly sessionId?: string | undefined;
}

/** The notes of an organization or a session, oldest first, cut to what one answer can hold. */
export async function listNotes(
  from: Queryable,
  scope: NoteScope,
  limits: Pick<AnnotationLimits, 'listItems' | 'listBytes'>,
  options: { pendingOnly: boolean },
): Promise<NoteList> {
  const query = scopedQuery(from, scope, options.pendingOnly);
  const rows = await query
    .selectAll()
    .orderBy('created_at')
    .orderBy('session_id')
    .orderBy('number')
    .limit(limits.listItems + 1)
    .execute();
  const annotations = withinBytes(
    await loadAnnotations(from, rows.slice(0, limits.listItems)),
    limits.listBytes,
  );
  if (annotations.length === rows.length)
    return { annotations, total: annotations.length, isTruncated: false };
  const { total } = await query
    .select((each) => each.fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow();
  return { annotations, total: Number(total), isTruncated: true };
}

/** Every note of a session, for the page that made them. */
export async function allNotesOf(from: Queryable, sessionId: string): Promise<Annotation[]> {
  const rows = await from
    .db<AnnotationTables>()
    .selectFrom('annotations')
    .selectAll()
    .where('session_id', '=', sessionId)
    .orderBy('number')
    .execute();
  return loadAnnotations(from, rows);
}

/** One note; undefined when there is none in the organization. */
export async function findNote(
  from: Queryable,
  organizationId: string,
  id: string,
): Promise<AnnotationRow | undefined> {
  return from
    .db<AnnotationTables>()
    .selectFrom('annotations')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
}

/** The notes with these ids, in any order. */
export async function notesById(from: Queryable, ids: readonly string[]): Promise<Annotation[]> {
  if (ids.length === 0) return [];
  const rows = await from
    .db<AnnotationTables>()
    .selectFrom('annotations')
    .selectAll()
    .where('id', 'in', ids)
    .orderBy('number')
    .execute();
  return loadAnnotations(from, rows);
}

function scopedQuery(from: Queryable, { organizationId, sessionId }: NoteScope, pendingOnly: boolean) {
  let query = from
    .db<AnnotationTables>()
    .selectFrom('annotations')
    .where('organization_id', '=', organizationId);
  if (sessionId !== undefined) query = query.where('session_id', '=', sessionId);
  if (pendingOnly) query = query.where('status', '=', 'pending');
  return query;
}

/** At least one note, then as many as fit. */
function withinBytes(annotations: readonly Annotation[], maxBytes: number): Annotation[] {
  let sizeBytes = 0;
  const fitting = annotations.findIndex((annotation, index) => {
    sizeBytes += JSON.stringify(annotation).length;
    return index > 0 && sizeBytes > maxBytes;
  });
  return fitting === -1 ? [...annotations] : annotations.slice(0, fitting);
}
