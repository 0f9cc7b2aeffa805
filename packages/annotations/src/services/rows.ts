/** From rows to what every surface shows. */
import type { Queryable } from '@parley/store';
import { fromJson } from '@parley/store';
import type { AnnotationRow, AnnotationTables, ReplyRow, ScreenshotRow, SessionRow } from '../schema.ts';
import type { Annotation, Captured, PageAnnotation, Reply, Screenshot, Session } from '../shapes.ts';
import type { ThreadCut } from '../threads.ts';
import { cutThread, FULL_THREAD } from '../threads.ts';
import { endsOfThreads } from './thread.ts';

/** Milliseconds as ISO 8601. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** The session that a row makes at a moment. */
export function toSession(row: SessionRow, now: number): Session {
  return {
    id: row.id,
    createdAt: isoTime(row.created_at),
    lastSeenAt: isoTime(row.last_seen_at),
    active: row.live_until > now,
    url: row.url,
    title: row.title,
    origin: row.origin,
    viewport: fromJson<Session['viewport']>(row.viewport),
    userAgent: row.user_agent,
    // Only checked hello messages are written to this column.
    framework: row.framework as Session['framework'],
    autoApprove: row.auto_approve === 1,
    projectId: row.project_id,
  };
}

/** The annotations that rows make, with the ends of their threads and the descriptions of their pictures. */
export async function loadAnnotations(
  from: Queryable,
  rows: readonly AnnotationRow[],
  cut: ThreadCut = FULL_THREAD,
): Promise<Annotation[]> {
  if (rows.length === 0) return [];
  const db = from.db<AnnotationTables>();
  const replies = await endsOfThreads(
    from,
    rows.map(({ id }) => id),
    cut,
  );
  const pictured = rows.flatMap(({ screenshot_id }) => (screenshot_id === null ? [] : [screenshot_id]));
  const screenshots =
    pictured.length === 0
      ? []
      : await db
          .selectFrom('annotation_screenshots')
          .select(['id', 'width', 'height', 'size_bytes', 'mime_type'])
          .where('id', 'in', pictured)
          .execute();
  const threads = Map.groupBy(replies, ({ annotation_id }) => annotation_id);
  const pictures = new Map(screenshots.map((row) => [row.id, toScreenshot(row)]));
  return rows.map((row) =>
    cutThread(toAnnotation(row, threads.get(row.id) ?? [], pictures.get(row.screenshot_id ?? '')), cut),
  );
}

/** The same for the page that made them; no other surface shows the page's own ids. */
export async function loadPageAnnotations(
  from: Queryable,
  rows: readonly AnnotationRow[],
): Promise<PageAnnotation[]> {
  const clientIds = new Map(rows.map(({ id, client_id }) => [id, client_id]));
  const annotations = await loadAnnotations(from, rows);
  return annotations.map((note) => ({ ...note, clientId: clientIds.get(note.id) ?? '' }));
}

/** The description that a row of a picture makes. */
export function toScreenshot(row: Omit<ScreenshotRow, 'data'> | ScreenshotHead): Screenshot {
  const { id, width, height, size_bytes, mime_type } = row;
  return { id, width, height, bytes: size_bytes, mimeType: mime_type };
}

type ScreenshotHead = Pick<ScreenshotRow, 'id' | 'width' | 'height' | 'size_bytes' | 'mime_type'>;

function toAnnotation(
  row: AnnotationRow,
  replies: readonly ReplyRow[],
  screenshot: Screenshot | undefined,
): Annotation {
  // Positions count from 1 without a gap.
  const repliesBefore = (replies[0]?.position ?? 1) - 1;
  return {
    id: row.id,
    sessionId: row.session_id,
    number: row.number,
    status: row.status,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
    ...(row.edited_at !== null && { editedAt: isoTime(row.edited_at) }),
    annotationText: row.annotation_text,
    // Only checked values are written to these two columns.
    intent: row.intent as Annotation['intent'],
    severity: row.severity as Annotation['severity'], // see above
    ...fromJson<Captured>(row.captured),
    ...(screenshot !== undefined && { screenshot }),
    ...(row.diff !== null && { diff: row.diff, diffRevision: row.diff_revision }),
    ...(row.diff_response !== null && { diffResponse: row.diff_response }),
    ...(repliesBefore > 0 && { repliesBefore }),
    replies: replies.map(toReply),
    ...(row.acknowledged_by !== null && {
      acknowledgedBy: fromJson<NonNullable<Annotation['acknowledgedBy']>>(row.acknowledged_by),
    }),
    ...(row.resolved_by !== null && { resolvedBy: row.resolved_by }),
    ...(row.resolved_at !== null && { resolvedAt: isoTime(row.resolved_at) }),
  };
}

function toReply(row: ReplyRow): Reply {
  return {
    id: row.id,
    createdAt: isoTime(row.created_at),
    author: row.author,
    ...(row.author_name !== null && { authorName: row.author_name }),
    message: row.message,
  };
}
