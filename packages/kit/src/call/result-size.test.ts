/** Large answers are cut and say so. */
import { expect, test } from 'vitest';
import { errorResult, ProtocolFault, ToolError } from './errors.ts';
import { capResult } from './result-size.ts';

const answer = (text: string, structuredContent?: Record<string, unknown>) => ({
  content: [{ type: 'text' as const, text }],
  ...(structuredContent && { structuredContent }),
});

test('leaves an answer within the limit alone', () => {
  const small = answer('{"a":1}', { a: 1 });
  expect(capResult(small, 1000)).toBe(small);
});

test.each([
  ['a long text', answer('x'.repeat(5000))],
  ['long data behind a short text', answer('short', { data: 'x'.repeat(5000) })],
  [
    'many blocks',
    { content: Array.from({ length: 100 }, () => ({ type: 'text' as const, text: 'x'.repeat(50) })) },
  ],
])('cuts %s and tells what to do', (_name, result) => {
  const cut = capResult(result, 1000);
  expect(cut).toMatchObject({ isError: true, _meta: { 'dev.parley/code': 'too_large' } });
  expect(cut).not.toHaveProperty('structuredContent');
  expect(JSON.stringify(cut)).toContain('Ask for less');
  expect(JSON.stringify(cut).length).toBeLessThan(1000);
});

test('an error about a huge answer is not itself huge', () => {
  const cut = capResult(answer('x'.repeat(3_000_000)), 1_048_576);
  const [block] = cut.content;
  expect(block).toMatchObject({ text: expect.stringMatching(/^Error: The answer has about 3\d{6} bytes/) });
  expect(block?.type === 'text' && block.text.length).toBeLessThanOrEqual(2000);
});

test('a long message of an error is cut with a mark', () => {
  const [block] = errorResult(new ToolError('invalid', 'y'.repeat(300_000))).content;
  const text = block?.type === 'text' ? block.text : '';
  expect(text).toHaveLength(2000);
  expect(text.endsWith('y...')).toBe(true);
  expect(new ProtocolFault(-32602, 'z'.repeat(300_000)).message.length).toBeLessThanOrEqual(2000);
});
