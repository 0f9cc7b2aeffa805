/** Who revokes which key, on both engines; and the way back for whoever has no key left. */
import { ALL_GRANTS } from '@parley/kit';
import type { Caller } from '@parley/kit';
import { expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import { found, join, keyFor, refusalOf, settle } from '../../test/people.ts';
import type { Identity, KeyRole } from '../index.ts';

const LAST = {
  code: 'conflict',
  message: 'This is the last key with which an owner may do everything. Create another such key first.',
};
const ABOVE = { code: 'forbidden', message: 'Only an owner can change or remove an owner.' };

async function narrowTo(identity: Identity, maker: Caller, role: KeyRole) {
  const input = { name: 'Narrow', role, grants: { feedback: ['manage_keys'] }, expiresAt: null };
  const { text, info } = await identity.createKey(maker, input);
  return { info, caller: (await identity.authenticate(text, 'key'))! };
}

onBothEngines('revoking', (open) => {
  test('a narrow key of an administrator does not revoke the key of the owner, though both are of one person', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const own = await keyFor(identity, owner);
    await keyFor(identity, owner);
    const narrow = await narrowTo(identity, owner, 'admin');
    expect(await refusalOf(identity.revokeKey(narrow.caller, own.info.id))).toMatchObject(ABOVE);
    expect(await own.caller()).toBeDefined();
  });

  test('a key with few grants neither changes nor revokes one of the same person that may do more', async () => {
    const { identity } = await settle(await open());
    const founder = await found(identity);
    const all = { self: ['API_KEY_UPDATE', 'API_KEY_DELETE', 'TAGS_LIST'] };
    await identity.roles.save(founder, { name: 'crew', grants: all });
    const person = (await (await join(identity, founder, ['crew'])).key.caller())!;
    const make = (name: string, ...tools: string[]) =>
      identity.createKey(person, { name, grants: { self: tools }, expiresAt: null });
    const [full, few, fewer] = [
      await make('Full', ...all.self),
      await make('Few', 'API_KEY_UPDATE', 'API_KEY_DELETE'),
      await make('Fewer', 'API_KEY_UPDATE'),
    ];
    const acting = (await identity.authenticate(few.text, 'key'))!;
    for (const work of [
      () => identity.revokeKey(acting, full.info.id),
      () => identity.updateKey(acting, { keyId: full.info.id, name: 'Mine' }),
      () => identity.updateKey(acting, { keyId: full.info.id, grants: {} }),
    ])
      expect(await refusalOf(work())).toMatchObject({ code: 'forbidden' });
    expect(await identity.authenticate(full.text, 'key')).toMatchObject({ name: 'Full' });
    // What it covers, and itself, it may.
    const renamed = await identity.updateKey(acting, { keyId: fewer.info.id, name: 'Less' });
    expect(renamed).toMatchObject({ name: 'Less' });
    await identity.revokeKey(acting, fewer.info.id);
    await identity.revokeKey(acting, few.info.id);
  });

  test('whoever stands as high or higher revokes, and whoever stands lower does not', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    await keyFor(identity, owner);
    const ownersKey = await keyFor(identity, owner);
    const ownersNarrow = await narrowTo(identity, owner, 'member');
    const admin = await join(identity, owner, ['admin']);
    const other = await join(identity, owner, ['admin']);
    const member = await join(identity, owner, ['member']);
    const asAdmin = (await admin.key.caller())!;
    const asMember = (await member.key.caller())!;
    const narrow = await narrowTo(identity, owner, 'member');
    for (const [who, key, expected] of [
      [asAdmin, ownersKey.info.id, 'forbidden'],
      [asMember, other.key.info.id, 'not_found'],
      [narrow.caller, ownersKey.info.id, 'forbidden'],
      [asAdmin, ownersNarrow.info.id, 'revoked'],
      [asAdmin, other.key.info.id, 'revoked'],
      [asAdmin, member.key.info.id, 'revoked'],
      [owner, admin.key.info.id, 'revoked'],
    ] as const) {
      const outcome = await identity.revokeKey(who, key).then(
        () => 'revoked',
        (error: { code: string }) => error.code,
      );
      expect([who.roles, key, outcome]).toEqual([who.roles, key, expected]);
    }
    expect(await ownersKey.caller()).toBeDefined();
  });

  test('the last full key of the last owner stays, however few or narrow the others are', async () => {
    const { identity, clock } = await settle(await open());
    const owner = await found(identity);
    const last = await keyFor(identity, owner);
    await narrowTo(identity, owner, 'admin');
    await keyFor(identity, owner, { feedback: ['*'] });
    await join(identity, owner, ['admin']);
    const expiring = { name: 'Soon over', grants: ALL_GRANTS, expiresAt: clock.nowMs + 1000 };
    await identity.createKey(owner, expiring);
    clock.nowMs += 1000;
    for (const who of [owner, (await last.caller())!])
      expect(await refusalOf(identity.revokeKey(who, last.info.publicId))).toMatchObject(LAST);
    expect(await last.caller()).toBeDefined();
    const second = await join(identity, owner, ['owner']);
    expect(await identity.revokeKey(owner, last.info.id)).toMatchObject({ id: last.info.id });
    expect(await refusalOf(identity.revokeKey(owner, second.key.info.id))).toMatchObject(LAST);
  });

  test('two who revoke the last two full keys at once leave one', async () => {
    const here = await settle(await open());
    const there = await settle(await open());
    const owner = await found(here.identity);
    const keys = [await keyFor(here.identity, owner), await keyFor(here.identity, owner)] as const;
    const outcomes = await Promise.allSettled([
      here.identity.revokeKey(owner, keys[0].info.id),
      there.identity.revokeKey(owner, keys[1].info.id),
    ]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  test('the key of somebody who is no member any more can be revoked', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    await keyFor(identity, owner);
    const gone = await join(identity, owner, ['owner']);
    await identity.removeMember(owner, gone.userId);
    const admin = await join(identity, owner, ['admin']);
    expect(await identity.revokeKey((await admin.key.caller())!, gone.key.info.id)).toBeDefined();
  });
});

onBothEngines('recovering', (open) => {
  test('makes a full key for the first owner of the first organization, kept before it counts', async () => {
    const { identity, clock } = await settle(await open());
    const owner = await found(identity);
    clock.nowMs += 1000;
    await found(identity, 'other');
    const kept: string[] = [];
    const { info } = await identity.recoverOwnerKey(async (key) => {
      kept.push(key);
    });
    expect(kept).toHaveLength(1);
    expect(await identity.authenticate(kept[0]!, 'cli')).toMatchObject({
      id: info.id,
      name: 'Recovered owner key',
      organizationId: owner.organizationId,
      userId: owner.userId,
      roles: ['owner'],
    });
    const failing = identity.recoverOwnerKey(() => Promise.reject(new Error('The disk is full.')));
    await expect(failing).rejects.toThrow('The disk is full.');
    expect(await identity.listKeys(owner, { all: true })).toHaveLength(1);
  });

  test('makes nothing where nobody is an owner', async () => {
    const { identity } = await settle(await open());
    expect(await refusalOf(identity.recoverOwnerKey(async () => undefined))).toMatchObject({
      code: 'not_found',
    });
  });
});
