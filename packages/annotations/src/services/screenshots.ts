/** Screenshots: held apart from the notes, within a budget per project. */
import { ToolError, typeId } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import type { AnnotationLimits } from '../limits.ts';
import type { AnnotationTables, SessionRow } from '../schema.ts';
import type { Screenshot } from '../shapes.ts';
import { pictureFacts } from './picture.ts';
import { toScreenshot } from './rows.ts';

export interface Screenshots {
  add(session: SessionRow, bytes: Buffer, claimedType: string): Promise<Screenshot>;
  /** The picture of a note in base64; undefined when it has none. */
  ofNote(
    organizationId: string,
    annotationId: string,
  ): Promise<{ data: string; mimeType: string } | undefined>;
}

export function createScreenshots(store: Store, limits: AnnotationLimits, now: () => number): Screenshots {
  return {
    async add(session, bytes, claimedType) {
      if (bytes.length > limits.screenshotBytes) {
        throw new ToolError('invalid', `A screenshot has at most ${limits.screenshotBytes} bytes.`);
      }
      const facts = pictureFacts(bytes);
      if (facts === undefined || facts.mimeType !== claimedType) {
        throw new ToolError(
          'invalid',
          'A screenshot must be a PNG, JPEG or WebP picture, and its Content-Type must say which.',
        );
      }
      const row = {
        id: typeId('scr', now()),
        organization_id: session.organization_id,
        project_id: session.project_id,
        session_id: session.id,
        mime_type: facts.mimeType,
        width: facts.width,
        height: facts.height,
        size_bytes: bytes.length,
        data: bytes.toString('base64'),
        created_at: now(),
      };
      await store.transaction(async (tx) => {
        await makeRoom(tx, session, bytes.length, limits.screenshotBytesPerProject);
        await tx.db<AnnotationTables>().insertInto('annotation_screenshots').values(row).execute();
      });
      return toScreenshot(row);
    },

    async ofNote(organizationId, annotationId) {
      const row = await store
        .db<AnnotationTables>()
        .selectFrom('annotations')
        .innerJoin('annotation_screenshots', 'annotation_screenshots.id', 'annotations.screenshot_id')
        .select(['annotation_screenshots.data', 'annotation_screenshots.mime_type'])
        .where('annotations.id', '=', annotationId)
        .where('annotations.organization_id', '=', organizationId)
        .executeTakeFirst();
      return row && { data: row.data, mimeType: row.mime_type };
    },
  };
}

/** Removes the oldest pictures of closed notes until the new one fits. */
async function makeRoom(
  tx: StoreTransaction,
  session: SessionRow,
  neededBytes: number,
  budgetBytes: number,
): Promise<void> {
  const db = tx.db<AnnotationTables>();
  const rows = await db
    .selectFrom('annotation_screenshots')
    .leftJoin('annotations', 'annotations.screenshot_id', 'annotation_screenshots.id')
    .select(['annotation_screenshots.id', 'size_bytes', 'annotations.status'])
    .where('annotation_screenshots.organization_id', '=', session.organization_id)
    .where('annotation_screenshots.project_id', '=', session.project_id)
    .orderBy('annotation_screenshots.created_at')
    .execute();
  let excessBytes = rows.reduce((sum, row) => sum + row.size_bytes, neededBytes) - budgetBytes;
  const removed: string[] = [];
  for (const { id, size_bytes, status } of rows) {
    if (excessBytes <= 0) break;
    if (status !== 'resolved' && status !== 'dismissed') continue;
    removed.push(id);
    excessBytes -= size_bytes;
  }
  if (excessBytes > 0) {
    throw new ToolError(
      'invalid',
      'The screenshots of this project fill their space. Close some notes, then try again.',
    );
  }
  if (removed.length > 0) await db.deleteFrom('annotation_screenshots').where('id', 'in', removed).execute();
}
