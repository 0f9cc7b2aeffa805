/** Files with one JSON value per line. */
import { faultAt } from './file-fault.ts';
import { readText } from './read-text.ts';

const MAX_LINE_LENGTH = 4 * 1024 * 1024;

/** A line with its number; the first one is 1. */
export interface NumberedLine {
  readonly number: number;
  readonly text: string;
}

/** The lines of a file that are not blank. */
export async function* readLines(path: string): AsyncGenerator<NumberedLine> {
  let number = 1;
  let rest = '';
  for await (const piece of readText(path)) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_LENGTH) throw faultAt(number + lines.length, 'is longer than 4 MiB');
    for (const text of lines) {
      if (text.trim() !== '') yield { number, text };
      number += 1;
    }
  }
  if (rest.trim() !== '') yield { number, text: rest };
}

/** The value of a line; undefined when it is no JSON. */
export function parseLine({ text }: NumberedLine): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
