/** Members as others see them, their ranks, and who may change or remove whom. */
import { expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import { BUILT_IN_ROLES, found, join, keyFor, refusalOf, settle } from '../../test/people.ts';
import type { Identity } from '../index.ts';
import { rankOf } from '../index.ts';

test.each([
  [['owner'], 'admin'],
  [['admin', 'crew'], 'admin'],
  [['user', 'member'], 'member'],
  [['crew'], 'member'],
  [['crew', 'user'], 'user'],
  [['user'], 'user'],
  [[], 'user'],
])('somebody with the roles %j counts as %s', (roles, rank) => {
  expect(rankOf(roles)).toBe(rank);
});

/** A new member, as the list shows them. */
async function enter(identity: Identity, owner: Parameters<Identity['addMember']>[0], roles: string[]) {
  const { userId, key } = await join(identity, owner, roles);
  const member = await identity.memberOf(owner.organizationId, userId);
  return { ...member!, key };
}

onBothEngines('members', (open) => {
  test('are listed the oldest first, with their person, roles and rank, and no foreign ones', async () => {
    const { identity, clock } = await settle(await open());
    const owner = await found(identity);
    const other = await found(identity, 'other');
    const { organizationId } = owner;
    await identity.roles.save(owner, { name: 'crew', grants: {} });
    const email = 'Bea@Example.com';
    const userId = await identity.createUser({ name: 'Bea', email });
    clock.nowMs += 1000;
    const memberId = await identity.addMember(owner, { userId, roles: ['user', 'crew'] });
    const bea = {
      id: memberId,
      userId,
      name: 'Bea',
      email: 'bea@example.com',
      image: null,
      emailVerified: false,
      roles: ['crew', 'user'],
      rank: 'user',
      createdAt: clock.nowMs,
    };
    const [first, second, ...rest] = await identity.listMembers(organizationId);
    expect(first).toMatchObject({ userId: owner.userId, name: 'Ada', roles: ['owner'], rank: 'admin' });
    expect(second).toEqual(bea);
    expect(rest).toEqual([]);
    expect(await identity.getMember(organizationId, memberId)).toEqual(bea);
    expect(await identity.memberOf(organizationId, userId)).toEqual(bea);
    expect(await identity.getMember(other.organizationId, memberId)).toBeUndefined();
    expect(await identity.memberOf(other.organizationId, userId)).toBeUndefined();
    expect(await identity.getMember(organizationId, 'mem_unknown')).toBeUndefined();
    expect(await identity.listMembers('org_unknown')).toEqual([]);
  });

  test('a visitor may ask who they are and nothing else', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const { key } = await enter(identity, owner, ['user']);
    expect(await key.caller()).toMatchObject({ roles: ['user'] });
    expect((await key.caller())?.grants).toEqual({ parley: ['parley_whoami'] });
    const role = identity.roles.save((await key.caller())!, { name: 'mine', grants: {} });
    expect(await refusalOf(role)).toMatchObject({ code: 'forbidden', data: { role: 'member' } });
  });

  test('custom roles build on member, and beside the role user only add their own', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    await identity.roles.save(owner, { name: 'crew', grants: { board: ['search'] } });
    const team = await enter(identity, owner, ['crew']);
    const visitor = await enter(identity, owner, ['crew', 'user']);
    expect((await team.key.caller())?.grants).toEqual({ board: ['search'], ...BUILT_IN_ROLES.member });
    expect((await visitor.key.caller())?.grants).toEqual({ board: ['search'], ...BUILT_IN_ROLES.user });
  });

  test('a user is found by e-mail in any case, or made once, also by two at the same time', async () => {
    const here = await settle(await open());
    const there = await settle(await open());
    const ids = await Promise.all(
      [here, there, here, there].map(({ identity }, index) =>
        identity.ensureUser({
          email: index % 2 ? 'cy@example.com' : ' Cy@Example.com ',
          name: `Cy ${index}`,
        }),
      ),
    );
    expect(new Set(ids).size).toBe(1);
    const again = here.identity.createUser({ name: 'Cy', email: 'CY@example.com' });
    expect(await refusalOf(again)).toMatchObject({ code: 'conflict' });
    const known = await here.identity.createUser({ name: 'Di', email: 'di@example.com' });
    expect(await here.identity.ensureUser({ email: 'di@example.com', name: 'Other' })).toBe(known);
    const owner = await found(here.identity);
    await here.identity.addMember(owner, { userId: known, roles: ['user'] });
    expect(await here.identity.memberOf(owner.organizationId, known)).toMatchObject({ name: 'Di' });
    const empty = here.identity.ensureUser({ email: ' ', name: 'Nobody' });
    expect(await refusalOf(empty)).toMatchObject({ code: 'invalid', message: 'email: must not be empty' });
  });
});

onBothEngines('ranks', (open) => {
  test('a new rank swaps the built-in role, keeps the custom ones, and counts from the next request on', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    await identity.roles.save(owner, { name: 'crew', grants: {} });
    const { id, key } = await enter(identity, owner, ['crew', 'member']);
    for (const rank of ['admin', 'user', 'member'] as const) {
      const changed = await identity.setRank(owner, id, rank);
      expect(changed).toMatchObject({ id, rank, roles: ['crew', rank].toSorted() });
      expect(await identity.getMember(owner.organizationId, id)).toEqual(changed);
      expect((await key.caller())?.roles.toSorted()).toEqual(changed.roles);
    }
  });

  test('admin changes nothing for an owner, whoever asks, and member nothing for custom roles alone', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    await identity.roles.save(owner, { name: 'crew', grants: {} });
    const admin = await enter(identity, owner, ['admin']);
    const first = await identity.memberOf(owner.organizationId, owner.userId!);
    for (const by of [owner, (await admin.key.caller())!]) {
      expect(await identity.setRank(by, first!.id, 'admin')).toEqual(first);
    }
    const crew = await enter(identity, owner, ['crew']);
    expect(await identity.setRank(owner, crew.id, 'member')).toMatchObject({ roles: ['crew'] });
  });

  test('the last one who may administer is neither demoted nor removed', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const { id } = (await identity.memberOf(owner.organizationId, owner.userId!))!;
    await enter(identity, owner, ['member']);
    const refused = { code: 'conflict', message: 'An organization needs at least one owner.' };
    for (const rank of ['member', 'user'] as const) {
      expect(await refusalOf(identity.setRank(owner, id, rank))).toMatchObject(refused);
    }
    expect(await refusalOf(identity.removeMemberById(owner, id))).toMatchObject(refused);
    expect(await identity.getMember(owner.organizationId, id)).toMatchObject({ roles: ['owner'] });
    const second = await enter(identity, owner, ['owner']);
    expect(await identity.setRank(owner, id, 'user')).toMatchObject({ roles: ['user'] });
    expect(await refusalOf(identity.setRank((await second.key.caller())!, second.id, 'user'))).toMatchObject(
      refused,
    );
  });

  test('of two owners who demote or remove each other at the same time one stays', async () => {
    const here = await settle(await open());
    const there = await settle(await open());
    for (const slug of ['one', 'two', 'three']) {
      const first = await found(here.identity, slug);
      const { id } = (await here.identity.memberOf(first.organizationId, first.userId!))!;
      const second = await enter(here.identity, first, ['owner']);
      const outcomes = await Promise.allSettled([
        here.identity.setRank(first, second.id, 'member'),
        there.identity.removeMemberById({ ...first, userId: second.userId }, id),
      ]);
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const left = await here.identity.listMembers(first.organizationId);
      expect(left.filter(({ roles }) => roles.includes('owner'))).toHaveLength(1);
    }
  });

  test('two ranks at the same time leave one', async () => {
    const here = await settle(await open());
    const there = await settle(await open());
    const owner = await found(here.identity);
    const { id } = await enter(here.identity, owner, ['member']);
    await Promise.all([here.identity.setRank(owner, id, 'admin'), there.identity.setRank(owner, id, 'user')]);
    const left = await here.identity.getMember(owner.organizationId, id);
    expect(left?.roles).toHaveLength(1);
    expect(['admin', 'user']).toContain(left?.rank);
  });

  test('nobody gives a rank above their own, and nobody changes or removes somebody above them', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const { organizationId } = owner;
    const first = (await identity.memberOf(organizationId, owner.userId!))!;
    const admin = await enter(identity, owner, ['admin']);
    const member = await enter(identity, owner, ['member']);
    const user = await enter(identity, owner, ['user']);
    const narrow = await (await keyFor(identity, owner, { annotations: ['*'] })).caller();
    const [asAdmin, asMember, asUser] = await Promise.all(
      [admin, member, user].map(({ key }) => key.caller()),
    );
    await enter(identity, owner, ['owner']);
    const before = await identity.listMembers(organizationId);
    for (const attempt of [
      () => identity.setRank(asAdmin!, first.id, 'member'),
      () => identity.removeMemberById(asAdmin!, first.id),
      () => identity.setRank(asMember!, member.id, 'admin'),
      () => identity.setRank(asMember!, admin.id, 'member'),
      () => identity.setRoles(asMember!, { userId: admin.userId, roles: ['member'] }),
      () => identity.removeMember(asMember!, admin.userId),
      () => identity.removeMemberById(asMember!, admin.id),
      () => identity.setRank(asUser!, user.id, 'member'),
      () => identity.setRank(asUser!, member.id, 'user'),
      () => identity.removeMemberById(asUser!, member.id),
      () => identity.setRank(narrow!, member.id, 'admin'),
      () => identity.setRank(narrow!, user.id, 'member'),
      () => identity.setRoles(narrow!, { userId: user.userId, roles: ['member'] }),
    ]) {
      expect(await refusalOf(attempt()), attempt.toString()).toMatchObject({ code: 'forbidden' });
    }
    expect(await identity.listMembers(organizationId)).toEqual(before);
  });

  test('a key below the team gives nobody the team, and a key with feedback may', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const userId = await identity.createUser({ name: 'New', email: null });
    const add = async (grants: Record<string, string[]>) =>
      identity.addMember((await (await keyFor(identity, owner, grants)).caller())!, {
        userId,
        roles: ['member'],
      });
    expect(await refusalOf(add({ feedback: ['search'] }))).toMatchObject({
      code: 'forbidden',
      data: { resource: 'feedback', tool: '*' },
    });
    expect(await add({ feedback: ['*'] })).toMatch(/^mem_/);
  });

  test('a removed member is gone by id, with keys, and a foreign id answers like an unknown one', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const other = await found(identity, 'other');
    const { id, userId, key } = await enter(identity, owner, ['member']);
    const missing = { code: 'not_found', message: 'No such member.' };
    for (const memberId of ['mem_unknown', '', userId]) {
      expect(await refusalOf(identity.setRank(owner, memberId, 'user'))).toMatchObject(missing);
      expect(await refusalOf(identity.removeMemberById(owner, memberId))).toMatchObject(missing);
    }
    expect(await refusalOf(identity.setRank(other, id, 'user'))).toMatchObject(missing);
    expect(await refusalOf(identity.removeMemberById(other, id))).toMatchObject(missing);
    expect(await key.caller()).toBeDefined();
    await identity.removeMemberById(owner, id);
    expect(await key.caller()).toBeUndefined();
    expect(await identity.getMember(owner.organizationId, id)).toBeUndefined();
    expect(await refusalOf(identity.removeMemberById(owner, id))).toMatchObject(missing);
  });

  test('somebody who is added by two at the same time is one member', async () => {
    const here = await settle(await open());
    const there = await settle(await open());
    const owner = await found(here.identity);
    const userId = await here.identity.createUser({ name: 'E', email: null });
    const ids = await Promise.all(
      [here, there].map(({ identity }) => identity.addMember(owner, { userId, roles: ['user'] })),
    );
    expect(ids[0]).toBe(ids[1]);
  });
});
