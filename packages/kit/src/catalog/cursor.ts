/** Cursors of the tool list: pages are cut by name, so a cursor needs no session. */
import { ProtocolFault, RPC } from '../call/errors.ts';

/** The cursor after a tool. */
export function encodeCursor(name: string): string {
  return Buffer.from(name, 'utf8').toString('base64url');
}

// No tool has a longer name, and base64url writes three bytes as four characters.
const LONGEST_NAME = 128;
const LONGEST_CURSOR = Math.ceil((LONGEST_NAME * 4) / 3);

/** The name that a cursor stands for; a bad cursor is a protocol fault. */
export function decodeCursor(cursor: string): string {
  const name = cursor.length > LONGEST_CURSOR ? '' : Buffer.from(cursor, 'base64url').toString('utf8');
  if (name === '' || encodeCursor(name) !== cursor) {
    throw new ProtocolFault(RPC.invalidParams, 'Invalid cursor: use the nextCursor of the page before.');
  }
  return name;
}
