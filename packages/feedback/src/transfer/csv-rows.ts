/** Rows of a CSV file: quotes, line ends of every kind, and the delimiter that its first line uses. */
import { pipeline } from 'node:stream/promises';
import { detach } from '@parley/kit';
import type { CsvError, Options, Parser } from 'csv-parse';
import { FileFault, faultAt } from './file-fault.ts';
import { unguard } from './formula-guard.ts';
import type { Field, RawRow } from './raw-row.ts';
import { fieldOf, rememberUnknown, shown } from './raw-row.ts';
import { readText } from './read-text.ts';

const MAX_RECORD_BYTES = 1024 * 1024;
const LINE_ENDS = ['\r\n', '\n', '\r'];
const DELIMITERS = [',', ';', '\t'];

/** The rows after the header; numbers are those of a spreadsheet, so the header is row 1. */
export async function* readCsv(path: string, unknown: Set<string>): AsyncGenerator<RawRow> {
  let header: Header | undefined;
  let number = 0;
  for await (const record of readRecords(path)) {
    number += 1;
    if (record.length === 1 && record[0]?.trim() === '') continue;
    if (header === undefined) header = readHeader(record, number, unknown);
    else yield rowOf(number, record, header);
  }
  if (header === undefined)
    throw new FileFault('The file is empty. Its first line must name the columns, e.g. title,content.');
}

/** What each column holds; undefined for those that are ignored. */
type Header = readonly (Field | undefined)[];

function readHeader(names: readonly string[], line: number, unknown: Set<string>): Header {
  const columns = new Map<Field, string>();
  const header = names.map((name) => {
    const field = fieldOf(name);
    if (field === undefined) {
      if (name.trim() !== '') rememberUnknown(unknown, name.trim());
      return undefined;
    }
    const other = columns.get(field);
    if (other !== undefined)
      throw faultAt(line, `The columns "${shown(other)}" and "${shown(name)}" both mean ${field}. Keep one.`);
    columns.set(field, name);
    return field;
  });
  if (columns.has('title')) return header;
  throw faultAt(line, `There is no column "title". The first line names: ${shown(names.join(', '))}`);
}

function rowOf(number: number, record: readonly string[], header: Header): RawRow {
  if (record.length !== header.length) {
    const fault = `has ${record.length} values, but there are ${header.length} columns`;
    return { number, fields: {}, fault };
  }
  const fields: RawRow['fields'] = {};
  for (const [index, field] of header.entries()) {
    const value = record[index] ?? '';
    if (field !== undefined && value.trim() !== '') fields[field] = unguard(value);
  }
  return { number, fields };
}

async function* readRecords(path: string): AsyncGenerator<string[]> {
  const { parse } = await import('csv-parse');
  let line = 0;
  const options: Options = {
    bom: true,
    delimiter: await delimiterOf(path),
    record_delimiter: LINE_ENDS,
    relax_column_count: true,
    max_record_size: MAX_RECORD_BYTES,
    on_record(record: string[], { lines }) {
      line = lines;
      return record;
    },
  };
  const parser: Parser & AsyncIterable<string[]> = parse(options);
  // What goes wrong in reading ends the parser, and so the loop below.
  detach(pipeline(readText(path), parser), () => undefined);
  try {
    yield* parser;
  } catch (error) {
    throw asFileFault(error, line + 1);
  }
}

/** The delimiter that stands most often in the first line. */
async function delimiterOf(path: string): Promise<string> {
  let head = '';
  for await (const piece of readText(path)) {
    head = /^[^\r\n]*/.exec(piece)?.[0] ?? '';
    break;
  }
  const counts = DELIMITERS.map((delimiter) => head.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

const CODES: Partial<Record<CsvError['code'], string>> = {
  CSV_INVALID_CLOSING_QUOTE: 'a quote is closed in the middle of a value. Write quotes inside a value twice.',
  INVALID_OPENING_QUOTE:
    'a quote stands in a value that is not quoted. Quote the value, and write quotes inside it twice.',
};

function asFileFault(error: unknown, rowLine: number): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  // Errors of the parser carry the line that it had come to.
  const { code, lines } = error as CsvError & { lines?: number };
  if (code === 'CSV_QUOTE_NOT_CLOSED') return faultAt(rowLine, 'a quote is opened here and never closed.');
  if (code === 'CSV_MAX_RECORD_SIZE')
    return faultAt(rowLine, 'the row is larger than 1 MiB. Is a quote not closed?');
  const text = CODES[code];
  return text === undefined ? error : faultAt(lines ?? rowLine, text);
}
