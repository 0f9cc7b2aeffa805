/** Texts are trimmed and bounded without a word of it in what is published. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { anyText, formed, text } from './texts.ts';

const Fields = z.object({ name: text(5), note: anyText(5), id: formed(/^[a-z]{1,3}$/, 'must be an id') });
const RIGHT = { name: 'a', note: '', id: 'x' };

test.each<[string, object, string[]]>([
  ['what is right', RIGHT, []],
  ['blanks around it', { name: '  five5  ', note: '  12345 ', id: ' abc ' }, []],
  ['nothing but blanks', { ...RIGHT, name: '   ' }, ['too_small 1']],
  ['too much', { ...RIGHT, name: 'sixsix', note: '123456' }, ['too_big 5', 'too_big 5']],
  ['another form', { ...RIGHT, id: 'ABCD' }, ['custom must be an id']],
])('texts take what they say: %s', (_what, given, faults) => {
  const { error, data } = Fields.safeParse(given);
  const codes = error?.issues.map((issue) =>
    issue.code === 'too_big'
      ? `too_big ${issue.maximum}`
      : issue.code === 'too_small'
        ? `too_small ${issue.minimum}`
        : `${issue.code} ${issue.message}`,
  );
  expect(codes ?? []).toEqual(faults);
  if (data !== undefined) for (const value of Object.values(data)) expect(value).toBe(value.trim());
});

test('models read a type, no bounds and no patterns', () => {
  const { properties } = z.toJSONSchema(Fields, { io: 'input' });
  expect(properties).toEqual({ name: { type: 'string' }, note: { type: 'string' }, id: { type: 'string' } });
});
