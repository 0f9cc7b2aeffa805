/** Secrets of others in what a server says: found wherever they stand, by nothing that could be turned back into them. */
import { seededRandom } from '@parley/test-support/random';
import { expect, test } from 'vitest';
import { targetOf } from '../../test/links-bed.ts';
import { cleaned } from './clean-result.ts';
import { SecretMarks } from './secret-marks.ts';

const MASK = '[secret]';
const target = (id: string, ...secrets: string[]) => targetOf(null, { id, secrets });

/** Marks of some secrets, as somebody sees them who has none. */
function marksOf(...secrets: string[]) {
  const marks = new SecretMarks();
  marks.keep(target('conn_other', ...secrets));
  return marks.foreignTo(target('conn_own'));
}

test('a secret is found at the beginning, in the middle, at the end, and twice', () => {
  const secret = 'eyJhbGciOiJSUzI1NiJ9.c2VjcmV0.c2ln';
  const foreign = marksOf(secret)!;
  for (const [text, expected, count] of [
    [secret, MASK, 1],
    [`a ${secret}`, `a ${MASK}`, 1],
    [`${secret} b`, `${MASK} b`, 1],
    [`x${secret}y${secret}z`, `x${MASK}y${MASK}z`, 2],
    [`${secret}${secret}`, `${MASK}${MASK}`, 2],
  ] as const) {
    expect(foreign.isIn(text)).toBe(true);
    expect(foreign.without(text, MASK)).toEqual({ text: expected, count });
  }
});

test('a secret is found at every place of a long text', () => {
  const secret = 'a-secret-across-two-parts-1';
  const foreign = marksOf(secret)!;
  for (let before = 4_060; before < 4_120; before += 1) {
    const text = `${'x'.repeat(before)}${secret}${'y'.repeat(5_000)}`;
    expect(foreign.without(text, '')).toEqual({
      text: `${'x'.repeat(before)}${'y'.repeat(5_000)}`,
      count: 1,
    });
  }
});

test('what is no secret stays: another beginning, a cut end, the end alone, and short ones', () => {
  const secret = 'the-secret-of-a-neighbour-1';
  const foreign = marksOf(secret, 'short-one')!;
  for (const text of [
    '',
    'short-one',
    secret.slice(1),
    secret.slice(0, -1),
    `X${secret.slice(1)}`,
    secret.slice(-12),
  ])
    expect([text, foreign.isIn(text), foreign.without(text, MASK).text]).toEqual([text, false, text]);
});

test('of secrets within each other nothing is left', () => {
  const inner = 'inner-secret-0001';
  const outer = `outer-${inner}-outer-0002`;
  expect(marksOf(inner, outer)!.without(`a${outer}b${inner}c`, MASK)).toEqual({
    text: `a${MASK}b${MASK}c`,
    count: 2,
  });
});

test('nobody looks where nobody else has a secret, or where an organization is another one', () => {
  const marks = new SecretMarks();
  const own = target('conn_own', 'a-secret-of-its-own');
  marks.keep(own);
  expect(marks.foreignTo(own)).toBeUndefined();
  marks.keep(targetOf(null, { organizationId: 'org_other', secrets: ['a-secret-of-a-stranger'] }));
  expect(marks.foreignTo(own)).toBeUndefined();
  marks.keep(target('conn_other', 'a-secret-of-a-neighbour'));
  expect(marks.foreignTo(own)?.isIn('a-secret-of-a-neighbour')).toBe(true);
  expect(marks.foreignTo(own)?.isIn('a-secret-of-a-stranger')).toBe(false);
});

test('what a client brings along is no secret of the organization, drives none out, and hides none', () => {
  const marks = new SecretMarks();
  const stored = ['a-secret-of-a-neighbour'];
  marks.keep(target('conn_other', ...stored));
  const own = ['a-secret-of-its-own'];
  const brought = (text: string) => ({
    ...target('conn_own', text, ...own),
    storedSecrets: own,
  });
  for (let number = 0; number < 3_000; number += 1) marks.keep(brought(`an ordinary text, ${number}`));
  for (const asker of [target('conn_third'), brought(own[0]!), brought('an ordinary text, 1')]) {
    const foreign = marks.foreignTo(asker)!;
    expect(foreign.isIn(stored[0]!)).toBe(true);
    expect(foreign.isIn(own[0]!)).toBe(true);
    for (const number of [0, 1, 2_999]) expect(foreign.isIn(`an ordinary text, ${number}`)).toBe(false);
  }
});

test('of many organizations those that used theirs last are kept, within one bound', () => {
  const marks = new SecretMarks();
  const of = (organization: number, ...secrets: string[]) =>
    targetOf(null, { organizationId: `org_${organization}`, secrets });
  const many = (organization: number) =>
    Array.from({ length: 1_900 }, (_each, number) => `secret-${organization}-number-${number}`);
  for (let organization = 0; organization < 60; organization += 1)
    marks.keep(of(organization, ...many(organization)));
  expect(marks.foreignTo(of(0))).toBeUndefined();
  expect(marks.foreignTo(of(59))?.isIn('secret-59-number-7')).toBe(true);
});

test('results are cleaned of them in values and names, and they are counted', () => {
  const counts: number[] = [];
  const secret = 'the-secret-of-a-neighbour-1';
  const given = {
    content: [{ text: `own-secret-1 ${secret}` }],
    structuredContent: { [secret]: [secret, 1] },
  };
  const clean = cleaned(given, ['own-secret-1'], (count) => counts.push(count), marksOf(secret));
  expect(clean).toEqual({
    content: [{ text: `${MASK} ${MASK}` }],
    structuredContent: { [MASK]: [MASK, 1] },
  });
  expect(counts).toEqual([4]);
  const fine = { content: [{ text: 'nothing of anybody, and long enough to be looked at' }] };
  expect(cleaned(fine, [], undefined, marksOf(secret))).toBe(fine);
});

test('a text made of ends of secrets is looked at so often, and then counts as one of them', () => {
  const secret = `${'x'.repeat(40)}the-end-of-it`;
  const text = 'the-end-of-it'.repeat(5_000);
  const foreign = marksOf(secret)!;
  const { text: left, count } = foreign.without(text, MASK);
  expect(count).toBeGreaterThan(0);
  expect(left.length).toBeLessThan(text.length);
});

test('among as many as are kept, those that were used last are found', () => {
  const marks = new SecretMarks();
  const secretOf = (number: number) => `secret-number-${number}-of-many`;
  for (let number = 0; number < 3_000; number += 1) marks.keep(target(`conn_${number}`, secretOf(number)));
  const foreign = marks.foreignTo(target('conn_own'))!;
  expect(foreign.isIn(secretOf(0))).toBe(false);
  for (const number of [2_999, 2_500, 1_500]) expect(foreign.isIn(`see ${secretOf(number)}.`)).toBe(true);
});

test('finds what a plain search finds, in random texts', () => {
  const random = seededRandom();
  const letters = 'abé😀-';
  const word = (length: number) =>
    Array.from({ length }, () => letters[Math.floor(random() * letters.length)]).join('');
  for (let round = 0; round < 300; round += 1) {
    const secrets = Array.from({ length: 3 }, () => word(12 + Math.floor(random() * 6)));
    const text = [word(30), secrets[round % 3], word(5), secrets[0], word(40)].join('');
    const { text: left, count } = marksOf(...secrets)!.without(text, MASK);
    expect(count).toBeGreaterThan(0);
    for (const secret of secrets) expect(left).not.toContain(secret);
  }
});
