/** The task that imports an uploaded file; begun again after a crash, it goes on where it ended. */
import { open, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Caller } from '@parley/kit';
import { detach, ToolError } from '@parley/kit';
import { toJson } from '@parley/store';
import type { Ending, Kind } from '@parley/tasks';
import { actorOf } from '../../actor.ts';
import { forbidden } from '../../faults.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { ImportResult, RunImport } from '../../shapes/transfer.ts';
import type { ImportServices } from '../../transfer/import-posts.ts';
import type { ImportReport } from '../../transfer/report.ts';
import type { Base } from '../write.ts';
import type { NamedUpload } from './rows.ts';
import { dropParts, requireUpload, setUpload } from './rows.ts';

export const IMPORT_KIND = 'feedback.import';

/** What is stored of a run. */
interface RunInput {
  readonly organizationId: string;
  readonly id: string;
  /** Who began it, as they were then. */
  readonly caller: Caller;
  readonly options: RunImport;
}

type TaskRun = Parameters<Kind['run']>[1];

/** The code of the task. */
export function importKind(base: Base, services: () => ImportServices): Kind {
  return {
    kind: IMPORT_KIND,
    version: 1,
    async run(given, task): Promise<Ending> {
      // Written by us when it was begun.
      const input = given as RunInput;
      try {
        const report = await runImport(base, services(), input, task);
        task.signal.throwIfAborted();
        const result = resultOf(report);
        await finish(base, input, result);
        return { outcome: 'completed', result };
      } catch (error) {
        // Whoever stopped it has said so, and a server that stops goes on with it later.
        task.signal.throwIfAborted();
        await fail(base, input, error instanceof ToolError ? error.message : 'Internal error');
        if (error instanceof ToolError) return { outcome: 'completed', result: { fault: error.message } };
        throw error;
      }
    },
  };
}

async function runImport(
  base: Base,
  services: ImportServices,
  { organizationId, id, caller: maker, options }: RunInput,
  { io, signal }: TaskRun,
): Promise<ImportReport> {
  const caller = await base.identity.current(maker);
  if (caller === undefined) throw forbidden('Whoever began this import is no longer a member.');
  const actor = await actorOf(base.identity, caller);
  const { importFile } = await import('../../transfer/import-file.ts');
  const tell = progressTo(base, { organizationId, id });
  const upload = await requireUpload(base.store, organizationId, id);
  return withFile(base, upload, (path) =>
    importFile(services, { caller, actor }, path, {
      ...options,
      signal,
      observer: {
        progress(done, total) {
          tell(done, total);
          // It is for eyes; the end of the work tells whether it went well.
          detach(io.progress(done, total), () => undefined);
        },
      },
    }),
  );
}

const TOLD_EVERY_MS = 500;

/** Notes how far it is, now and then: it is for eyes, and losing a note costs nothing. */
function progressTo(
  { store, now }: Base,
  scope: { readonly organizationId: string; readonly id: string },
): (done: number, total: number) => void {
  let toldAt = 0;
  return (done, total) => {
    if (now() - toldAt < TOLD_EVERY_MS && done < total) return;
    toldAt = now();
    const note = { rows_done: done, rows_total: total, updated_at: toldAt };
    // The next note makes up for it.
    detach(setUpload(store, scope, note), () => undefined);
  };
}

/** Puts the pieces together into a file that only this process can read, for as long as the work takes. */
async function withFile<T>(
  { store }: Base,
  { organization_id, id, file_name }: NamedUpload,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-import-'));
  try {
    const path = join(folder, `upload${extname(file_name).toLowerCase()}`);
    const file = await open(path, 'wx', 0o600);
    try {
      for (let next = 0; ;) {
        const part = await store
          .db<FeedbackTables>()
          .selectFrom('feedback_import_parts')
          .select(['number', 'data'])
          .where('organization_id', '=', organization_id)
          .where('import_id', '=', id)
          .where('number', '>=', next)
          .orderBy('number')
          .limit(1)
          .executeTakeFirst();
        if (part === undefined) break;
        await file.appendFile(Buffer.from(part.data, 'base64'));
        next = part.number + 1;
      }
    } finally {
      await file.close();
    }
    return await work(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function resultOf({ isStopped: _isStopped, ...report }: ImportReport): ImportResult {
  return {
    ...report,
    faults: [...report.faults],
    ignoredColumns: [...report.ignoredColumns],
    newBoards: [...report.newBoards],
    newTags: [...report.newTags],
  };
}

/** After a dry run the file is kept for the real one. */
async function finish(
  { store, now }: Base,
  scope: { readonly organizationId: string; readonly id: string },
  result: ImportResult,
): Promise<void> {
  await store.transaction(async (tx) => {
    if (!result.isDryRun) await dropParts(tx, scope);
    await setUpload(tx, scope, {
      state: result.isDryRun ? 'checked' : 'done',
      report: toJson(result),
      rows_done: result.rows,
      rows_total: result.rows,
      updated_at: now(),
    });
  });
}

async function fail(
  { store, now }: Base,
  scope: { readonly organizationId: string; readonly id: string },
  fault: string,
): Promise<void> {
  await setUpload(store, scope, { state: 'failed', fault, updated_at: now() });
}
