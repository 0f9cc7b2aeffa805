/** The servers that files of clients name: the files read, within their limits. */
import { readFile, stat } from 'node:fs/promises';
import type { ClientEntry } from '@parley/connections';
import { entriesIn, MOST_ENTRIES } from '@parley/connections';
import { UsageError } from '../../config.ts';
import { printable } from '../../printable.ts';
import { asUsage } from './as-usage.ts';
import type { Place } from './import-places.ts';
import { textFromStdin } from './stdin.ts';

/** All servers of some files; a file that is not there has none, unless somebody named it. */
export async function readEntries(
  places: readonly Place[],
  { isNamed = false }: { readonly isNamed?: boolean } = {},
): Promise<ClientEntry[]> {
  const found: ClientEntry[] = [];
  for (const place of places) {
    const text = await textOf(place);
    if (text === undefined && isNamed)
      throw new UsageError(`There is no file ${printable(place.path)}. Check its path.`);
    if (text !== undefined) found.push(...asUsage(() => entriesIn(text, textIn(place))));
    if (found.length > MOST_ENTRIES)
      throw new UsageError(
        `There are more than ${MOST_ENTRIES} servers. Import them in parts, from smaller files.`,
      );
  }
  return found;
}

async function textOf({ path, maxBytes }: Place): Promise<string | undefined> {
  if (path === '-') return textFromStdin(maxBytes);
  // What cannot be looked at counts as not there.
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) return undefined;
  if (!info.isFile()) throw new UsageError(`${printable(path)} is not a file.`);
  if (info.size > maxBytes) throw new UsageError(`${printable(path)} has more than ${maxBytes} bytes.`);
  try {
    return await readFile(path, 'utf8');
  } catch {
    throw new UsageError(`${printable(path)} cannot be read. Check who may read it.`);
  }
}

function textIn({ client, path, folder }: Place) {
  return { client, folder, from: path === '-' ? 'standard input' : printable(path) };
}
