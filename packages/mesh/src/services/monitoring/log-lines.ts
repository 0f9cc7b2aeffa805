/** Call records as lines of a file: JSON for programs, CSV for spreadsheets. */
import { csvLine } from '@parley/http/rest';
import type { LogEntry } from './logs.ts';

const COLUMNS = [
  'timestamp',
  'id',
  'connectionId',
  'connectionTitle',
  'toolName',
  'effect',
  'isError',
  'errorCode',
  'errorMessage',
  'durationMs',
  'userId',
  'callerId',
  'callerSource',
  'userAgent',
  'requestId',
  'traceId',
  'virtualMcpId',
  'protocolVersion',
  'bytesIn',
  'bytesOut',
  'properties',
  'input',
  'output',
] as const satisfies readonly (keyof LogEntry)[];

/** How a file of records is written. */
export interface LogLines {
  readonly header: string;
  readonly type: string;
  line(entry: LogEntry): string;
}

export const LOG_LINES: Readonly<Record<'jsonl' | 'csv', LogLines>> = {
  jsonl: {
    header: '',
    type: 'application/x-ndjson; charset=utf-8',
    line: (entry) => `${JSON.stringify(entry)}\n`,
  },
  csv: {
    header: csvLine(COLUMNS),
    type: 'text/csv; charset=utf-8',
    line: (entry) => csvLine(COLUMNS.map((column) => textOf(entry[column]))),
  },
};

function textOf(value: LogEntry[keyof LogEntry]): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
