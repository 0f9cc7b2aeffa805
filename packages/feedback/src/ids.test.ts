import { typeId } from '@parley/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkId, fromIdentityId, ID_KINDS, splitId, toIdentityId } from './ids.ts';

describe('ids', () => {
  it('come apart as they were put together', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ID_KINDS), fc.integer({ min: 0, max: 2 ** 47 }), (kind, at) => {
        const id = typeId(kind, at);
        expect(splitId(id)).toEqual({ prefix: kind, suffix: id.slice(-26) });
        expect(checkId(kind, id)).toBe(id);
      }),
    );
  });

  it('sort by creation', () => {
    const made = [1, 5, 1000, 2 ** 40].map((at) => typeId('post', at));
    expect(made.toSorted()).toEqual(made);
  });

  it('name both kinds when they are mixed up', () => {
    const board = typeId('board');
    expect(() => checkId('post', board)).toThrow(
      `Invalid post ID format: expected post_ followed by 26 characters, got "${board}" (that is a board ID)`,
    );
  });

  it.each([
    '',
    'post_',
    'post_short',
    `post_8${'0'.repeat(25)}`,
    `post_0${'u'.repeat(25)}`,
    'x'.repeat(26),
    `POST_${'0'.repeat(26)}`,
  ])('refuse %s', (text) => {
    expect(() => checkId('post', text)).toThrow(/^Invalid post ID format/);
  });

  it('are cut in messages', () => {
    expect(() => checkId('post', 'x'.repeat(10_000))).toThrow(`got "${'x'.repeat(60)}..."`);
  });

  it('of members and keys differ from identity in the prefix only', () => {
    const member = typeId('mem');
    expect(toIdentityId('member', fromIdentityId('member', member))).toBe(member);
    expect(() => toIdentityId('member', member)).toThrow(/^Invalid member ID format/);
  });
});
