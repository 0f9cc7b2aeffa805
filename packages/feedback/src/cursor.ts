/** Cursors: where a page ended, bound to what was asked, so that no cursor continues another query. */
import { createHash } from 'node:crypto';
import { ToolError } from '@parley/kit';

/** What a cursor belongs to. */
export interface CursorScope {
  readonly entity: string;
  readonly sort: string;
  /** The filters of the query; values that are undefined do not count. */
  readonly filter: Readonly<Record<string, unknown>>;
  /** What the sort key is; a number by default. */
  readonly keyType?: 'number' | 'string';
}

/** The last row of a page: its sort key, and its id for ties. */
export interface CursorPosition {
  readonly key: number | string;
  readonly id: string;
}

const VERSION = 1;

/** The text of a cursor. */
export function encodeCursor(scope: CursorScope, { key, id }: CursorPosition): string {
  const parts = [VERSION, scope.entity, scope.sort, digestOf(scope, { key, id }), key, id];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** The position in a cursor; throws when it was damaged or made for another query. */
export function decodeCursor(scope: CursorScope, text: string): CursorPosition {
  const parts = parse(text);
  if (parts === undefined || parts[0] !== VERSION || parts.length !== 6) throw badCursor();
  const [, entity, sort, digest, key, id] = parts;
  const isPosition = isKey(key, scope.keyType ?? 'number') && typeof id === 'string' && isKey(id, 'string');
  if (!isPosition || entity !== scope.entity || sort !== scope.sort) throw badCursor();
  if (digest !== digestOf(scope, { key, id })) throw badCursor();
  // What was damaged may still be JSON; only the text that we would write again is a cursor of ours.
  if (encodeCursor(scope, { key, id }) !== text) throw badCursor();
  return { key, id };
}

/** Only what a database could have given: a cursor that somebody made up must not become a fault there. */
function isKey(value: unknown, type: 'number' | 'string'): value is CursorPosition['key'] {
  if (type === 'number') return Number.isSafeInteger(value);
  return typeof value === 'string' && !value.includes('\0');
}

function badCursor(): ToolError<'invalid'> {
  return new ToolError(
    'invalid',
    'Invalid cursor: it is damaged or belongs to another query. Start again without a cursor.',
  );
}

function parse(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Covers the position too, so that a changed one is noticed. */
function digestOf({ filter }: CursorScope, { key, id }: CursorPosition): string {
  const given = Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([given, key, id]))
    .digest('base64url')
    .slice(0, 12);
}
