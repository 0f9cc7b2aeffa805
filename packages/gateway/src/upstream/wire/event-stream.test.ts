/** What the reader of event streams promises, however the bytes are cut. */
import { describe, expect, test } from 'vitest';
import { EventParser } from './event-stream.ts';

function read(chunks: readonly (string | Uint8Array)[], maxBytes = 1_000) {
  const events: [string, string][] = [];
  const parser = new EventParser(maxBytes, (data, type) => events.push([data, type]));
  for (const chunk of chunks) parser.push(Buffer.from(chunk));
  return { events, parser };
}

const TEXT =
  '\ufeff: hello\r\n\r\nevent: endpoint\rdata: /x\r\rid: 7\ndata:  two\ndata: lines ü€😀\n\nretry: 20\ndata\n\nevent: lone\n\ndata: last\n\n';

describe('events', () => {
  test('are the same wherever the bytes are cut', () => {
    const whole = read([TEXT]).events;
    expect(whole).toEqual([
      ['/x', 'endpoint'],
      [' two\nlines ü€😀', ''],
      ['last', ''],
    ]);
    const bytes = Buffer.from(TEXT);
    for (let at = 1; at < bytes.length; at += 1)
      expect(read([bytes.subarray(0, at), bytes.subarray(at)]).events, `cut at ${at}`).toEqual(whole);
    expect(read([...bytes].map((byte) => Uint8Array.of(byte))).events).toEqual(whole);
  });

  test('tell where to go on, and when', () => {
    const { parser } = read(['id: 7\n\nid: no\0\nretry: 20\nretry: soon\n\n']);
    expect(parser.lastId).toBe('7');
    expect(parser.retryMs).toBe(20);
  });

  test.each([
    ['a long line', ['data: ', 'x'.repeat(2_000)]],
    ['many lines', Array.from({ length: 200 }, () => 'data: 1234567890\n')],
    ['wide characters', [`data: ${'€'.repeat(400)}\n\n`]],
  ])('that are too large are refused: %s', (_name, chunks) => {
    expect(() => read(chunks)).toThrow('more than 1000 bytes');
  });

  test('of a long life do not add up', () => {
    const { events } = read(Array.from({ length: 200 }, () => ': still here\n\ndata: 1234567890\n\n'));
    expect(events).toHaveLength(200);
  });
});
