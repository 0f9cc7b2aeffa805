/** What is read of a stream, however it is cut into chunks. */
import { expect, test } from 'vitest';
import { LineReader } from './line-reader.ts';

function read(text: string, mostBytes: number, chunkBytes: number): unknown[] {
  const seen: unknown[] = [];
  const reader = new LineReader(mostBytes, {
    onLine: (line, sizeBytes) => seen.push([line, sizeBytes]),
    onLongLine: (head, tail) => seen.push({ head, tail }),
  });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) reader.take(bytes.subarray(at, at + chunkBytes));
  return seen;
}

test.each([1, 2, 3, 7, 1000])('lines come whole from chunks of %i bytes', (chunkBytes) => {
  expect(read('a\n\nbä€\n123456789\nunfinished', 9, chunkBytes)).toEqual([
    ['a', 1],
    ['bä€', 6],
    ['123456789', 9],
  ]);
});

test.each([1, 100, 255, 256, 257, 1000])(
  'of a long line both ends come from chunks of %i bytes',
  (chunkBytes) => {
    const long = `{"id":1,${'x'.repeat(2000)}${'y'.repeat(300)},"id":2}`;
    expect(read(`${long}\nshort\n${long}\n`, 1000, chunkBytes)).toEqual([
      { head: long.slice(0, 256), tail: long.slice(-256) },
      ['short', 5],
      { head: long.slice(0, 256), tail: long.slice(-256) },
    ]);
  },
);
