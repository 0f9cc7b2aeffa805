/** The text of a file, piece by piece and checked to be UTF-8; never the whole of it at once. */
import { isUtf8 } from 'node:buffer';
import { createReadStream, statSync } from 'node:fs';
import { FileFault, faultAt } from './file-fault.ts';

const NEWLINE = 0x0a;

/** Refuses what is no file, before anything is opened. */
export function requireFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new FileFault(`There is no file ${path}.`);
  if (!stats.isFile()) throw new FileFault(`${path} is not a file.`);
}

/** The pieces in order, without a byte order mark. */
export async function* readText(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  // Without an encoding the pieces are bytes.
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let text: string;
    try {
      text = decoder.decode(chunk, { stream: true });
    } catch {
      throw notUtf8(line + linesBeforeFault(chunk));
    }
    if (text !== '') yield text;
    line += linesIn(text);
  }
  try {
    decoder.decode();
  } catch {
    throw notUtf8(line);
  }
}

/** How many lines end in a text. */
export function linesIn(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function linesBeforeFault(chunk: Buffer): number {
  // A character may have begun in the piece before.
  let start = 0;
  while (start < 3 && ((chunk[start] ?? 0) & 0xc0) === 0x80) start += 1;
  for (let lines = 0; ; lines += 1) {
    const end = chunk.indexOf(NEWLINE, start);
    if (end === -1) return lines;
    if (!isUtf8(chunk.subarray(start, end))) return lines;
    start = end + 1;
  }
}

function notUtf8(line: number): FileFault {
  return faultAt(line, 'is not UTF-8. Save the file with the encoding UTF-8, then try again.');
}
