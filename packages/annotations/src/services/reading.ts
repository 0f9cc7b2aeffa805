/** Reading notes: one, some, those that are pending. */
import type { Queryable } from '@parley/store';
import type { AnnotationLimits } from '../limits.ts';
import type { AnnotationRow, AnnotationTables } from '../schema.ts';
import { jsonBytes } from '../lean.ts';
import type { Annotation, PageAnnotation } from '../shapes.ts';
import type { ThreadCut } from '../threads.ts';
import { loadAnnotations, loadPageAnnotations } from './rows.ts';

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

/** How much of a list one answer can hold. */
export interface ListLimits extends Pick<AnnotationLimits, 'listItems' | 'listBytes'> {
  /** The size of a note as it will be shown; absent: of all of it. */
  sizeOf?(annotation: Annotation): number;
  /** The most of a thread that will be shown. */
  readonly thread?: ThreadCut;
}

/** The pending notes of an organization or a session, oldest first, cut to what one answer can hold. */
export async function listPending(from: Queryable, scope: NoteScope, limits: ListLimits): Promise<NoteList> {
  const query = scopedQuery(from, scope).where('status', '=', 'pending');
  const rows = await query
    .selectAll()
    .orderBy('created_at')
    .orderBy('session_id')
    .orderBy('number')
    .limit(limits.listItems + 1)
    .execute();
  const annotations = await loadFitting(from, rows, limits);
  if (annotations.length === rows.length)
    return { annotations, total: annotations.length, isTruncated: false };
  return { annotations, total: await countOf(query), isTruncated: true };
}

/** How many there are. */
export function countPending(from: Queryable, scope: NoteScope): Promise<number> {
  return countOf(scopedQuery(from, scope).where('status', '=', 'pending'));
}

// A note may have a quarter of a megabyte, and what does not fit is read for nothing.
const READ_AT_ONCE = 20;

/** The notes of a session for its own page: the open ones first, then the newest, as many as fit; in their order. */
export async function notesOfSession(
  from: Queryable,
  sessionId: string,
  maxBytes: number,
): Promise<PageAnnotation[]> {
  const rows = await from
    .db<AnnotationTables>()
    .selectFrom('annotations')
    .select(['id', 'status'])
    .where('session_id', '=', sessionId)
    .orderBy('number', 'desc')
    .execute();
  const isOpen = ({ status }: (typeof rows)[number]) => status !== 'resolved' && status !== 'dismissed';
  const ids = [...rows.filter(isOpen), ...rows.filter((row) => !isOpen(row))].map(({ id }) => id);
  const fitting: PageAnnotation[] = [];
  let sizeBytes = 0;
  for (let at = 0; at < ids.length && sizeBytes < maxBytes; at += READ_AT_ONCE) {
    const wanted = ids.slice(at, at + READ_AT_ONCE);
    const read = new Map((await notesById(from, wanted)).map((note) => [note.id, note]));
    for (const id of wanted) {
      const note = read.get(id);
      if (note === undefined) continue;
      sizeBytes += jsonBytes(note);
      // The first is told however large it is.
      if (sizeBytes <= maxBytes || fitting.length === 0) fitting.push(note);
    }
  }
  return fitting.toSorted((left, right) => left.number - right.number);
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

/** The notes with these ids for their own page, in any order. */
export async function notesById(from: Queryable, ids: readonly string[]): Promise<PageAnnotation[]> {
  if (ids.length === 0) return [];
  const rows = await from
    .db<AnnotationTables>()
    .selectFrom('annotations')
    .selectAll()
    .where('id', 'in', ids)
    .orderBy('number')
    .execute();
  return loadPageAnnotations(from, rows);
}

/** The notes that match, of one organization and perhaps one session. */
export function scopedQuery(from: Queryable, { organizationId, sessionId }: NoteScope) {
  const query = from
    .db<AnnotationTables>()
    .selectFrom('annotations')
    .where('organization_id', '=', organizationId);
  return sessionId === undefined ? query : query.where('session_id', '=', sessionId);
}

/** How many notes a query finds. */
export async function countOf(query: ReturnType<typeof scopedQuery>): Promise<number> {
  const { total } = await query
    .select((each) => each.fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** The notes that rows make: at least one, then as many as fit; what does not is hardly read. */
export async function loadFitting(
  from: Queryable,
  rows: readonly AnnotationRow[],
  limits: ListLimits,
): Promise<Annotation[]> {
  const wanted = rows.slice(0, limits.listItems);
  const { sizeOf = jsonBytes } = limits;
  const fitting: Annotation[] = [];
  let sizeBytes = 0;
  for (let at = 0; at < wanted.length; at += READ_AT_ONCE) {
    for (const note of await loadAnnotations(from, wanted.slice(at, at + READ_AT_ONCE), limits.thread)) {
      sizeBytes += sizeOf(note);
      if (fitting.length > 0 && sizeBytes > limits.listBytes) return fitting;
      fitting.push(note);
    }
  }
  return fitting;
}

/** At least one note, then as many as fit. */
export function withinBytes(
  annotations: readonly Annotation[],
  { listBytes, sizeOf = jsonBytes }: ListLimits,
): Annotation[] {
  let sizeBytes = 0;
  const fitting = annotations.findIndex((annotation, index) => {
    sizeBytes += sizeOf(annotation);
    return index > 0 && sizeBytes > listBytes;
  });
  return fitting === -1 ? [...annotations] : annotations.slice(0, fitting);
}
