/** Call-back tokens as text: only what this server signed, in its time, is read. */
import { createHash } from 'node:crypto';
import type { SecretBox } from '@parley/store';
import { testCaller } from '@parley/kit/testing';
import { expect, test } from 'vitest';
import { issueCallToken, readCallToken } from './call-tokens.ts';

const keyed = (secret: string): Pick<SecretBox, 'derive' | 'deriveAll'> => {
  const derive = (purpose: string) => createHash('sha256').update(`${secret} ${purpose}`).digest();
  return { derive, deriveAll: (purpose) => [derive(purpose)] };
};
const box = keyed('ours');
const caller = testCaller({
  id: 'key_1',
  organizationId: 'org_1',
  userId: 'usr_1',
  grants: { self: ['A', 'B'] },
});
const wanted = { connectionId: 'conn_1', grants: { self: ['B', 'C'], other: ['*'] }, now: 1000 };

test('says who called whom, and what both sides allow', () => {
  const token = issueCallToken(box, caller, wanted) ?? '';
  expect(token).toMatch(/^parley_call_[A-Za-z0-9_-]+$/);
  expect(readCallToken(box, token, 2000)).toMatchObject({
    connection: 'conn_1',
    organization: 'org_1',
    user: 'usr_1',
    caller: 'key_1',
    grants: { self: ['B'] },
    expires: 301_000,
  });
});

test('every bit of it counts, and so do its time and whose key it was signed with', () => {
  const token = issueCallToken(box, caller, wanted) ?? '';
  const bytes = Buffer.from(token.slice('parley_call_'.length), 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const bent = Buffer.from(bytes);
    bent[at] = (bent[at] ?? 0) ^ 1;
    expect(
      readCallToken(box, `parley_call_${bent.toString('base64url')}`, 2000),
      `byte ${at}`,
    ).toBeUndefined();
  }
  expect(readCallToken(box, token, 301_000)).toBeUndefined();
  expect(readCallToken(keyed('theirs'), token, 2000)).toBeUndefined();
  for (const text of [
    '',
    'parley_call_',
    `parley_call_${'A'.repeat(20)}`,
    `parley_call_${'A'.repeat(20_000)}`,
  ])
    expect(readCallToken(box, text, 2000)).toBeUndefined();
});

test('one that no header could carry is not made', () => {
  const many = Object.fromEntries(
    Array.from({ length: 500 }, (_each, index) => [`connection_${index}`, ['TOOL']]),
  );
  const rich = { ...caller, grants: { '*': ['*'] } };
  expect(issueCallToken(box, rich, { ...wanted, grants: many })).toBeUndefined();
});
