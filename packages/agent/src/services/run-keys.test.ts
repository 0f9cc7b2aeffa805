/** Keys of runs: worth something while the process that runs the agent renews them, and nothing soon after it is gone. */
import { expect, test } from 'vitest';
import { onBothBeds } from '../../test/agent-bed.ts';
import type { RunKeyParts } from './runs.ts';
import { createRunKeys } from './runs.ts';

const LEASE_MS = 300;

onBothBeds('a key of a run', (bed) => {
  const keyOf = async (identity: RunKeyParts['identity']) => {
    const { clock, services, faults } = bed();
    const bob = await bed().agent(bed().acme.owner.caller);
    const keys = createRunKeys({
      identity,
      callers: services.callers,
      now: () => clock.nowMs,
      onFault: (error) => faults.push(error),
      leaseMs: LEASE_MS,
    });
    const key = await keys({
      kind: 'message',
      agent: { id: bob.id, name: bob.name, organizationId: bed().acme.id },
      prompt: '',
      history: [],
      instructions: '',
      depth: 1,
      unattended: false,
      timeoutMs: 60_000,
      latestAt: clock.nowMs + 10 * LEASE_MS,
      sessionId: 'ses_1',
      signal: new AbortController().signal,
    });
    return key ?? expect.fail('There is no key.');
  };
  const callerOf = async (text: string) => bed().identity.authenticate(text, 'key');
  const endOf = async (callerId = '') =>
    (await bed().identity.listKeys(bed().acme.owner.caller, { all: true })).find(({ id }) => id === callerId)
      ?.expiresAt;

  test('ends with the process that nobody could ask to revoke it', async () => {
    const { clock, identity } = bed();
    const dead = { ...identity, renewAgentKey: async () => undefined };
    const { text, end } = await keyOf(dead);
    const caller = (await callerOf(text)) ?? expect.fail('The key is worth nothing.');
    clock.nowMs += LEASE_MS - 1;
    expect(await callerOf(text)).toBeDefined();
    expect(await identity.current(caller)).toBeDefined();
    clock.nowMs += 1;
    expect(await callerOf(text)).toBeUndefined();
    expect(await identity.current(caller)).toBeUndefined();
    await end();
  });

  test('lasts as long as the run does, and no longer than the run may', async () => {
    const { clock, identity } = bed();
    const { text, end } = await keyOf(identity);
    const latestAt = clock.nowMs + 10 * LEASE_MS;
    const caller = (await callerOf(text)) ?? expect.fail('The key is worth nothing.');
    clock.nowMs += LEASE_MS - 1;
    await expect.poll(() => endOf(caller.id), { timeout: 20_000 }).toBe(clock.nowMs + LEASE_MS);
    // Past the end that everybody remembers.
    clock.nowMs += LEASE_MS - 1;
    expect(await callerOf(text)).toMatchObject({ agent: { sessionId: 'ses_1' } });
    expect(await identity.current(caller)).toBeDefined();
    clock.nowMs = latestAt;
    await expect.poll(() => endOf(caller.id), { timeout: 20_000 }).toBe(latestAt);
    expect(await callerOf(text)).toBeUndefined();
    await end();
  });

  test('is worth nothing once it has ended, whatever is renewed then', async () => {
    const { identity } = bed();
    const { text, end } = await keyOf(identity);
    const caller = (await callerOf(text)) ?? expect.fail('The key is worth nothing.');
    await end();
    await identity.renewAgentKey(caller.id, bed().clock.nowMs + 60_000);
    expect(await callerOf(text)).toBeUndefined();
  });
});
