/** A pass is good for one request, once, at one replica, for moments; anything else is as if it had none. */
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PassedRequest } from './pass.ts';
import { digestOf, PASS_HEADER, PASS_LIFE_MS, Passes } from './pass.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const CLAIMS = { from: 'one', to: 'two', callerId: 'key_1', digest: digestOf('{}') };
const REQUEST: PassedRequest = {
  method: 'POST',
  url: '/mcp?mode=x',
  headers: { accept: 'application/json', 'mcp-session-id': 'two.session' },
};

let now: number;
let one: Passes;
let two: Passes;

beforeEach(() => {
  now = 1_000_000;
  one = new Passes([newKey], () => now);
  two = new Passes([newKey, oldKey], () => now);
});

function withPass(pass: string, more: Partial<PassedRequest> = {}): PassedRequest {
  const request = { ...REQUEST, ...more };
  return { ...request, headers: { ...request.headers, [PASS_HEADER]: pass } };
}

test('says who sent the request, and for whom, also when the network added a header', () => {
  expect(two.check(withPass(one.make(REQUEST, CLAIMS)), 'two')).toMatchObject(CLAIMS);
  const headers = { ...REQUEST.headers, host: '10.0.0.2', 'x-forwarded-for': '10.0.0.1' };
  expect(two.check(withPass(one.make(REQUEST, CLAIMS), { headers }), 'two')).toMatchObject(CLAIMS);
});

test('a key that was the newest before still counts', () => {
  const before = new Passes([oldKey], () => now);
  expect(two.check(withPass(before.make(REQUEST, CLAIMS)), 'two')).toMatchObject(CLAIMS);
  expect(before.check(withPass(one.make(REQUEST, CLAIMS)), 'two')).toBeUndefined();
});

describe('is not good', () => {
  const { headers } = REQUEST;
  test.each<[string, Partial<PassedRequest>]>([
    ['for another method', { method: 'DELETE' }],
    ['for another path', { url: '/mcp/self' }],
    ['for another query', { url: '/mcp' }],
    ['for another session', { headers: { ...headers, 'mcp-session-id': 'two.other' } }],
    ['without a header that it was made with', { headers: { accept: 'application/json' } }],
  ])('%s', (_what, more) => {
    expect(two.check(withPass(one.make(REQUEST, CLAIMS), more), 'two')).toBeUndefined();
  });

  test('at another replica', () => {
    expect(two.check(withPass(one.make(REQUEST, CLAIMS)), 'three')).toBeUndefined();
  });

  test('a second time', () => {
    const pass = one.make(REQUEST, CLAIMS);
    expect(two.check(withPass(pass), 'two')).toBeDefined();
    expect(two.check(withPass(pass), 'two')).toBeUndefined();
    now += PASS_LIFE_MS;
    expect(two.check(withPass(pass), 'two')).toBeUndefined();
  });

  test.each([PASS_LIFE_MS + 1, -PASS_LIFE_MS - 1])('after %d ms', (ms) => {
    const pass = one.make(REQUEST, CLAIMS);
    now += ms;
    expect(two.check(withPass(pass), 'two')).toBeUndefined();
  });

  test('with any character changed, cut, or made by somebody else', () => {
    const pass = one.make(REQUEST, CLAIMS);
    for (let index = 0; index < pass.length - 1; index += 1) {
      const other = pass[index] === 'A' ? 'B' : 'A';
      expect(
        two.check(withPass(pass.slice(0, index) + other + pass.slice(index + 1)), 'two'),
      ).toBeUndefined();
    }
    const stranger = new Passes([randomBytes(32)], () => now).make(REQUEST, CLAIMS);
    for (const bad of ['', '.', 'x', 'e30.', pass.slice(0, -4), `${pass}.x`, 'x'.repeat(9_000), stranger])
      expect(two.check(withPass(bad), 'two')).toBeUndefined();
    expect(two.check(withPass(pass), 'two')).toBeDefined();
  });
});
