/** Notes of an organization for people who look through them: newest first, in pages, and how many there are of each kind. */
import { ToolError } from '@parley/kit';
import type { Queryable } from '@parley/store';
import type { AnnotationTables, SessionRow } from '../schema.ts';
import type { Annotation, AnnotationStatus, Session } from '../shapes.ts';
import { loadAnnotations, toSession } from './rows.ts';

/** Which notes. */
export interface NoteQuery {
  readonly organizationId: string;
  readonly statuses?: readonly AnnotationStatus[] | undefined;
  readonly sessionId?: string | undefined;
  readonly projectId?: string | undefined;
  /** The address of their page, to the letter. */
  readonly url?: string | undefined;
  /** Part of what the person wrote. */
  readonly text?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** True: the same index, read from its other end. */
  readonly oldestFirst?: boolean | undefined;
}

/** A note with the page it stands on. */
export interface BrowsedNote {
  readonly annotation: Annotation;
  readonly session: Session;
}

/** A page that has notes, with how many of each status. */
export interface PageSummary {
  readonly session: Session;
  readonly counts: Readonly<Record<string, number>>;
}

// Lists show who spoke last, not all that was said.
const LAST_WORDS = { replies: 1, characters: 500 };

function matching(from: Queryable, query: NoteQuery) {
  let select = from
    .db<AnnotationTables>()
    .selectFrom('annotations')
    .innerJoin('annotation_sessions', 'annotation_sessions.id', 'annotations.session_id')
    .where('annotations.organization_id', '=', query.organizationId);
  if (query.statuses !== undefined && query.statuses.length > 0)
    select = select.where('annotations.status', 'in', query.statuses);
  if (query.sessionId !== undefined) select = select.where('annotations.session_id', '=', query.sessionId);
  if (query.projectId !== undefined)
    select = select.where('annotation_sessions.project_id', '=', query.projectId);
  if (query.url !== undefined) select = select.where('annotation_sessions.url', '=', query.url);
  const { text } = query;
  if (text !== undefined && text !== '')
    select = select.where((each) =>
      each(each.fn('lower', ['annotations.annotation_text']), 'like', `%${escaped(text.toLowerCase())}%`),
    );
  return select;
}

/** Signs that mean something in a pattern fit any one character, themselves too: the databases escape them differently. */
function escaped(text: string): string {
  return text.replaceAll(/[%_\\]/g, '_');
}

/** One page of notes, newest first unless it is said otherwise. */
export async function browseNotes(
  from: Queryable,
  query: NoteQuery,
  now: number,
): Promise<{ notes: BrowsedNote[]; nextCursor: string | null; total: number }> {
  const { limit, cursor, oldestFirst = false } = query;
  const [order, beyond] = oldestFirst ? (['asc', '>'] as const) : (['desc', '<'] as const);
  const all = matching(from, query);
  const { total } = await all
    .select((each) => each.fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow();
  let select = all
    .selectAll('annotations')
    .orderBy('annotations.created_at', order)
    .orderBy('annotations.id', order)
    .limit(limit + 1);
  if (cursor !== undefined) {
    const { at, id } = placeOf(cursor);
    select = select.where((where) =>
      where.or([
        where('annotations.created_at', beyond, at),
        where.and([where('annotations.created_at', '=', at), where('annotations.id', beyond, id)]),
      ]),
    );
  }
  const rows = await select.execute();
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  const annotations = await loadAnnotations(from, page, LAST_WORDS);
  const sessions = await sessionsById(
    from,
    page.map(({ session_id }) => session_id),
  );
  const notes = annotations.flatMap((annotation) => {
    const session = sessions.get(annotation.sessionId);
    return session === undefined ? [] : [{ annotation, session: toSession(session, now) }];
  });
  const nextCursor = hasMore ? Buffer.from(`${last.created_at} ${last.id}`).toString('base64url') : null;
  return { notes, nextCursor, total: Number(total) };
}

function placeOf(cursor: string): { at: number; id: string } {
  const [at = '', id = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ');
  if (!/^\d{1,15}$/.test(at) || !/^ann_\w{1,40}$/.test(id))
    throw new ToolError('invalid', 'cursor: must be the cursor of the page before');
  return { at: Number(at), id };
}

async function sessionsById(from: Queryable, ids: readonly string[]): Promise<Map<string, SessionRow>> {
  if (ids.length === 0) return new Map();
  const rows = await from
    .db<AnnotationTables>()
    .selectFrom('annotation_sessions')
    .selectAll()
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** The pages that were seen last, each with how many notes of which status it has. */
export async function browsePages(
  from: Queryable,
  { organizationId, limit }: { readonly organizationId: string; readonly limit: number },
  now: number,
): Promise<PageSummary[]> {
  const db = from.db<AnnotationTables>();
  const rows = await db
    .selectFrom('annotation_sessions')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('last_seen_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  if (rows.length === 0) return [];
  const counted = await db
    .selectFrom('annotations')
    .select(['session_id', 'status'])
    .select((each) => each.fn.countAll<number | string>().as('total'))
    .where('organization_id', '=', organizationId)
    .where(
      'session_id',
      'in',
      rows.map(({ id }) => id),
    )
    .groupBy(['session_id', 'status'])
    .execute();
  const bySession = Map.groupBy(counted, ({ session_id }) => session_id);
  return rows.map((row) => {
    const own = bySession.get(row.id) ?? [];
    const counts = Object.fromEntries(own.map(({ status, total }) => [status, Number(total)]));
    return { session: toSession(row, now), counts };
  });
}
