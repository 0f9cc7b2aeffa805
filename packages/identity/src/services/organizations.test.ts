/** Organizations: what they start with, how they end, and that every process hears of it. */
import type { StoreTransaction } from '@parley/store';
import { expect, test, vi } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import { found, join, keyFor, settle } from '../../test/people.ts';
import type { IdentityTables } from '../schema.ts';

const PATIENCE = { timeout: 10_000, interval: 20 };

onBothEngines('organizations', (open) => {
  test('one that is deleted takes its keys, people and call records along, on every process', async () => {
    const [here, there] = [await settle(await open()), await settle(await open())];
    const { identity, store } = here;
    const owner = await found(identity, 'going');
    const kept = await found(identity, 'staying');
    const both = await join(identity, owner, ['member']);
    const alone = await join(identity, owner, ['member']);
    await identity.addMember(kept, { userId: both.userId, roles: ['member'] });
    const texts = [both.key.text, alone.key.text];
    const other = await keyFor(identity, { ...kept, userId: both.userId });
    const seen = () => Promise.all(texts.map(async (text) => there.identity.authenticate(text, 'key')));
    expect(await seen()).not.toContain(undefined);
    const record = {
      at: Date.now(),
      callerId: 'x',
      userId: null,
      effect: null,
      source: 'key',
      toolset: 'a',
      tool: 'b',
      method: 'tools/call',
    };
    const rest = {
      outcome: 'ok',
      code: null,
      durationUs: 1,
      era: 'modern',
      client: null,
      requestId: null,
    } as const;
    for (const { organizationId } of [owner, kept])
      store.records.append({ ...record, ...rest, organizationId });

    await expect(identity.organizations.delete({ ...owner, roles: ['admin'] })).rejects.toThrow(
      'Only an owner can change or remove an owner.',
    );
    await identity.organizations.delete(owner);
    await vi.waitFor(async () => expect(await seen()).toEqual([undefined, undefined]), PATIENCE);
    const db = store.db<IdentityTables>();
    const users = await db.selectFrom('users').select('id').execute();
    const ids = users.map(({ id }) => id);
    expect(new Set(ids)).toEqual(new Set([both.userId, kept.userId]));
    expect(await there.identity.authenticate(other.text, 'key')).toMatchObject({ userId: both.userId });
    for (const { organizationId, count } of [
      { ...owner, count: 0 },
      { ...kept, count: 1 },
    ])
      expect(await store.records.list({ organizationId, limit: 10 })).toHaveLength(count);
    await expect(identity.organizations.delete(kept)).rejects.toThrow('the last organization');
    expect(await identity.audit.check()).toMatchObject({ broken: [] });
  });

  test('two that are deleted at the same time leave one', async () => {
    const [here, there] = [await settle(await open()), await settle(await open())];
    const owners = [await found(here.identity, 'one'), await found(here.identity, 'two')] as const;
    const ends = await Promise.allSettled([
      here.identity.organizations.delete(owners[0]),
      there.identity.organizations.delete(owners[1]),
    ]);
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  test('a key that is changed or deleted is so on every process', async () => {
    const [here, there] = [await settle(await open()), await settle(await open())];
    const owner = await found(here.identity);
    const { text, info } = await keyFor(here.identity, owner);
    await keyFor(here.identity, owner);
    const grants = async () => (await there.identity.authenticate(text, 'key'))?.grants;
    expect(await grants()).toMatchObject({ '*': ['*'] });
    await here.identity.updateKey(owner, { keyId: info.id, grants: { feedback: ['x'] } });
    await vi.waitFor(async () => expect(await grants()).toEqual({ feedback: ['x'] }), PATIENCE);
    await here.identity.revokeKey(owner, info.id);
    await vi.waitFor(async () => expect(await grants()).toBeUndefined(), PATIENCE);
  });

  test('every part writes what a new one starts with, or nothing is made', async () => {
    const seeds: string[] = [];
    const seed = async (_tx: StoreTransaction, organizationId: string) => {
      seeds.push(organizationId);
      if (seeds.length > 2) throw new Error('The seed failed.');
    };
    const { identity, store } = await settle(await open(), { seed });
    await identity.bootstrap(async () => undefined);
    const { organizationId } = await found(identity, 'second');
    expect(seeds).toEqual([await identity.firstOrganizationId(), organizationId]);
    await expect(found(identity, 'third')).rejects.toThrow('The seed failed.');
    const slugs = await store.db<IdentityTables>().selectFrom('organizations').select('slug').execute();
    expect(slugs.map(({ slug }) => slug).toSorted()).toEqual(['default', 'second']);
  });

  test('a key neither gains what outlives its maker, nor stops being the last one for everything', async () => {
    const { identity, clock } = await settle(await open());
    const owner = await found(identity);
    const full = await keyFor(identity, owner);
    const update = (by: typeof owner, keyId: string, grants: Record<string, string[]>) =>
      identity.updateKey(by, { keyId, grants });
    await expect(update(owner, full.info.id, { feedback: ['x'] })).rejects.toThrow('the last key');
    const { text } = await identity.createKey(owner, {
      name: 'Short',
      grants: { '*': ['*'] },
      expiresAt: clock.nowMs + 600_000,
    });
    const short = await identity.authenticate(text, 'key');
    const weak = await keyFor(identity, owner, { feedback: ['x'] });
    await expect(update(short!, weak.info.id, { feedback: ['x', 'y'] })).rejects.toThrow('outlives');
    expect(await update(short!, weak.info.id, { feedback: [] })).toMatchObject({
      grants: { feedback: [] },
    });
    expect(await update(owner, weak.info.id, { feedback: ['y'] })).toMatchObject({
      grants: { feedback: ['y'] },
    });
  });

  test('a role that is deleted leaves a member, and 500 are enough', async () => {
    const { identity, store } = await settle(await open());
    const owner = await found(identity);
    const { organizationId } = owner;
    for (const name of ['crew', 'other'])
      await identity.roles.save(owner, { name, grants: { feedback: ['x'] } });
    const [one, two] = [
      await join(identity, owner, ['crew']),
      await join(identity, owner, ['crew', 'other']),
    ];
    expect(await identity.roles.list(organizationId)).toMatchObject([
      { name: 'crew', members: 2 },
      { name: 'other', members: 1 },
    ]);
    expect(await identity.roles.delete(owner, 'crew')).toBe(true);
    expect(await identity.roles.delete(owner, 'crew')).toBe(false);
    expect(await identity.memberOf(organizationId, one.userId)).toMatchObject({ roles: ['member'] });
    expect(await identity.memberOf(organizationId, two.userId)).toMatchObject({ roles: ['other'] });
    for (const name of ['', ' x', 'a,b', 'x'.repeat(65), 'a\nb'])
      await expect(identity.roles.save(owner, { name, grants: {} })).rejects.toThrow(
        'name: must have 1 to 64',
      );
    await expect(identity.roles.save(owner, { name: 'admin', grants: {} })).rejects.toThrow('is built in');
    const row = { organization_id: organizationId, grants: '{}', created_at: 1 };
    const more = Array.from({ length: 499 }, (_, index) => ({
      ...row,
      id: `r${index}`,
      name: `r${index}`,
    }));
    await store.db<IdentityTables>().insertInto('roles').values(more).execute();
    await expect(identity.roles.save(owner, { name: 'more', grants: {} })).rejects.toThrow('at most 500');
    await identity.roles.save(owner, { name: 'other', grants: {} });
  });
});
