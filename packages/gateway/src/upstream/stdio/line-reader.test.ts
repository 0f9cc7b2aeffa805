/** What is read of a stream, however it is cut into chunks. */
import { expect, test } from 'vitest';
import { LineReader } from './line-reader.ts';

function read(text: string, mostBytes: number, chunkBytes: number): unknown[] {
  const seen: unknown[] = [];
  const reader = new LineReader(mostBytes, {
    onLine: (line, sizeBytes) => seen.push([line, sizeBytes]),
    onTooLong: () => seen.push('too long'),
  });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) reader.take(bytes.subarray(at, at + chunkBytes));
  return seen;
}

test.each([1, 2, 3, 7, 1000])('lines come whole from chunks of %i bytes', (chunkBytes) => {
  expect(read('a\n\nbä€\n123456789\nunended', 9, chunkBytes)).toEqual([
    ['a', 1],
    ['bä€', 6],
    ['123456789', 9],
  ]);
});

test.each([1, 100, 1000, 5000])(
  'a long line ends the reading before its own end, from chunks of %i bytes',
  (chunkBytes) => {
    const long = `{"id":1,"x":"${'x'.repeat(2000)}`;
    const whole = [['whole', 5], 'too long'];
    expect(read(`whole\n${long}`, 1000, chunkBytes)).toEqual(whole);
    expect(read(`whole\n${long}"}\nshort\n${long}\n`, 1000, chunkBytes)).toEqual(whole);
  },
);
