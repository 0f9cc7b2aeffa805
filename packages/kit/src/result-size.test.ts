/** Large answers are cut and say so. */
import { expect, test } from 'vitest';
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
