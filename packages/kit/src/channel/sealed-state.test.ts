/** A sealed state opens only unchanged, in time, and for whom and what it was made. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createStateSealer } from './sealed-state.ts';

const binding = {
  callerId: 'key_1',
  organizationId: 'org_1',
  method: 'tools/call',
  name: 'greet',
  arguments: { b: 2, a: [1, { z: true }] },
};
const payload = { callId: 'c', answers: {} };

test('opens what it sealed, whatever the order of the argument keys', () => {
  const sealer = createStateSealer([randomBytes(32)]);
  const token = sealer.seal(payload, binding);
  expect(sealer.open(token, { ...binding, arguments: { a: [1, { z: true }], b: 2 } })).toEqual(payload);
});

test('refuses every single changed byte', () => {
  const sealer = createStateSealer([randomBytes(32)]);
  const bytes = Buffer.from(sealer.seal(payload, binding), 'base64url');
  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(sealer.open(changed.toString('base64url'), binding), `byte ${index}`).toBeUndefined();
  }
});

test.each([
  ['another caller', { callerId: 'key_2' }],
  ['another organization', { organizationId: 'org_2' }],
  ['another method', { method: 'prompts/get' }],
  ['another tool', { name: 'wipe' }],
  ['other arguments', { arguments: { a: 1 } }],
  ['no arguments', { arguments: undefined }],
])('refuses the state of %s', (_name, change) => {
  const sealer = createStateSealer([randomBytes(32)]);
  expect(sealer.open(sealer.seal(payload, binding), { ...binding, ...change })).toBeUndefined();
});

test('refuses a state after ten minutes', () => {
  let now = 0;
  const sealer = createStateSealer([randomBytes(32)], () => now);
  const token = sealer.seal(payload, binding);
  now = 10 * 60_000 - 1;
  expect(sealer.open(token, binding)).toEqual(payload);
  now += 1;
  expect(sealer.open(token, binding)).toBeUndefined();
});

test('opens with an older key after a rotation, and not without it', () => {
  const [old, fresh] = [randomBytes(32), randomBytes(32)];
  const token = createStateSealer([old]).seal(payload, binding);
  expect(createStateSealer([fresh, old]).open(token, binding)).toEqual(payload);
  expect(createStateSealer([fresh]).open(token, binding)).toBeUndefined();
});

test.each(['', 'x', '====', 'A'.repeat(80), `${'A'.repeat(79)}=`])('refuses %j', (token) => {
  expect(createStateSealer([randomBytes(32)]).open(token, binding)).toBeUndefined();
});
