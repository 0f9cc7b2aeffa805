/** Texts without blanks between words, as in Chinese and Japanese, become searchable: their rows are indexed again. */
import type { Migration } from '@parley/store';
import { sql } from 'kysely';
import { pairedWords } from '../search/runs.ts';

const BATCH = 1000;

interface IndexedRow {
  seq: number | string;
  search_title: string;
  search_content: string;
}

/** Writes the pairs of signs; triggers and generated columns bring them into the indexes. */
export const pairRuns: Migration = async (db) => {
  for (let last = '-1'; ;) {
    const { rows } = await sql<IndexedRow>`select seq, search_title, search_content from feedback_posts
      where seq > cast(${last} as bigint) order by seq limit ${BATCH}`.execute(db);
    for (const { seq, search_title: title, search_content: content } of rows) {
      const [pairedTitle, pairedContent] = [pairedWords(title), pairedWords(content)];
      if (pairedTitle !== title || pairedContent !== content)
        await sql`update feedback_posts set search_title = ${pairedTitle}, search_content = ${pairedContent}
          where seq = cast(${String(seq)} as bigint)`.execute(db);
    }
    const end = rows.at(-1);
    if (end === undefined) return;
    last = String(end.seq);
  }
};
