/** Keys are made within the maker's power, shown once, listed without secrets, and revoked by those who may. */
import { ALL_GRANTS } from '@parley/kit';
import { expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import { found, join, keyFor, refusalOf, settle } from '../../test/people.ts';
import type { IdentityTables } from '../schema.ts';

const YEAR_MS = 365 * 24 * 3_600_000;

onBothEngines('keys', (open) => {
  test('the secret is shown once and stands nowhere in the database or in a list', async () => {
    const { identity, store } = await settle(await open());
    const owner = await found(identity);
    const { text, info } = await identity.createKey(owner, {
      name: ' CI ',
      grants: ALL_GRANTS,
      expiresAt: null,
    });
    const secret = text.slice(-43);
    const rows = await store.db<IdentityTables>().selectFrom('api_keys').selectAll().execute();
    const listed = await identity.listKeys(owner, { all: true });
    expect(listed).toEqual([info]);
    expect(info).toMatchObject({ name: 'CI', revokedAt: null, expiresAt: null, lastUsedAt: null });
    expect(JSON.stringify([rows, listed])).not.toContain(secret);
    expect(JSON.stringify(listed)).not.toContain(rows[0]?.hash);
  });

  test('a key outlives the key that makes it in no case', async () => {
    const { identity, clock } = await settle(await open());
    const owner = await found(identity);
    const ends = clock.nowMs + YEAR_MS;
    const short = await identity.createKey(owner, { name: 'Short', grants: ALL_GRANTS, expiresAt: ends });
    const maker = await identity.authenticate(short.text, 'key');
    const make = (expiresAt: number | null) =>
      identity.createKey(maker!, { name: 'Made', grants: ALL_GRANTS, expiresAt });
    expect((await make(null)).info.expiresAt).toBe(ends);
    expect((await make(ends - 1)).info.expiresAt).toBe(ends - 1);
    expect(await refusalOf(make(ends + 1))).toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('expiresAt: the key that makes it expires at'),
    });
  });

  test('a key beyond the maker is forbidden, and the answer names the resource and the tool', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const narrow = await keyFor(identity, owner, { feedback: ['search'], annotations: ['*'] });
    const maker = await narrow.caller();
    const attempt = (grants: Record<string, string[]>) =>
      refusalOf(identity.createKey(maker!, { name: 'More', grants, expiresAt: null }));
    expect(await attempt({ feedback: ['search', 'delete_post'] })).toEqual({
      code: 'forbidden',
      message: 'You cannot give what you do not have: feedback:delete_post',
      data: { resource: 'feedback', tool: 'delete_post' },
    });
    expect(await attempt({ '*': ['*'] })).toMatchObject({
      code: 'forbidden',
      data: { resource: '*', tool: '*' },
    });
    expect(await attempt({ '*': ['search'] })).toMatchObject({ data: { resource: '*', tool: 'search' } });
    expect(await attempt({ feedback: ['*'] })).toMatchObject({ data: { resource: 'feedback', tool: '*' } });
    expect(await identity.listKeys(owner, { all: true })).toHaveLength(1);
  });

  test('a key within the maker is made, for the same user', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const maker = await (await keyFor(identity, owner, { annotations: ['*'] })).caller();
    const made = await keyFor(identity, maker!, { annotations: ['resolve'] });
    expect(await made.caller()).toMatchObject({ userId: owner.userId, grants: { annotations: ['resolve'] } });
  });

  test('a wildcard does not let a member name a privileged tool, and an administrator may', async () => {
    const isPrivileged = (resource: string, tool: string) =>
      tool === 'wipe' && ['disks', '*'].includes(resource);
    const { identity } = await settle(await open(), { isPrivileged });
    const owner = await found(identity);
    await identity.roles.save(owner, { name: 'all', grants: { disks: ['*'] } });
    const member = await (await join(identity, owner, ['all'])).key.caller();
    const make = (grants: Record<string, string[]>) =>
      identity.createKey(member!, { name: 'K', grants, expiresAt: null });
    expect(await refusalOf(make({ disks: ['wipe'] }))).toMatchObject({
      code: 'forbidden',
      data: { tool: 'wipe' },
    });
    expect(await make({ disks: ['*'] })).toBeDefined();
    const admin = await (await join(identity, owner, ['admin'])).key.caller();
    expect(await keyFor(identity, admin!, { disks: ['wipe'] })).toBeDefined();
  });

  test.each([
    ['an empty name', { name: '  ' }, 'name: must have 1 to 255 characters'],
    ['a long name', { name: 'n'.repeat(256) }, 'name: must have 1 to 255 characters'],
    ['an expiry in the past', { expiresAt: 1 }, 'expiresAt: must lie in the future'],
  ])('%s is refused by its field', async (_name, change, message) => {
    const { identity } = await settle(await open());
    const input = { name: 'K', grants: ALL_GRANTS, expiresAt: null, ...change };
    expect(await refusalOf(identity.createKey(await found(identity), input))).toMatchObject({
      code: 'invalid',
      message,
    });
  });

  test('a caller without a user makes no keys', async () => {
    const { identity } = await settle(await open());
    const nobody = { ...(await found(identity)), userId: null };
    const made = identity.createKey(nobody, { name: 'K', grants: {}, expiresAt: null });
    expect(await refusalOf(made)).toMatchObject({ code: 'forbidden' });
  });

  test('administrators see every key of their organization, others their own, nobody foreign ones', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const other = await found(identity, 'other');
    const own = await keyFor(identity, owner);
    const { userId, key } = await join(identity, owner, ['member']);
    await keyFor(identity, other);
    const idsOf = async (all: boolean, caller = owner) =>
      (await identity.listKeys(caller, { all })).map(({ id }) => id);
    expect((await idsOf(true)).toSorted()).toEqual([own.info.id, key.info.id].toSorted());
    expect(await idsOf(false, { ...owner, userId })).toEqual([key.info.id]);
    expect(await idsOf(false, { ...owner, userId: null })).toEqual([]);
  });

  test('a foreign key id answers like an unknown one, and nothing happens to the key', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const foreign = await keyFor(identity, await found(identity, 'other'));
    for (const id of [foreign.info.id, foreign.info.publicId, 'key_unknown', '', '%']) {
      expect(await refusalOf(identity.revokeKey(owner, id))).toMatchObject({
        code: 'not_found',
        message: `No such key: ${id}. "parley keys list" shows them.`,
      });
    }
    expect(await foreign.caller()).toBeDefined();
  });

  test('a member revokes their own key and not the key of another', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const own = await keyFor(identity, owner);
    const { key } = await join(identity, owner, ['member']);
    const member = await key.caller();
    expect(await refusalOf(identity.revokeKey(member!, own.info.id))).toMatchObject({ code: 'not_found' });
    expect(await own.caller()).toBeDefined();
    expect(await identity.revokeKey(member!, key.info.publicId)).toMatchObject({ id: key.info.id });
    expect(await key.caller()).toBeUndefined();
  });

  test('revoking twice keeps the time of the first', async () => {
    const { identity, clock } = await settle(await open());
    const owner = await found(identity);
    await keyFor(identity, owner);
    const { info } = await keyFor(identity, owner);
    const { revokedAt } = await identity.revokeKey(owner, info.id);
    clock.nowMs += 5000;
    expect((await identity.revokeKey(owner, info.id)).revokedAt).toBe(revokedAt);
  });

  test('a caller is found by key id, public id or name, never across organizations or past its life', async () => {
    const { identity, clock } = await settle(await open());
    const owner = await found(identity);
    const other = await found(identity, 'other');
    const expiresAt = clock.nowMs + YEAR_MS;
    const { info } = await identity.createKey(owner, { name: 'CI', grants: ALL_GRANTS, expiresAt });
    const named = (name: string, by = owner) => identity.callerNamed(by.organizationId, name);
    for (const name of [info.id, info.publicId, 'CI']) {
      expect(await named(name)).toMatchObject({ id: info.id });
      expect(await named(name, other)).toBeUndefined();
    }
    expect(await named('nobody')).toBeUndefined();
    clock.nowMs = expiresAt;
    expect(await named('CI')).toBeUndefined();
  });
});
