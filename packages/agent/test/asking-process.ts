/** A process that asks about the code in a folder, and waits to be killed before it is answered. */
import { CODE_LIMITS, CodeReaders } from '../src/services/code/code-readers.ts';

const [root = ''] = process.argv.slice(2);
const FOREVER = 3_600_000;
const readers = new CodeReaders({
  ...CODE_LIMITS,
  fileMs: FOREVER,
  questionMs: FOREVER,
  residentBytes: 2 * 1024 ** 3,
});
const scope = { root, below: '', excluded: [] };
await readers.ask({ type: 'symbols', scope, query: 'x', limit: 1 }, new AbortController().signal);
