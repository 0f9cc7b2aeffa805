/** What a program that failed wrote to its standard error, for those who may start programs. */
import type { Connection } from '@parley/connections';
import { actsAsAdministrator } from '@parley/connections';
import { printable } from '../../printable.ts';
import { redact } from '../../redaction/credentials.ts';
import type { Acting } from '../actions.ts';

const MOST_CHARACTERS = 500;

/** Its last lines; none when it wrote nothing, is no program, or is none of the caller's business. */
export function programWords(
  { host, caller }: Pick<Acting, 'host' | 'caller'>,
  { id, connection_type }: Pick<Connection, 'id' | 'connection_type'>,
): string[] {
  if (connection_type !== 'STDIO' || !actsAsAdministrator(caller)) return [];
  const text = redact(host.programWords(id).join('\n')).trim();
  const cut = text.length <= MOST_CHARACTERS ? text : `...${text.slice(3 - MOST_CHARACTERS)}`;
  return cut === '' ? [] : cut.split('\n').map(printable);
}

/** The same as lines to print. */
export function wroteLines(words: readonly string[]): string[] {
  return words.length === 0 ? [] : ['It wrote to its standard error:', ...words.map((line) => `  ${line}`)];
}
