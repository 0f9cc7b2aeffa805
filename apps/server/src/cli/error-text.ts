/** What went wrong, as a person at a terminal reads it: the sentence, and the file that is meant. */
import { printable } from '../printable.ts';

/** The text of an error, on one line. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return printable(String(error));
  const file = 'file' in error && typeof error.file === 'string' ? ` The file is ${error.file}.` : '';
  return printable(`${error.message}${file}`);
}
