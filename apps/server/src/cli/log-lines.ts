/** One call as a line: for people, as JSON, or as CSV. */
import type { LogEntry } from '@parley/mesh';
import { printable } from '../printable.ts';
import { fitted } from './table.ts';

const WIDTHS = { time: 24, outcome: 14, duration: 10, caller: 30 };

/** The line over the columns. */
export function headerOf(): string {
  return `${[
    'TIME'.padEnd(WIDTHS.time),
    'OUTCOME'.padEnd(WIDTHS.outcome),
    'MS'.padStart(WIDTHS.duration),
    'CALLER'.padEnd(WIDTHS.caller),
    'TOOL',
  ].join('  ')}\n`;
}

/** The call in aligned columns; what went wrong stands at the end. */
export function lineOf(entry: LogEntry, names: ReadonlyMap<string, string>): string {
  const { isError, errorCode, errorMessage, durationMs, callerId, toolName } = entry;
  const columns = [
    entry.timestamp.padEnd(WIDTHS.time),
    printable(errorCode ?? (isError ? 'error' : 'ok')).padEnd(WIDTHS.outcome),
    durationMs.toFixed(1).padStart(WIDTHS.duration),
    fitted(names.get(callerId) ?? callerId, WIDTHS.caller),
    printable(`${placeOf(entry)} ${toolName}`),
  ];
  if (errorMessage !== null) columns.push(printable(errorMessage));
  return `${columns.join('  ')}\n`;
}

/** A toolset or a connection whose id somebody chose is called by that; a made id tells nobody anything. */
function placeOf({ connectionId, connectionTitle }: LogEntry): string {
  return /^(?:conn|vir)_/.test(connectionId) ? (connectionTitle ?? connectionId) : connectionId;
}
