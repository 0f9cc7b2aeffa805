/** Who a key stands for, on both engines: what is refused, what a key may do, and how soon a change counts. */
import { ALL_GRANTS } from '@parley/kit';
import { expect, test, vi } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import { BUILT_IN_ROLES, found, join, keyFor, settle } from '../../test/people.ts';
import { IDENTITY_CHANGED } from '../index.ts';
import { newHexKey, newKey } from '../key-format.ts';
import type { IdentityTables } from '../schema.ts';

onBothEngines('authentication', (open) => {
  test('a key stands for its owner, with the source it came by', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const { text, info } = await keyFor(identity, owner);
    const { organizationId, userId } = owner;
    const who = { id: info.id, name: 'Key', organizationId, userId, roles: ['owner'] };
    const expected = { ...who, grants: expect.objectContaining(ALL_GRANTS) };
    expect(await identity.authenticate(text, 'key')).toEqual({
      ...expected,
      source: 'key',
      unattended: false,
    });
    expect(await identity.authenticate(text, 'stdio')).toMatchObject({ ...expected, source: 'stdio' });
  });

  test('a known key is answered without waiting', async () => {
    const { identity } = await settle(await open());
    const { text } = await keyFor(identity, await found(identity));
    const first = await identity.authenticate(text, 'key');
    expect(identity.authenticate(text, 'key')).toBe(first);
  });

  test('unknown, wrong, cut, padded and malformed keys are refused alike', async () => {
    const { identity } = await settle(await open());
    const { text } = await keyFor(identity, await found(identity));
    const wrongSecret = text.slice(0, 20) + newKey().secret;
    for (const given of [
      newKey().text,
      newHexKey().text,
      wrongSecret,
      text.slice(0, -1),
      `${text}\n`,
      `${text} `,
      '',
      '*',
      'null',
    ]) {
      expect(await identity.authenticate(given, 'key'), given).toBeUndefined();
    }
    expect(await identity.authenticate(text, 'key')).toBeDefined();
  });

  test('a revoked key is refused from the next request on', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    await keyFor(identity, owner);
    const { text, info } = await keyFor(identity, owner);
    expect(await identity.authenticate(text, 'key')).toBeDefined();
    await identity.revokeKey(owner, info.id);
    expect(await identity.authenticate(text, 'key')).toBeUndefined();
  });

  test('an expired key is refused, known or not, at the very moment it expires', async () => {
    const { identity, clock } = await settle(await open());
    const owner = await found(identity);
    const expiresAt = clock.nowMs + 60_000;
    const known = await identity.createKey(owner, { name: 'Known', grants: ALL_GRANTS, expiresAt });
    const fresh = await identity.createKey(owner, { name: 'Fresh', grants: ALL_GRANTS, expiresAt });
    clock.nowMs = expiresAt - 1;
    expect(await identity.authenticate(known.text, 'key')).toBeDefined();
    clock.nowMs = expiresAt;
    expect(await identity.authenticate(known.text, 'key')).toBeUndefined();
    expect(await identity.authenticate(fresh.text, 'key')).toBeUndefined();
  });

  test('the key of a removed member is refused from the next request on', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const { userId, key } = await join(identity, owner, ['admin']);
    expect(await key.caller()).toBeDefined();
    await identity.removeMember(owner, userId);
    expect(await key.caller()).toBeUndefined();
  });

  test('an administrator who becomes a member loses the power of their keys at the next request', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const { userId, key } = await join(identity, owner, ['admin']);
    expect(await key.caller()).toMatchObject({ roles: ['admin'], grants: ALL_GRANTS });
    await identity.setRoles(owner, { userId, roles: ['member'] });
    const after = await key.caller();
    expect(after?.roles).toEqual(['member']);
    expect(after?.grants).toEqual(BUILT_IN_ROLES.member);
  });

  test('a member with several roles holds their union, and a key is cut to it', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    await identity.roles.save(owner, { name: 'reader', grants: { board: ['search', 'get_post'] } });
    await identity.roles.save(owner, { name: 'tester', grants: { annotations: ['*'] } });
    const { userId, key } = await join(identity, owner, ['reader', 'tester']);
    expect((await key.caller())?.grants).toEqual({
      annotations: ['*'],
      board: ['get_post', 'search'],
      ...BUILT_IN_ROLES.member,
    });
    const wide = { board: ['search', 'delete_post'], annotations: ['resolve'], mesh: ['*'] };
    const narrow = await keyFor(identity, { ...owner, userId }, wide);
    expect((await narrow.caller())?.grants).toEqual({ annotations: ['resolve'], board: ['search'] });
  });

  test('a custom role that is changed changes its holders at the next request', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    await identity.roles.save(owner, { name: 'reader', grants: { board: ['search'] } });
    const { key } = await join(identity, owner, ['reader']);
    expect((await key.caller())?.grants).toMatchObject({ board: ['search'] });
    await identity.roles.save(owner, { name: 'reader', grants: {} });
    expect((await key.caller())?.grants).toEqual(BUILT_IN_ROLES.member);
  });

  test('a key that names a privileged tool does not give it to an owner who has only a wildcard', async () => {
    const isPrivileged = (_resource: string, tool: string) => tool === 'wipe';
    const { identity } = await settle(await open(), { isPrivileged });
    const owner = await found(identity);
    await identity.roles.save(owner, { name: 'all', grants: { disks: ['*'] } });
    await identity.roles.save(owner, { name: 'wiper', grants: { disks: ['wipe'] } });
    const { userId, key } = await join(identity, owner, ['all']);
    const named = await keyFor(identity, { ...owner, userId }, { disks: ['wipe', 'read'], '*': ['wipe'] });
    expect((await named.caller())?.grants).toEqual({ disks: ['read'] });
    expect((await key.caller())?.grants).toMatchObject({ disks: ['*'] });
    await identity.setRoles(owner, { userId, roles: ['wiper'] });
    expect((await named.caller())?.grants).toEqual({ disks: ['wipe'] });
  });

  test('keys that are shown at once are found together, each as its own, and wrong ones not at all', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    await identity.roles.save(owner, { name: 'reader', grants: { notes: ['read'] } });
    const { userId, key } = await join(identity, owner, ['reader']);
    const keys = [key];
    for (let index = 0; index < 4; index += 1)
      keys.push(await keyFor(identity, index % 2 === 0 ? owner : { ...owner, userId }));
    const shown = [...keys.map(({ text }) => text), 'parley_nobody', `${key.text.slice(0, -1)}~`, key.text];
    const callers = await Promise.all(shown.map(async (text) => identity.authenticate(text, 'key')));
    expect(callers.map((caller) => caller?.id)).toEqual([
      ...keys.map(({ info }) => info.id),
      undefined,
      undefined,
      key.info.id,
    ]);
    for (const [index, text] of shown.entries())
      expect(await identity.authenticate(text, 'web')).toEqual(
        callers[index] && { ...callers[index], source: 'web' },
      );
    // What may do the same is kept once.
    expect(callers[1]?.grants).toBe(callers[3]?.grants);
  });

  test('the last use is remembered, at most once a minute', async () => {
    const { identity, store, clock } = await settle(await open());
    const { text, info } = await keyFor(identity, await found(identity));
    const lastUse = async () => {
      const rows = await store
        .db<IdentityTables>()
        .selectFrom('api_keys')
        .select(['id', 'last_used_at'])
        .execute();
      return rows.find(({ id }) => id === info.id)?.last_used_at;
    };
    const started = clock.nowMs;
    expect(await lastUse()).toBeNull();
    await identity.authenticate(text, 'key');
    await expect.poll(lastUse).toBe(started);
    clock.nowMs = started + 59_000;
    await identity.authenticate(text, 'key');
    clock.nowMs = started + 61_000;
    await identity.authenticate(text, 'key');
    await expect.poll(lastUse).toBe(started + 61_000);
  });
});

onBothEngines('authentication in two processes', (open) => {
  test('a revoked key is refused by the other store as soon as the signal arrives', async () => {
    const here = await settle(await open());
    const there = await settle(await open());
    const owner = await found(here.identity);
    await keyFor(here.identity, owner);
    const { text, info } = await keyFor(here.identity, owner);
    expect(await there.identity.authenticate(text, 'key')).toBeDefined();
    const told = there.store.signal.wait(IDENTITY_CHANGED, { timeoutMs: 10_000 });
    await here.identity.revokeKey(owner, info.id);
    expect(await told).toMatchObject({ topic: IDENTITY_CHANGED, payload: owner.organizationId });
    expect(await there.identity.authenticate(text, 'key')).toBeUndefined();
  });

  test('a demotion reaches the other store as soon as the signal arrives', async () => {
    const here = await settle(await open());
    const there = await settle(await open());
    const owner = await found(here.identity);
    const { userId, key } = await join(here.identity, owner, ['admin']);
    const before = await there.identity.authenticate(key.text, 'key');
    expect(before?.grants).toMatchObject(ALL_GRANTS);
    const told = there.store.signal.wait(IDENTITY_CHANGED, { timeoutMs: 10_000 });
    await here.identity.setRoles(owner, { userId, roles: ['member'] });
    await told;
    expect((await there.identity.authenticate(key.text, 'key'))?.grants).toEqual(BUILT_IN_ROLES.member);
    expect((await there.identity.current(before!))?.grants).toEqual(BUILT_IN_ROLES.member);
  });
});

onBothEngines('current', (open) => {
  test('gives the same caller with the rights of now', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const { userId, key } = await join(identity, owner, ['admin']);
    const caller = await identity.authenticate(key.text, 'stdio');
    expect(await identity.current(caller!)).toEqual(caller);
    await identity.setRoles(owner, { userId, roles: ['member'] });
    expect(await identity.current(caller!)).toMatchObject({ source: 'stdio', roles: ['member'] });
  });

  test('gives nothing once the key is revoked, expired or without a member', async () => {
    const { identity, clock } = await settle(await open());
    const owner = await found(identity);
    const revoked = await keyFor(identity, owner);
    const expiring = await identity.createKey(owner, {
      name: 'E',
      grants: ALL_GRANTS,
      expiresAt: clock.nowMs + 1000,
    });
    const left = await join(identity, owner, ['admin']);
    const texts = [revoked.text, expiring.text, left.key.text];
    const callers = await Promise.all(texts.map(async (text) => identity.authenticate(text, 'key')));
    for (const caller of callers) expect(await identity.current(caller!)).toEqual(caller);
    await identity.revokeKey(owner, revoked.info.id);
    await identity.removeMember(owner, left.userId);
    clock.nowMs += 1000;
    for (const caller of callers) expect(await identity.current(caller!)).toBeUndefined();
  });

  test('gives nothing for a caller of another organization with the same id', async () => {
    const { identity } = await settle(await open());
    const { caller } = await keyFor(identity, await found(identity));
    const other = await found(identity, 'other');
    const own = await caller();
    expect(await identity.current({ ...own!, organizationId: other.organizationId })).toBeUndefined();
  });
});

onBothEngines('looking up a caller again', (open) => {
  test('reads a key that expires once until it does, also for many who ask at the same time', async () => {
    const store = await open();
    const { identity, clock } = await settle(store);
    const owner = await found(identity);
    const expiresAt = clock.nowMs + 1000;
    const { text } = await identity.createKey(owner, { name: 'E', grants: ALL_GRANTS, expiresAt });
    const caller = await identity.authenticate(text, 'key');
    const reads = vi.spyOn(store, 'db');
    await Promise.all(Array.from({ length: 50 }, () => identity.current(caller!)));
    const readsOfOne = reads.mock.calls.length;
    expect(readsOfOne).toBeLessThan(10);
    expect(await identity.current(caller!)).toEqual(caller);
    expect(reads.mock.calls.length).toBe(readsOfOne);
    clock.nowMs = expiresAt;
    expect(await identity.current(caller!)).toBeUndefined();
  });

  test('asks again after a look-up that failed', async () => {
    const store = await open();
    const { identity } = await settle(store);
    const owner = await found(identity);
    const caller = await (await keyFor(identity, owner)).caller();
    vi.spyOn(store, 'db').mockImplementationOnce(() => {
      throw new Error('The connection was lost.');
    });
    await expect(identity.current(caller!)).rejects.toThrow('The connection was lost.');
    expect(await identity.current(caller!)).toEqual(caller);
  });
});
