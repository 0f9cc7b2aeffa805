/** Imports an archive into an empty organization: ids, times and authors stay what they were. */
import type { Queryable, Store, StoreTransaction } from '@parley/store';
import { isUniqueViolation } from '@parley/store';
import { sql } from 'kysely';
import { conflict } from '../faults.ts';
import type { FeedbackTables } from '../schema.ts';
import { holdOrganization } from '../services/hold.ts';
import type { Noun } from '../services/write.ts';
import { changedTopic } from '../services/write.ts';
import type { ArchiveLine } from './archive-check.ts';
import { readArchive } from './archive-check.ts';
import type { ArchivePeople } from './archive-people.ts';
import { openArchivePeople } from './archive-people.ts';
import { finishArchive, scheduledIn } from './archive-schedule.ts';
import { writeLines } from './archive-write.ts';
import { FileFault } from './file-fault.ts';
import { importKeyOf } from './import-key.ts';
import type { Importer, ImportOptions, ImportServices } from './import-posts.ts';
import type { ImportReport } from './report.ts';

const BATCH_LINES = 200;
const NOUNS: readonly Noun[] = ['boards', 'statuses', 'tags', 'roadmaps', 'members', 'posts', 'changelog'];

/** Imports the archive at a path; all of it is checked before anything is written. */
export async function importArchive(
  services: ImportServices,
  importer: Importer,
  path: string,
  { observer = {}, signal, isDryRun = false }: ImportOptions = {},
): Promise<ImportReport> {
  const { store, now } = services;
  const { organizationId } = importer.actor;
  const importKey = await importKeyOf(path, { kind: 'archive' });
  const before = await doneBefore(store, organizationId, importKey);
  if (before === undefined) await requireEmpty(store, organizationId);
  let total = 0;
  for await (const _line of readArchive(path)) total += 1;

  const sums = { rows: 0, imported: 0, skipped: 0 };
  const report = (isStopped: boolean): ImportReport => ({
    ...sums,
    kind: 'archive',
    isDryRun,
    isStopped,
    failed: 0,
    faults: [],
    ignoredColumns: [],
    newBoards: [],
    newTags: [],
  });
  if (isDryRun || before?.isFinished === true) {
    sums.rows = total;
    sums[isDryRun && before === undefined ? 'imported' : 'skipped'] = total;
    return report(false);
  }

  const people = await openArchivePeople({ store, importer, importKey, now });
  const run: Run = { services, importer, importKey, people };
  try {
    let linesDone = before?.linesDone;
    const scheduled = new Map<string, { publishedAt: string; updatedAt: string }>();
    for await (const batch of inBatches(readArchive(path))) {
      if (signal?.aborted === true) return report(true);
      for (const line of batch) scheduledIn(scheduled, line);
      const lines = batch.filter(({ number }) => number > (linesDone ?? 0));
      if (lines.length > 0) {
        linesDone = await takeBatch(run, lines, linesDone);
        await store.letWritersThrough();
      }
      sums.rows += batch.length;
      sums.imported += lines.length;
      sums.skipped += batch.length - lines.length;
      observer.progress?.(sums.rows, total);
    }
    await finishArchive(services, importer.actor, { importKey, scheduled });
    return report(false);
  } finally {
    people.close();
  }
}

interface Run {
  readonly services: ImportServices;
  readonly importer: Importer;
  readonly importKey: string;
  readonly people: ArchivePeople;
}

async function* inBatches(lines: AsyncIterable<ArchiveLine>): AsyncGenerator<ArchiveLine[]> {
  let batch: ArchiveLine[] = [];
  for await (const line of lines) {
    batch.push(line);
    if (batch.length < BATCH_LINES) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Writes some lines, and that they are written; returns the number of the last one. */
async function takeBatch(
  run: Run,
  lines: readonly ArchiveLine[],
  before: number | undefined,
): Promise<number> {
  const { services, importer, importKey, people } = run;
  const { organizationId } = importer.actor;
  const last = lines.at(-1)?.number ?? 0;
  const now = services.now();
  for (const line of lines) if ('person' in line) await people.place(line.person);
  try {
    await services.store.transaction(async (tx) => {
      if (before === undefined) await begin(run, tx, now);
      await moveOn(tx, { organizationId, importKey, from: before ?? 0, to: last });
      await people.keep(tx);
      await writeLines(tx, organizationId, lines, { people, now });
      for (const noun of NOUNS) await tx.signal(changedTopic(noun), organizationId);
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new FileFault(
      `line ${lines[0]?.number} to ${last}: two lines of the archive are about the same thing.`,
    );
  }
  return last;
}

/** The statuses of a new organization make room for those of the archive. */
async function begin({ importer, importKey }: Run, tx: StoreTransaction, now: number): Promise<void> {
  const { organizationId } = importer.actor;
  await holdOrganization({ tx, actor: importer.actor });
  await requireEmpty(tx, organizationId);
  const db = tx.db<FeedbackTables>();
  await db.deleteFrom('feedback_statuses').where('organization_id', '=', organizationId).execute();
  await db
    .insertInto('feedback_archives')
    .values({
      organization_id: organizationId,
      import_key: importKey,
      lines_done: 0,
      created_at: now,
      finished_at: null,
    })
    .execute();
}

async function moveOn(
  tx: StoreTransaction,
  {
    organizationId,
    importKey,
    from,
    to,
  }: { organizationId: string; importKey: string; from: number; to: number },
): Promise<void> {
  const { numUpdatedRows } = await tx
    .db<FeedbackTables>()
    .updateTable('feedback_archives')
    .set({ lines_done: to })
    .where('organization_id', '=', organizationId)
    .where('import_key', '=', importKey)
    .where('lines_done', '=', from)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw conflict('This archive is being imported by another process.');
}

async function doneBefore(
  store: Store,
  organizationId: string,
  importKey: string,
): Promise<{ linesDone: number; isFinished: boolean } | undefined> {
  const row = await store
    .db<FeedbackTables>()
    .selectFrom('feedback_archives')
    .select(['lines_done', 'finished_at'])
    .where('organization_id', '=', organizationId)
    .where('import_key', '=', importKey)
    .executeTakeFirst();
  return row && { linesDone: row.lines_done, isFinished: row.finished_at !== null };
}

const HOLDS = {
  boards: 'feedback_boards',
  posts: 'feedback_posts',
  tags: 'feedback_tags',
  roadmaps: 'feedback_roadmaps',
  'changelog entries': 'feedback_changelog',
  'a part of another archive': 'feedback_archives',
} as const;

async function requireEmpty(from: Queryable, organizationId: string): Promise<void> {
  for (const [what, table] of Object.entries(HOLDS)) {
    const { rows } = await sql`select 1 from ${sql.table(table)}
      where organization_id = ${organizationId} limit 1`.execute(from.db());
    if (rows.length > 0)
      throw conflict(
        `An archive can be imported into an empty organization only, and this one has ${what}. Start with a new data folder.`,
      );
  }
}
