/** Writes lines of an archive as rows, with what is derived from them. */
import type { StoreTransaction } from '@parley/store';
import { sql } from 'kysely';
import type { FeedbackTables } from '../schema.ts';
import { plainWords } from '../search/words.ts';
import { tagKey } from '../services/nouns/tags.ts';
import type { ArchiveLine } from './archive-check.ts';
import type { PeopleMap } from './archive-columns.ts';
import type { RecordName } from './archive-records.ts';
import { recordKind, rowOfLine } from './archive-records.ts';

type Row = Record<string, unknown>;
type Fields = Readonly<Record<string, unknown>>;

/** Inserts the rows of some lines; people are placed already. */
export async function writeLines(
  tx: StoreTransaction,
  organizationId: string,
  lines: readonly ArchiveLine[],
  { people, now }: { readonly people: PeopleMap; readonly now: number },
): Promise<void> {
  const byTable = new Map<keyof FeedbackTables, Row[]>();
  const add = (table: keyof FeedbackTables, row: Row) => {
    const rows = byTable.get(table) ?? [];
    rows.push({ organization_id: organizationId, ...row });
    byTable.set(table, rows);
  };
  for (const line of lines) {
    if ('person' in line) continue;
    const { kind, fields } = line;
    const row = rowOfLine(kind, fields, people);
    if (kind === 'settings') await setSettings(tx, organizationId, row);
    else add(recordKind(kind).table, { ...row, ...derived(kind, row, now) });
    for (const linked of linksOf(kind, fields)) add(linked.table, linked.row);
  }
  for (const [table, rows] of byTable) await insert(tx, table, rows);
}

function derived(kind: RecordName, row: Row, now: number): Row {
  if (kind === 'tag') return { name_key: tagKey(String(row.name)) };
  if (kind === 'post')
    return { search_title: plainWords(String(row.title)), search_content: plainWords(String(row.content)) };
  if (kind !== 'changelog' || row.published_at === null) return {};
  // What is published has been announced where it comes from; what is not yet is scheduled at the end.
  const publishedAt = Number(row.published_at);
  if (publishedAt <= now) return { announced_at: row.announced_at ?? publishedAt };
  return { published_at: null, announced_at: null };
}

function linksOf(kind: RecordName, fields: Fields): { table: keyof FeedbackTables; row: Row }[] {
  if (kind === 'post')
    return idsIn(fields.tagIds).map((tagId) => ({
      table: 'feedback_post_tags',
      row: { post_id: fields.id, tag_id: tagId },
    }));
  if (kind === 'changelog')
    return idsIn(fields.linkedPostIds).map((postId, position) => ({
      table: 'feedback_changelog_posts',
      row: { changelog_id: fields.id, post_id: postId, position },
    }));
  return [];
}

function idsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.map(String) : [];
}

async function setSettings(tx: StoreTransaction, organizationId: string, row: Row): Promise<void> {
  await tx
    .db<FeedbackTables>()
    .updateTable('feedback_settings')
    .set({
      is_published: row.is_published === 1 ? 1 : 0,
      site_name: textOrNull(row.site_name),
      accent_color: textOrNull(row.accent_color),
    })
    .where('organization_id', '=', organizationId)
    .execute();
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

const MAX_VALUES = 16_000;

/** Rows of one table have the same columns, so one statement takes many. */
async function insert(
  tx: StoreTransaction,
  table: keyof FeedbackTables,
  rows: readonly Row[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const perStatement = Math.max(1, Math.floor(MAX_VALUES / Math.max(1, columns.length)));
  const names = sql.join(columns.map((column) => sql.ref(column)));
  for (let at = 0; at < rows.length; at += perStatement) {
    const values = rows
      .slice(at, at + perStatement)
      .map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
    await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}`.execute(tx.db());
  }
}
