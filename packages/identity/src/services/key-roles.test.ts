/** Keys of both forms, keys narrowed to a rank, and what a key is worth whose member is gone. */
import type { Caller } from '@parley/kit';
import { ALL_GRANTS, mayAdminister } from '@parley/kit';
import { expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import { BUILT_IN_ROLES, found, join, keyFor, refusalOf, settle } from '../../test/people.ts';
import type { Identity, NewKey } from '../index.ts';
import { newHexKey, newKey } from '../key-format.ts';
import type { IdentityTables } from '../schema.ts';
import { insertKey } from './keys.ts';

async function make(identity: Identity, maker: Caller, change: Partial<NewKey>) {
  const input = { name: 'Key', grants: ALL_GRANTS, expiresAt: null, ...change };
  const { text, info } = await identity.createKey(maker, input);
  return { text, info, caller: async () => identity.authenticate(text, 'key') };
}

onBothEngines('keys in hex', (open) => {
  test('stand for their owner like any other, and only their hash is stored', async () => {
    const { identity, store } = await settle(await open());
    const owner = await found(identity);
    const key = await make(identity, owner, { format: 'qb', name: 'n'.repeat(255) });
    expect(key.text).toMatch(/^qb_[0-9a-f]{48}$/);
    expect(key.info.publicId).toBe(key.text.slice(0, 12));
    expect(await key.caller()).toMatchObject({ id: key.info.id, roles: ['owner'], userId: owner.userId });
    const rows = await store.db<IdentityTables>().selectFrom('api_keys').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(key.text.slice(12));
    const almost = key.text.slice(0, -1) + (key.text.endsWith('0') ? '1' : '0');
    for (const text of [almost, key.text.toUpperCase(), `${key.text}0`, key.text.slice(0, 12)]) {
      expect(await identity.authenticate(text, 'key'), text).toBeUndefined();
    }
    await make(identity, owner, { name: 'Another' });
    await identity.revokeKey(owner, key.info.publicId);
    expect(await key.caller()).toBeUndefined();
  });

  test('a public id that is taken is not used again', async () => {
    const { identity, store, clock } = await settle(await open());
    const owner = await found(identity);
    const taken = await make(identity, owner, { format: 'qb' });
    const free = newHexKey();
    const fresh = [{ ...newHexKey(), publicId: taken.info.publicId }, free];
    const input = { name: 'Second', grants: ALL_GRANTS, expiresAt: null };
    const person = { organizationId: owner.organizationId, userId: owner.userId! };
    const insert = (next: () => ReturnType<typeof newHexKey>) =>
      store.transaction((tx) => insertKey(tx, person, input, clock.nowMs, next));
    expect((await insert(() => fresh.shift()!)).text).toBe(free.text);
    expect(await taken.caller()).toMatchObject({ id: taken.info.id });
    const never = insert(() => ({ ...newHexKey(), publicId: taken.info.publicId }));
    expect(await refusalOf(never)).toMatchObject({ code: 'unavailable' });
    expect(await identity.listKeys(owner, { all: true })).toHaveLength(2);
  });
});

onBothEngines('the role of a key', (open) => {
  test('narrows an owner to the rank and to what it gives', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    for (const role of ['admin', 'member', 'user'] as const) {
      const key = await make(identity, owner, { role });
      const caller = await key.caller();
      expect(key.info.role).toBe(role);
      expect(caller).toMatchObject({ roles: [role], grants: BUILT_IN_ROLES[role] });
      expect(Object.keys(caller!.grants)).toEqual(Object.keys(BUILT_IN_ROLES[role]));
      expect(mayAdminister(caller!)).toBe(role === 'admin');
    }
    expect((await make(identity, owner, {})).info.role).toBeNull();
  });

  test('and its grants both narrow it', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const grants = { feedback: ['search'], annotations: ['*'] };
    const caller = await (await make(identity, owner, { role: 'member', grants })).caller();
    expect(caller?.grants).toEqual({ feedback: ['search'] });
  });

  test('takes away custom roles, and keeps the privileged tools that an owner named in it', async () => {
    const isPrivileged = (_resource: string, tool: string) => tool === 'wipe';
    const { identity } = await settle(await open(), { isPrivileged });
    const owner = await found(identity);
    const grants = { feedback: ['wipe', 'search'] };
    const ofOwner = await (await make(identity, owner, { role: 'member', grants })).caller();
    expect(ofOwner).toMatchObject({ roles: ['member'], grants: { feedback: ['search', 'wipe'] } });
    const byWildcard = await (await make(identity, owner, { role: 'member' })).caller();
    expect(byWildcard?.grants).toEqual(BUILT_IN_ROLES.member);
    // Who stands as a member cannot give the name on.
    const passedOn = { name: 'K', grants: { feedback: ['wipe'] }, expiresAt: null };
    if (byWildcard === undefined) throw new Error('The key is not accepted.');
    expect(await refusalOf(identity.createKey(byWildcard, passedOn))).toMatchObject({ code: 'forbidden' });
    await identity.roles.save(owner, { name: 'wiper', grants: { feedback: ['wipe'], disks: ['*'] } });
    const { userId, key } = await join(identity, owner, ['wiper']);
    expect((await key.caller())?.grants).toEqual({
      feedback: ['*', 'wipe'],
      disks: ['*'],
      parley: ['parley_whoami'],
    });
    const narrow = await make(identity, { ...owner, userId }, { role: 'member' });
    expect(await narrow.caller()).toMatchObject({ roles: ['member'], grants: BUILT_IN_ROLES.member });
    expect((await narrow.caller())?.grants).not.toHaveProperty('disks');
  });

  test('above the maker or the owner is forbidden, and nothing is made', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const member = await join(identity, owner, ['member']);
    const user = await join(identity, owner, ['user']);
    const stranger = await identity.createUser({ name: 'S', email: null });
    const narrow = await (await make(identity, owner, { role: 'member' })).caller();
    const { length } = await identity.listKeys(owner, { all: true });
    const attempt = (maker: Caller, role: 'admin' | 'member' | 'user') =>
      refusalOf(identity.createKey(maker, { name: 'K', grants: {}, expiresAt: null, role }));
    const tries: [Caller, 'admin' | 'member'][] = [
      [(await member.key.caller())!, 'admin'],
      [(await user.key.caller())!, 'member'],
      [narrow!, 'admin'],
      [{ ...owner, userId: member.userId }, 'admin'],
      [{ ...owner, userId: user.userId }, 'member'],
      [{ ...owner, userId: stranger }, 'member'],
    ];
    for (const [maker, role] of tries) {
      expect(await attempt(maker, role)).toEqual({
        code: 'forbidden',
        message: `You cannot give a role above your own: ${role}`,
        data: { role },
      });
    }
    expect(await identity.listKeys(owner, { all: true })).toHaveLength(length);
  });

  test('is handed on by a key that makes another, now and after a promotion', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const ofOwner = await (await make(identity, owner, { role: 'member' })).caller();
    const child = await make(identity, ofOwner!, { grants: { feedback: ['*'] } });
    expect(child.info.role).toBe('member');
    expect(await child.caller()).toMatchObject({ roles: ['member'] });
    const { userId } = await join(identity, owner, ['member']);
    const narrow = await make(identity, { ...owner, userId }, { role: 'member' });
    const grandchild = await make(identity, (await narrow.caller())!, { grants: {} });
    await identity.setRoles(owner, { userId, roles: ['admin'] });
    expect(await grandchild.caller()).toMatchObject({ roles: ['member'] });
    const lower = await make(identity, ofOwner!, { grants: {}, role: 'user' });
    expect(await lower.caller()).toMatchObject({ roles: ['user'] });
  });

  test('a caller that is narrower than its user makes no wider key, even without a key of its own', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const narrow = { ...owner, roles: ['member'], grants: { feedback: ['search'] } };
    expect((await make(identity, narrow, { grants: {} })).info.role).toBe('member');
  });

  test('counts until its owner stands lower, and again when they rise', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const { userId } = await join(identity, owner, ['admin']);
    const key = await make(identity, { ...owner, userId }, { role: 'admin' });
    expect(await key.caller()).toMatchObject({ roles: ['admin'], grants: ALL_GRANTS });
    const stands: [string, unknown][] = [
      ['member', BUILT_IN_ROLES.member],
      ['user', BUILT_IN_ROLES.user],
      ['owner', ALL_GRANTS],
    ];
    for (const [role, grants] of stands) {
      await identity.setRoles(owner, { userId, roles: [role] });
      expect((await key.caller())?.roles).toEqual([role === 'owner' ? 'admin' : role]);
      expect((await key.caller())?.grants).toEqual(grants);
    }
  });
});

onBothEngines('the state of a key', (open) => {
  test('tells a member who is gone from a key that is not valid', async () => {
    const { identity, clock } = await settle(await open());
    const owner = await found(identity);
    const { userId, key } = await join(identity, owner, ['member']);
    const hex = await make(identity, { ...owner, userId }, { format: 'qb' });
    const expiresAt = clock.nowMs + 1000;
    const expiring = await make(identity, { ...owner, userId }, { expiresAt });
    const revoked = await make(identity, { ...owner, userId }, {});
    await identity.revokeKey(owner, revoked.info.id);
    const stateOf = (text: string) => identity.keyState(text);
    for (const { text } of [key, hex, expiring]) expect(await stateOf(text)).toBe('valid');
    await identity.removeMember(owner, userId);
    for (const { text } of [key, hex, expiring]) {
      expect(await stateOf(text)).toBe('memberless');
      expect(await identity.authenticate(text, 'key')).toBeUndefined();
    }
    clock.nowMs = expiresAt;
    const wrong = key.text.slice(0, 20) + newKey().secret;
    const unknown = [expiring.text, revoked.text, wrong, newKey().text, newHexKey().text, '', 'x'];
    for (const text of unknown) expect(await stateOf(text), text).toBe('unknown');
    expect(await stateOf((await keyFor(identity, owner)).text)).toBe('valid');
  });
});
