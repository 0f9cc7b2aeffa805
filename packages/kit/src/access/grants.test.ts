/** Arithmetic on grants: what is cut, joined and covered. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ALL_GRANTS, firstUncovered, intersectGrants, isGranted, unionGrants } from './grants.ts';
import type { Grants } from './grants.ts';

const RESOURCES = ['a', 'b', '*'];
const TOOLS = ['x', 'y', '*'];
const anyGrants: fc.Arbitrary<Grants> = fc.dictionary(
  fc.constantFrom(...RESOURCES),
  fc.uniqueArray(fc.constantFrom(...TOOLS), { minLength: 1 }),
);
const pairs = ['a', 'b', 'c'].flatMap((resource) => ['x', 'y', 'z'].map((tool) => [resource, tool] as const));

describe('grants', () => {
  test('an intersection gives exactly what both give', () => {
    fc.assert(
      fc.property(anyGrants, anyGrants, (left, right) => {
        const both = intersectGrants(left, right);
        for (const [resource, tool] of pairs) {
          const expected = isGranted(left, resource, tool) && isGranted(right, resource, tool);
          expect(isGranted(both, resource, tool)).toBe(expected);
        }
      }),
    );
  });

  test('a union gives exactly what either gives', () => {
    fc.assert(
      fc.property(anyGrants, anyGrants, (left, right) => {
        const either = unionGrants([left, right]);
        for (const [resource, tool] of pairs) {
          const expected = isGranted(left, resource, tool) || isGranted(right, resource, tool);
          expect(isGranted(either, resource, tool)).toBe(expected);
        }
      }),
    );
  });

  test('what is covered can never reach further than the holder', () => {
    fc.assert(
      fc.property(anyGrants, anyGrants, (held, wanted) => {
        if (firstUncovered(held, wanted) !== undefined) return;
        for (const [resource, tool] of pairs) {
          if (isGranted(wanted, resource, tool)) expect(isGranted(held, resource, tool)).toBe(true);
        }
      }),
    );
  });

  test('names of built-in properties grant nothing', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      expect(isGranted({}, name, name)).toBe(false);
      expect(isGranted({ a: ['x'] }, name, 'x')).toBe(false);
    }
  });

  test('everything covers everything and is covered by nothing less', () => {
    expect(firstUncovered(ALL_GRANTS, { a: ['*'], '*': ['*'] })).toBeUndefined();
    expect(firstUncovered({ a: ['*'] }, ALL_GRANTS)).toEqual({ resource: '*', tool: '*' });
    expect(firstUncovered({ '*': ['x'] }, { a: ['x', 'y'] })).toEqual({ resource: 'a', tool: 'y' });
  });
});
