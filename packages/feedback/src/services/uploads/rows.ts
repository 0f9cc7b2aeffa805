/** Imports as rows, and as surfaces show them. */
import type { Queryable } from '@parley/store';
import { fromJson } from '@parley/store';
import type { Selectable } from 'kysely';
import { notFound } from '../../faults.ts';
import type { FeedbackTables, UploadRow } from '../../schema.ts';
import { isoOf } from '../../shapes/fields.ts';
import type { Import, ImportResult } from '../../shapes/transfer.ts';
import type { Tables } from '../posts/rows.ts';

/** An import with what has come of its file and who began it. */
export interface NamedUpload extends Selectable<UploadRow> {
  author_name: string | null;
  received: number | string | null;
}

/** The imports of an organization; the caller adds conditions and an order. */
export function uploadsOf(from: Queryable, organizationId: string) {
  return from
    .db<Tables>()
    .selectFrom('feedback_imports as upload')
    .leftJoin('users as author', 'author.id', 'upload.user_id')
    .selectAll('upload')
    .select('author.name as author_name')
    .select((query) =>
      query
        .selectFrom('feedback_import_parts as part')
        .select(({ fn }) => fn.sum<number | string | null>('part.size_bytes').as('received'))
        .whereRef('part.organization_id', '=', 'upload.organization_id')
        .whereRef('part.import_id', '=', 'upload.id')
        .as('received'),
    )
    .where('upload.organization_id', '=', organizationId);
}

/** One import that must be there. */
export async function requireUpload(
  from: Queryable,
  organizationId: string,
  id: string,
): Promise<NamedUpload> {
  const row = await uploadsOf(from, organizationId).where('upload.id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('Import');
  return row;
}

/** Writes what has changed of an import. */
export async function setUpload(
  from: Queryable,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
  set: Partial<Omit<Selectable<UploadRow>, 'organization_id' | 'id'>>,
): Promise<void> {
  await from
    .db<FeedbackTables>()
    .updateTable('feedback_imports')
    .set(set)
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
}

/** Forgets the file of an import. */
export async function dropParts(
  from: Queryable,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
): Promise<void> {
  await from
    .db<FeedbackTables>()
    .deleteFrom('feedback_import_parts')
    .where('organization_id', '=', organizationId)
    .where('import_id', '=', id)
    .execute();
}

export function toImport(row: NamedUpload): Import {
  const isKept = row.state === 'uploading' || Number(row.received ?? 0) > 0;
  return {
    id: row.id,
    fileName: row.file_name,
    sizeBytes: row.size_bytes,
    // Once an import is over its file is gone, and all of it had come.
    receivedBytes: isKept ? Number(row.received ?? 0) : row.size_bytes,
    state: row.state,
    rowsDone: row.rows_done,
    rowsTotal: row.rows_total,
    options: fromJson<Import['options']>(row.options),
    report: row.report === null ? null : fromJson<ImportResult>(row.report),
    fault: row.fault,
    authorName: row.author_name,
    createdAt: isoOf(row.created_at),
    updatedAt: isoOf(row.updated_at),
  };
}
