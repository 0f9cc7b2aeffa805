/** Finding memories: by the beginnings of words, and where there are none, by any part of the text. */
import { hash } from 'node:crypto';
import type { Queryable, StoreTransaction } from '@parley/store';
import { byEngine } from '@parley/store';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { MemoryTables } from './schema.ts';
import { fold, MAX_WORD, wordsOf } from './words.ts';

/** What is looked for, among what is not archived. */
export interface MemoryQuery {
  readonly agentId: string;
  readonly now: number;
  readonly limit: number;
}

/** The ids of what was found, best first, and how many there are in all. */
export interface FoundMemories {
  readonly ids: readonly number[];
  readonly total: number;
}

/** Puts the words of a memory into the index, in place of those it had. */
export async function indexWords(
  tx: StoreTransaction,
  { id, agentId, folded }: { id: number; agentId: string; folded: string },
): Promise<void> {
  const words = indexedWords(agentId, folded);
  await byEngine(tx.engine, { sqlite: ftsIndex, postgres: tsvectorIndex })(tx, id, words);
}

/** The words of a memory as they stand in the index. */
export function indexedWords(agentId: string, folded: string): string[] {
  const tag = tagOf(agentId);
  return wordsOf(folded)
    .filter((word) => word.length <= MAX_WORD)
    .map((word) => `${tag}${word}`);
}

async function ftsIndex(tx: StoreTransaction, id: number, words: string[]): Promise<void> {
  await unindexFts(tx, id);
  await sql`insert into agent_memories_fts (rowid, words) values (${id}, ${words.join(' ')})`.execute(
    tx.db(),
  );
}

async function tsvectorIndex(tx: StoreTransaction, id: number, words: string[]): Promise<void> {
  await sql`update agent_memories set words = array_to_tsvector(${words}::text[]) where id = ${id}`.execute(
    tx.db(),
  );
}

/** Takes the words of a memory out of the index. */
export async function unindexWords(tx: StoreTransaction, id: number): Promise<void> {
  await byEngine(tx.engine, {
    sqlite: unindexFts,
    postgres: (of: StoreTransaction) => tsvectorIndex(of, id, []),
  })(tx, id);
}

async function unindexFts(tx: StoreTransaction, id: number): Promise<void> {
  await sql`delete from agent_memories_fts where rowid = ${id}`.execute(tx.db());
}

/** All words as beginnings of words, those in the key first, then the newest; else the text anywhere, the newest first. */
export async function search(from: Queryable, text: string, query: MemoryQuery): Promise<FoundMemories> {
  const folded = fold(text);
  const words = wordsOf(folded);
  const isIndexed = words.length > 0 && words.every((word) => word.length <= MAX_WORD);
  if (isIndexed) {
    const byWords = await find(from, query, {
      where: matching(from, query, words),
      hits: keyHits(from, words),
    });
    if (byWords.total > 0) return byWords;
  }
  const position = positionOf(from);
  const where = sql<boolean>`agent_id = ${query.agentId} and ${position(sql.ref('folded'), folded)} > 0`;
  return find(from, query, { where });
}

/** The newest; both answers come from one index alone. */
export async function newest(from: Queryable, query: MemoryQuery): Promise<FoundMemories> {
  const own = found(from, query).where('agent_id', '=', query.agentId);
  const rows = await own.select('id').orderBy('seq', 'desc').limit(query.limit).execute();
  const { total } = await own.select(({ fn }) => fn.countAll().as('total')).executeTakeFirstOrThrow();
  return { ids: rows.map(({ id }) => id), total: Number(total) };
}

async function find(
  from: Queryable,
  query: MemoryQuery,
  { where, hits }: { where: RawBuilder<boolean>; hits?: RawBuilder<number> },
): Promise<FoundMemories> {
  const rows = await found(from, query)
    .select(['id', sql<number>`count(*) over ()`.as('total')])
    .where(where)
    .$if(hits !== undefined, (ranked) => ranked.orderBy(hits ?? sql``, 'desc'))
    .orderBy('seq', 'desc')
    .limit(query.limit)
    .execute();
  return { ids: rows.map(({ id }) => id), total: rows[0]?.total ?? 0 };
}

/** What a search may find: nothing that is archived, or has expired. */
function found(from: Queryable, { now }: MemoryQuery) {
  return from
    .db<MemoryTables>()
    .selectFrom('agent_memories')
    .where('archived', '=', 0)
    .where((live) => live.or([live('expires_at', 'is', null), live('expires_at', '>', now)]));
}

/** Rows that hold every word; built from letters and digits, never from raw text. */
function matching(from: Queryable, { agentId }: MemoryQuery, words: readonly string[]): RawBuilder<boolean> {
  const tag = tagOf(agentId);
  return byEngine(from.engine, {
    sqlite: () => {
      const match = words.map((word) => `"${tag}${word}" *`).join(' AND ');
      // The plus has SQLite begin with the words: every other index has more rows.
      return sql<boolean>`+agent_id = ${agentId} and id in
        (select rowid from agent_memories_fts where agent_memories_fts match ${match})`;
    },
    postgres: () => {
      const match = words.map((word) => `'${tag}${word}':*`).join(' & ');
      // The same for PostgreSQL: a computed value has no index.
      return sql<boolean>`agent_id || '' = ${agentId} and words @@ ${match}::tsquery`;
    },
  })();
}

/** How many of the words stand in the key. */
function keyHits(from: Queryable, words: readonly string[]): RawBuilder<number> {
  const position = positionOf(from);
  const hits = words.map(
    (word) => sql`case when ${position(sql.ref('key_words'), ` ${word}`)} > 0 then 1 else 0 end`,
  );
  return sql<number>`(${sql.join(hits, sql` + `)})`;
}

function positionOf({ engine }: Queryable) {
  return byEngine(engine, {
    sqlite: (text: RawBuilder<unknown>, part: string) => sql<number>`instr(${text}, ${part})`,
    postgres: (text: RawBuilder<unknown>, part: string) => sql<number>`strpos(${text}, ${part})`,
  });
}

/** Stands before each word of an agent, so that a search passes over no words of others. */
function tagOf(agentId: string): string {
  return hash('sha256', agentId, 'hex').slice(0, 6);
}
