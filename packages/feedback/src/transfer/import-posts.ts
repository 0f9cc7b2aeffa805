/** Imports posts row by row: good rows are written in batches, bad ones are told, and a second run goes on. */
import type { Caller } from '@parley/kit';
import type { Actor } from '../actor.ts';
import type { FeedbackServices } from '../services/index.ts';
import { findAuthors } from './authors.ts';
import { importKeyOf } from './import-key.ts';
import type { NamedThings, NamingOptions } from './named-things.ts';
import { loadNamedThings } from './named-things.ts';
import type { PostRowInput } from './post-row.ts';
import { parsePostRow } from './post-row.ts';
import type { FileForm } from './read-rows.ts';
import { readRows } from './read-rows.ts';
import type { ImportObserver, ImportReport } from './report.ts';
import { createFaultList } from './report.ts';
import type { ImportScope } from './write-posts.ts';
import { writePosts, writtenRows } from './write-posts.ts';

export type ImportServices = Pick<
  FeedbackServices,
  'store' | 'identity' | 'boards' | 'statuses' | 'tags' | 'changelog' | 'now'
>;

/** What the one who imports has chosen. */
export interface ImportOptions extends NamingOptions {
  readonly isDryRun?: boolean | undefined;
  readonly observer?: ImportObserver | undefined;
  /** Stops between two batches; a second run goes on from there. */
  readonly signal?: AbortSignal | undefined;
}

/** Who imports. */
export interface Importer {
  readonly caller: Caller;
  readonly actor: Actor;
}

const BATCH_ROWS = 200;

/** Imports the posts of a file. */
export async function importPosts(
  services: ImportServices,
  importer: Importer,
  file: { readonly path: string; readonly form: FileForm },
  options: ImportOptions = {},
): Promise<ImportReport> {
  const { observer = {}, signal, isDryRun = false } = options;
  const { path, form } = file;
  const names = await loadNamedThings(services, importer.actor, options);
  const unknown = new Set<string>();
  // A file that cannot be read to its end is refused before anything is written.
  const total = await countRows(path, form, unknown);
  const { board = null, createBoards = false } = options;
  const importKey = await importKeyOf(path, { kind: 'posts', form, board, createBoards });
  const scope: ImportScope = { store: services.store, actor: importer.actor, importKey };
  const list = createFaultList(observer);
  const sums = { rows: 0, imported: 0, skipped: 0, failed: 0 };
  const run: Run = { services, importer, scope, names, isDryRun };

  let batch: PostRowInput[] = [];
  const flush = async () => {
    const { written, before } = await takeBatch(run, batch);
    sums.imported += written;
    sums.skipped += before;
    batch = [];
    observer.progress?.(sums.rows, total);
  };
  for await (const raw of readRows(path, form, unknown)) {
    if (signal?.aborted === true) break;
    sums.rows += 1;
    const row = checked(parsePostRow(raw, services.now()), names);
    if (isFaulty(row)) {
      sums.failed += 1;
      list.add(raw.number, row);
    } else batch.push(row);
    if (batch.length === BATCH_ROWS) await flush();
  }
  const isStopped = signal?.aborted === true;
  if (!isStopped) await flush();
  return {
    ...sums,
    kind: 'posts',
    isDryRun,
    isStopped,
    faults: list.faults,
    ignoredColumns: [...unknown],
    newBoards: names.newBoards(),
    newTags: names.newTags(),
  };
}

async function countRows(path: string, form: FileForm, unknown: Set<string>): Promise<number> {
  let rows = 0;
  for await (const _row of readRows(path, form, unknown)) rows += 1;
  return rows;
}

function checked(
  row: PostRowInput | readonly string[],
  names: NamedThings,
): PostRowInput | readonly string[] {
  if (isFaulty(row)) return row;
  const faults = names.check(row);
  return faults.length > 0 ? faults : row;
}

function isFaulty(row: PostRowInput | readonly string[]): row is readonly string[] {
  return Array.isArray(row);
}

interface Run {
  readonly services: ImportServices;
  readonly importer: Importer;
  readonly scope: ImportScope;
  readonly names: NamedThings;
  readonly isDryRun: boolean;
}

async function takeBatch(
  { services, importer, scope, names, isDryRun }: Run,
  batch: readonly PostRowInput[],
): Promise<{ written: number; before: number }> {
  const { store, identity } = services;
  const done = await writtenRows(
    scope,
    store,
    batch.map(({ number }) => number),
  );
  const rows = batch.filter(({ number }) => !done.has(number));
  if (rows.length === 0 || isDryRun) return { written: rows.length, before: done.size };
  const authorOf = await findAuthors({ store, identity, ...importer }, rows);
  const now = services.now();
  const posts = [];
  for (const row of rows) {
    const { number, title, content, voteCount, createdAt = now } = row;
    const isNamed = row.authorEmail !== undefined || row.authorName !== undefined;
    const ids = await names.resolve(row);
    posts.push({ number, title, content, voteCount, createdAt, isNamed, ...ids, ...authorOf(row) });
  }
  const written = await writePosts(scope, posts, now);
  await store.letWritersThrough();
  return { written, before: done.size + rows.length - written };
}
