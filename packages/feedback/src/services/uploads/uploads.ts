/** Imports over REST: a file comes in pieces, is checked by a dry run, and is written by a durable task. */
import { extname } from 'node:path';
import type { Caller } from '@parley/kit';
import { ToolError, typeId } from '@parley/kit';
import { toJson } from '@parley/store';
import type { Actor } from '../../actor.ts';
import { conflict } from '../../faults.ts';
import { checkId } from '../../ids.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { CreateImport, Import, RunImport } from '../../shapes/transfer.ts';
import { MAX_PART_BYTES } from '../../shapes/transfer.ts';
import type { ImportServices } from '../../transfer/import-posts.ts';
import type { CheckCurrent } from '../posts/posts.ts';
import type { Base, Change } from '../write.ts';
import { change } from '../write.ts';
import { dropParts, requireUpload, setUpload, toImport, uploadsOf } from './rows.ts';
import { IMPORT_KIND, importKind } from './run.ts';

export interface UploadService {
  /** The newest imports of the organization, at most 20. */
  list(actor: Actor): Promise<Import[]>;
  get(actor: Actor, id: string): Promise<Import>;
  create(actor: Actor, input: CreateImport): Promise<Import>;
  /** One piece of the file; pieces are joined by their numbers, and the same one may come again. */
  putPart(actor: Actor, id: string, number: string, data: string): Promise<Import>;
  /** Checks or writes what is in the file; the caller must still be an administrator when it is. */
  run(actor: Actor, caller: Caller, id: string, options: RunImport): Promise<Import>;
  /** Ends a run and forgets the file; posts that are written stay. */
  remove(actor: Actor, id: string, check?: CheckCurrent<Import>): Promise<void>;
}

const MOST_LISTED = 20;
const MOST_KEPT = 100;
const MOST_KEPT_BYTES = 128 * 1024 * 1024;
const MOST_PARTS = 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
const KEPT_MS = 30 * DAY_MS;
const FORMS = ['.csv', '.json', '.jsonl', '.ndjson'];
/** States in which the file is there and nothing works on it. */
const RUNNABLE: ReadonlySet<Import['state']> = new Set(['ready', 'checked', 'failed', 'stopped']);

/** Creates the service and registers its task; `services` are what the task writes with. */
export function createUploads(base: Base, services: () => ImportServices): UploadService {
  base.tasks.register(importKind(base, services));
  return {
    async list({ organizationId }) {
      const rows = await uploadsOf(base.store, organizationId)
        .orderBy('upload.created_at', 'desc')
        .orderBy('upload.id', 'desc')
        .limit(MOST_LISTED)
        .execute();
      return rows.map(toImport);
    },
    async get({ organizationId }, id) {
      return toImport(await requireUpload(base.store, organizationId, checkId('import', id)));
    },
    async create(actor, input) {
      checkName(input.fileName);
      return change(base, actor, (current) => insertUpload(current, input));
    },
    async putPart(actor, id, number, data) {
      checkId('import', id);
      const bytes = Buffer.from(data, 'base64');
      const part = { number: checkNumber(number), bytes };
      return change(base, actor, (current) => insertPart(current, id, part));
    },
    async run(actor, caller, id, options) {
      checkId('import', id);
      return change(base, actor, (current) => start(base, current, { id, caller, options }));
    },
    async remove(actor, id, check) {
      const { organizationId } = actor;
      const row = await requireUpload(base.store, organizationId, checkId('import', id));
      check?.(toImport(row));
      if (row.state === 'running' && row.task_id !== null && row.task_owner_id !== null) {
        const owner = { organizationId, ownerId: row.task_owner_id };
        await base.tasks.cancel(owner, row.task_id, 'The import was stopped.');
      }
      await change(base, actor, async ({ tx, now }) => {
        const scope = { organizationId, id };
        await dropParts(tx, scope);
        // What was stopped in the middle still tells that it was.
        if (row.state === 'running') await setUpload(tx, scope, { state: 'stopped', updated_at: now });
        else await dropRow(tx, scope);
      });
    },
  };
}

async function dropRow(
  tx: Change['tx'],
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
): Promise<void> {
  await tx
    .db<FeedbackTables>()
    .deleteFrom('feedback_imports')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
}

function checkName(name: string): void {
  if (FORMS.includes(extname(name).toLowerCase())) return;
  throw new ToolError('invalid', `fileName: must end in ${FORMS.slice(0, -1).join(', ')} or ${FORMS.at(-1)}`);
}

function checkNumber(text: string): number {
  const number = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (number < MOST_PARTS) return number;
  throw new ToolError('invalid', `number: must be a whole number from 0 to ${MOST_PARTS - 1}`);
}

async function insertUpload(current: Change, { fileName, sizeBytes }: CreateImport): Promise<Import> {
  const { tx, now, actor } = current;
  const { organizationId, userId } = actor;
  await sweep(current);
  const { kept, bytes } = await tx
    .db<FeedbackTables>()
    .selectFrom('feedback_imports')
    .select(({ fn }) => [
      fn.countAll<number | string>().as('kept'),
      fn.sum<number | string | null>('size_bytes').as('bytes'),
    ])
    .where('organization_id', '=', organizationId)
    .where('state', 'not in', ['done', 'stopped'])
    .executeTakeFirstOrThrow();
  if (Number(kept) >= MOST_KEPT || Number(bytes ?? 0) + sizeBytes > MOST_KEPT_BYTES)
    throw conflict('Other imports are not over yet. Finish or remove one of them first.');
  const id = typeId('import', now);
  await tx
    .db<FeedbackTables>()
    .insertInto('feedback_imports')
    .values({
      organization_id: organizationId,
      id,
      file_name: fileName,
      size_bytes: sizeBytes,
      state: 'uploading',
      options: toJson({}),
      report: null,
      fault: null,
      task_id: null,
      task_owner_id: null,
      user_id: userId,
      created_at: now,
      updated_at: now,
    })
    .execute();
  return toImport(await requireUpload(tx, organizationId, id));
}

/** Files that nobody came back for, and reports that are old. */
async function sweep({ tx, now, actor }: Change): Promise<void> {
  const { organizationId } = actor;
  const old = await tx
    .db<FeedbackTables>()
    .selectFrom('feedback_imports')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('state', '<>', 'running')
    .where(({ eb, and, or }) =>
      or([
        eb('updated_at', '<', now - KEPT_MS),
        and([eb('updated_at', '<', now - DAY_MS), eb('state', 'not in', ['done', 'stopped'])]),
      ]),
    )
    .execute();
  for (const { id } of old) {
    await dropParts(tx, { organizationId, id });
    await dropRow(tx, { organizationId, id });
  }
}

/** Keeps others from changing an import, and looks at it after that. */
async function holdUpload({ tx, actor: { organizationId } }: Change, id: string) {
  await tx.hold(
    tx
      .db<FeedbackTables>()
      .selectFrom('feedback_imports')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('id', '=', id),
  );
  return requireUpload(tx, organizationId, id);
}

async function insertPart(
  current: Change,
  id: string,
  { number, bytes }: { readonly number: number; readonly bytes: Buffer },
): Promise<Import> {
  const { tx, now, actor } = current;
  const { organizationId } = actor;
  const before = await holdUpload(current, id);
  if (before.state !== 'uploading') throw conflict('The file of this import is complete already.');
  if (bytes.length > MAX_PART_BYTES) throw new ToolError('invalid', 'data: must be at most 512 KiB');
  const part = { size_bytes: bytes.length, data: bytes.toString('base64') };
  await tx
    .db<FeedbackTables>()
    .insertInto('feedback_import_parts')
    .values({ organization_id: organizationId, import_id: id, number, ...part })
    .onConflict((same) => same.columns(['organization_id', 'import_id', 'number']).doUpdateSet(part))
    .execute();
  const { received } = await requireUpload(tx, organizationId, id);
  const total = Number(received ?? 0);
  if (total > before.size_bytes)
    throw new ToolError(
      'invalid',
      `data: the file has more than the ${before.size_bytes} bytes that it was to have`,
    );
  const state = total === before.size_bytes ? 'ready' : 'uploading';
  await setUpload(tx, { organizationId, id }, { state, updated_at: now });
  return toImport(await requireUpload(tx, organizationId, id));
}

interface Start {
  readonly id: string;
  readonly caller: Caller;
  readonly options: RunImport;
}

/** The task is made with the change, so that one is never there without the other. */
async function start(base: Base, current: Change, { id, caller, options }: Start): Promise<Import> {
  const { tx, now, actor } = current;
  const { organizationId } = actor;
  const before = await holdUpload(current, id);
  if (before.state === 'uploading') throw conflict('The file of this import is not complete yet.');
  if (before.state === 'running') throw conflict('This import is at work already.');
  if (!RUNNABLE.has(before.state) || Number(before.received ?? 0) === 0)
    throw conflict('This import is over. Send the file again to import it once more.');
  const task = await base.tasks.enqueueIn(tx, {
    kind: IMPORT_KIND,
    input: { organizationId, id, caller, options },
    caller,
    capabilities: {},
  });
  await setUpload(
    tx,
    { organizationId, id },
    {
      state: 'running',
      options: toJson(options),
      report: null,
      fault: null,
      rows_done: 0,
      rows_total: 0,
      task_id: task.id,
      task_owner_id: caller.id,
      updated_at: now,
    },
  );
  return toImport(await requireUpload(tx, organizationId, id));
}
