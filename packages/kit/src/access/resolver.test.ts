import { describe, expect, test } from 'vitest';
import { intersectGrants } from './grants.ts';
import { hiddenReason } from './resolver.ts';
import { testCaller } from '../testing/callers.ts';

const tool = (privileged: boolean | 'by-name') => ({ name: 'merge', toolset: 'feedback', privileged });
const owner = testCaller();
const member = testCaller({ roles: ['member'], grants: { feedback: ['*'] } });
const named = { grants: { feedback: ['*', 'merge'] } };

describe('privileged tools', () => {
  test.each([
    ['an owner by the wildcard', true, owner, undefined],
    ['a member by the wildcard', true, member, 'privileged'],
    ['a member by name', true, { ...member, ...named }, undefined],
  ])('reach %s or not', (_who, privileged, caller, reason) => {
    expect(hiddenReason(tool(privileged), caller)).toBe(reason);
  });

  test.each([
    ['an owner by the wildcard', owner, 'privileged'],
    ['an owner by name', { ...owner, ...named }, undefined],
    ['a member by the wildcard', member, 'privileged'],
    ['a member by name', { ...member, ...named }, undefined],
    ['somebody with the name elsewhere', { ...owner, grants: { tasks: ['merge'] } }, 'no_grant'],
  ])('that have to be named reach %s or not', (_who, caller, reason) => {
    expect(hiddenReason(tool('by-name'), caller)).toBe(reason);
  });

  test('keep their names when a key with a wildcard beside them is cut to its owner', () => {
    expect(intersectGrants(owner.grants, named.grants)).toEqual(named.grants);
    expect(intersectGrants(named.grants, owner.grants)).toEqual(named.grants);
    const everything = { '*': ['*'], feedback: ['merge'] };
    expect(intersectGrants(owner.grants, everything)).toEqual(everything);
  });
});
