/** What makes two runs the same import: the content of the file, and what was asked of it. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** The key under which an import remembers what it has written. */
export async function importKeyOf(path: string, options: Readonly<Record<string, unknown>>): Promise<string> {
  const hash = createHash('sha256');
  // Without an encoding the pieces are bytes.
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.update(JSON.stringify(options)).digest('hex');
}
