/** The rows of a file, whatever its form. */
import { extname } from 'node:path';
import { readCsv } from './csv-rows.ts';
import { FileFault } from './file-fault.ts';
import { readItems } from './json-items.ts';
import { parseLine, readLines } from './json-lines.ts';
import type { RawRow } from './raw-row.ts';
import { rowOfObject } from './raw-row.ts';

/** The forms that can be imported, by how the name of the file ends. */
export type FileForm = 'csv' | 'json' | 'jsonl';

/** The form of a file, by its name. */
export function formOf(path: string): FileForm {
  switch (extname(path).toLowerCase()) {
    case '.csv':
      return 'csv';
    case '.json':
      return 'json';
    case '.jsonl':
    case '.ndjson':
      return 'jsonl';
    default:
      throw new FileFault(`The name of ${path} does not tell its form. Use .csv, .json or .jsonl.`);
  }
}

/** All rows in order; `unknown` collects the names of columns that are ignored. */
export function readRows(path: string, form: FileForm, unknown: Set<string>): AsyncGenerator<RawRow> {
  if (form === 'csv') return readCsv(path, unknown);
  return form === 'json' ? readList(path, unknown) : readObjects(path, unknown);
}

async function* readList(path: string, unknown: Set<string>): AsyncGenerator<RawRow> {
  let number = 0;
  for await (const item of readItems(path)) {
    number += 1;
    yield rowOfObject(number, item, unknown);
  }
}

async function* readObjects(path: string, unknown: Set<string>): AsyncGenerator<RawRow> {
  for await (const line of readLines(path)) {
    const value = parseLine(line);
    yield value === undefined
      ? { number: line.number, fields: {}, fault: 'is not valid JSON' }
      : rowOfObject(line.number, value, unknown);
  }
}
