/** Imports and exports over REST, as every surface shows them. */
import * as z from 'zod';
import { line, text, time } from './fields.ts';

/** How far an import is: its file on the way, all there, at work, checked by a dry run, or over. */
export const UPLOAD_STATES = [
  'uploading',
  'ready',
  'running',
  'checked',
  'done',
  'failed',
  'stopped',
] as const;

/** The largest file; the command line takes any. */
export const MAX_UPLOAD_BYTES = 32 * 1024 * 1024;

/** The largest piece of a file. */
export const MAX_PART_BYTES = 512 * 1024;

/** What came of a run. */
export const ImportResult = z.object({
  kind: z.enum(['posts', 'archive']),
  isDryRun: z.boolean(),
  rows: z.int().describe('Rows, or lines of an archive, that were looked at'),
  imported: z.int().describe('Written now, or, in a dry run, those that could be'),
  skipped: z.int().describe('Written by an earlier run of the same import'),
  failed: z.int().describe('Rows with a fault'),
  faults: z
    .array(z.object({ row: z.int(), message: z.string() }))
    .describe('The first faults; rows are counted as a spreadsheet does'),
  ignoredColumns: z.array(z.string()),
  newBoards: z.array(z.string()),
  newTags: z.array(z.string()),
});
export type ImportResult = z.infer<typeof ImportResult>;

/** What a run is asked. */
export const RunImport = z.object({
  isDryRun: z.boolean().describe('True: checks everything and writes nothing'),
  board: text(1, 100).optional().describe('The board of rows that name none: ID, slug or name'),
  createBoards: z.boolean().optional().describe('True: boards that are named and absent are made'),
});
export type RunImport = z.infer<typeof RunImport>;

/** A file that somebody imports. */
export const Import = z.object({
  id: z.string(),
  fileName: z.string(),
  sizeBytes: z.int(),
  receivedBytes: z.int(),
  state: z.enum(UPLOAD_STATES),
  rowsDone: z.int(),
  rowsTotal: z.int(),
  /** What the last run was asked. */
  options: RunImport.partial(),
  report: ImportResult.nullable().describe('What came of the last run'),
  fault: z.string().nullable().describe('Why the last run ended early'),
  authorName: z.string().nullable(),
  createdAt: time,
  updatedAt: time,
});
export type Import = z.infer<typeof Import>;

/** A file to be sent in pieces. */
export const CreateImport = z.object({
  fileName: line(1, 255).describe('Its name; the ending .csv, .json, .jsonl or .ndjson tells the form'),
  sizeBytes: z
    .int()
    .min(1)
    .max(MAX_UPLOAD_BYTES, 'must be at most 32 MiB; import a larger file with "parley feedback import"'),
});
export type CreateImport = z.infer<typeof CreateImport>;

/** One piece of a file. */
export const ImportPart = z.object({
  data: z
    .base64()
    .min(1)
    .max(Math.ceil(MAX_PART_BYTES / 3) * 4)
    .describe('At most 512 KiB, as base64'),
});

/** The forms of an export: all posts as a table, or everything. */
export const EXPORT_FORMS = ['csv', 'archive'] as const;
export type ExportForm = (typeof EXPORT_FORMS)[number];
