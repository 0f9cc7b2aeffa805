/** Progress as a person sees it: one live line in a terminal, plain lines in a pipe. */
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { barOf, createProgressLine } from './progress-line.ts';

function written(terminal?: { columns: number }) {
  const chunks: string[] = [];
  const collect = (chunk: Buffer, _encoding: string, done: () => void) => {
    chunks.push(chunk.toString());
    done();
  };
  const stream = Object.assign(new Writable({ write: collect }), terminal && { isTTY: true, ...terminal });
  return { stream, text: () => chunks.join('') };
}

test('a pipe gets one line per report', () => {
  const { stream, text } = written();
  const line = createProgressLine(stream);
  line.report(3, 10, 'Step 3 of 10');
  line.report(4);
  line.end();
  expect(text()).toBe('3 of 10  Step 3 of 10\n4\n');
});

test('a terminal gets one line that is drawn over, and ends once', () => {
  const { stream, text } = written({ columns: 80 });
  const line = createProgressLine(stream);
  line.report(4, 10, 'Step 4 of 10');
  line.report(10, 10, 'Step 10 of 10');
  line.end();
  line.end();
  const [first, second] = text().split('\r').slice(1);
  expect(first).toBe('[##########--------------] 40 %  Step 4 of 10\u001B[K');
  expect(second).toBe('[########################] 100 %  Step 10 of 10\u001B[K\n');
});

test('a narrow terminal never gets a line that wraps', () => {
  const { stream, text } = written({ columns: 20 });
  createProgressLine(stream).report(1, 2, 'a long message');
  expect(text()).toBe('\r[############------\u001B[K');
});

test('a terminal of unknown width gets the whole line', () => {
  const { stream, text } = written({ columns: 0 });
  createProgressLine(stream).report(1, 2, 'half');
  expect(text()).toContain('50 %  half\u001B[K');
});

test('a count without a total, or beyond it, stays readable', () => {
  expect(barOf(7)).toBe('7');
  expect(barOf(12, 10)).toBe(`[${'#'.repeat(24)}] 100 %`);
});
