/** Callers without a key: a member in the browser, and what acts for somebody with nobody watching. */
import type { Caller } from '@parley/kit';
import { defineTool, defineToolset, unattended } from '@parley/kit';
import { connect } from '@parley/kit/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { onBothEngines } from '../../test/engines.ts';
import { BUILT_IN_ROLES, found, join, keyFor, settle } from '../../test/people.ts';
import type { Identity } from '../identity.ts';

const plain = {
  title: 'Act',
  description: 'Acts.',
  effect: 'run',
  input: z.object({}),
  output: z.object({}),
  run: () => ({}),
} as const;

const toolset = defineToolset({
  name: 'feedback',
  title: 'Feedback',
  tools: [
    defineTool({ ...plain, name: 'harmless' }),
    defineTool({ ...plain, name: 'dangerous', unattended: 'block' }),
  ],
});

async function toolsOf(caller: Caller | undefined): Promise<string[]> {
  if (caller === undefined) throw new Error('there is no caller');
  await using client = await connect(toolset, { as: caller });
  return await client.toolNames();
}

async function memberOf(identity: Identity, owner: Caller, roles: readonly string[]) {
  const { userId, key } = await join(identity, owner, roles);
  const member = await identity.memberOf(owner.organizationId, userId);
  return { userId, key, memberId: member?.id ?? '' };
}

onBothEngines('a member in the browser', (open) => {
  test('acts with the rights of now, watched, and only in their own organization', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const stranger = await found(identity, 'other');
    const { userId, memberId } = await memberOf(identity, owner, ['member']);
    const caller = await identity.callerOfMember(owner.organizationId, memberId);
    expect(caller).toEqual({
      id: memberId,
      name: 'Bo',
      organizationId: owner.organizationId,
      userId,
      roles: ['member'],
      grants: BUILT_IN_ROLES.member,
      source: 'web',
      unattended: false,
    });
    expect(await toolsOf(caller)).toEqual(['dangerous', 'harmless']);
    expect(await identity.callerOfMember(stranger.organizationId, memberId)).toBeUndefined();
    expect(await identity.callerOfMember(owner.organizationId, 'mem_none')).toBeUndefined();
    await identity.setRoles(owner, { userId, roles: ['user'] });
    expect(await toolsOf(await identity.current(caller!))).toEqual([]);
    await identity.removeMember(owner, userId);
    expect(await identity.current(caller!)).toBeUndefined();
  });
});

describe.each(['agent', 'schedule', 'webhook', 'remote'] as const)(
  'what acts for somebody as %s',
  (source) => {
    onBothEngines('unattended', (open) => {
      test.each(['member', 'key'] as const)(
        'stays unattended and goes when its %s does, whoever else asks',
        async (kind) => {
          const { identity } = await settle(await open());
          const owner = await found(identity);
          const { userId, key, memberId } = await memberOf(identity, owner, ['member']);
          const watched =
            kind === 'key'
              ? await key.caller()
              : await identity.callerOfMember(owner.organizationId, memberId);
          const acting = unattended(watched!, source);
          expect(acting).toEqual({ ...watched, source, unattended: true });
          expect(await toolsOf(acting)).toEqual(['harmless']);

          // Watched and unwatched are looked up one after the other; neither result is taken for the other.
          const sameSource = { ...acting, unattended: false };
          const [first, second, third] = [
            await identity.current(acting),
            await identity.current(sameSource),
            await identity.current(acting),
          ];
          expect(first).toEqual(acting);
          // A member acts from the browser, or leaves something to be done unwatched; there is no third way.
          expect(second).toEqual(kind === 'key' ? sameSource : undefined);
          expect(third).toEqual(acting);
          expect(await toolsOf(third)).toEqual(['harmless']);

          await identity.setRoles(owner, { userId, roles: ['user'] });
          expect(await toolsOf(await identity.current(acting))).toEqual([]);
          await identity.removeMember(owner, userId);
          expect(await identity.current(acting)).toBeUndefined();
        },
      );
    });
  },
);

onBothEngines('an unattended caller', (open) => {
  test('is no way to more: its key is revoked with it', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const key = await keyFor(identity, owner, { feedback: ['harmless'] });
    const acting = unattended((await key.caller())!, 'schedule');
    expect(await toolsOf(acting)).toEqual(['harmless']);
    await identity.revokeKey(owner, key.info.id);
    expect(await identity.current(acting)).toBeUndefined();
  });
});
