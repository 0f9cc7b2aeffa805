/** Who belongs to an organization, who may change that, and what can never happen: an organization without an owner. */
import { expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import { BUILT_IN_ROLES, found, join, keyFor, refusalOf, settle } from '../../test/people.ts';

onBothEngines('members', (open) => {
  test('the last owner can neither leave nor step down', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const userId = owner.userId!;
    const refused = { code: 'conflict', message: 'An organization needs at least one owner.' };
    expect(await refusalOf(identity.removeMember(owner, userId))).toMatchObject(refused);
    expect(await refusalOf(identity.setRoles(owner, { userId, roles: ['admin'] }))).toMatchObject(refused);
    await identity.setRoles(owner, { userId, roles: ['owner', 'member'] });
    await join(identity, owner, ['owner']);
    await identity.removeMember(owner, userId);
  });

  test('two owners who remove each other at the same time leave one', async () => {
    const here = await settle(await open());
    const there = await settle(await open());
    const first = await found(here.identity);
    const { userId } = await join(here.identity, first, ['owner']);
    const second = { ...first, userId };
    const outcomes = await Promise.allSettled([
      here.identity.removeMember(first, second.userId),
      there.identity.removeMember(second, first.userId!),
    ]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  test('an administrator can neither make, change nor remove an owner', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const admin = await (await join(identity, owner, ['admin'])).key.caller();
    const { userId } = await join(identity, owner, ['owner']);
    const userOfNone = await identity.createUser({ name: 'New', email: null });
    for (const attempt of [
      () => identity.addMember(admin!, { userId: userOfNone, roles: ['owner'] }),
      () => identity.setRoles(admin!, { userId: admin!.userId!, roles: ['owner'] }),
      () => identity.setRoles(admin!, { userId, roles: ['member'] }),
      () => identity.removeMember(admin!, userId),
    ]) {
      expect(await refusalOf(attempt())).toMatchObject({ code: 'forbidden' });
    }
    await identity.addMember(admin!, { userId: userOfNone, roles: ['admin'] });
  });

  test('a key below full power gives no role beyond it', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    await identity.roles.save(owner, { name: 'reader', grants: { feedback: ['search'] } });
    await identity.roles.save(owner, { name: 'editor', grants: { feedback: ['*'] } });
    const narrow = await (await keyFor(identity, owner, { feedback: ['search'] })).caller();
    const { userId } = await join(identity, owner, ['member']);
    const attempt = (roles: string[]) => refusalOf(identity.setRoles(narrow!, { userId, roles }));
    expect(await attempt(['admin'])).toMatchObject({ code: 'forbidden', data: { resource: '*', tool: '*' } });
    expect(await attempt(['reader', 'editor'])).toMatchObject({ data: { resource: 'feedback', tool: '*' } });
    await identity.setRoles(narrow!, { userId, roles: ['reader', 'member'] });
    const wider = identity.roles.save(narrow!, { name: 'reader', grants: { feedback: ['*'] } });
    expect(await refusalOf(wider)).toMatchObject({ code: 'forbidden' });
  });

  test('a member without more gives nobody anything', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const member = await (await join(identity, owner, ['member'])).key.caller();
    for (const role of ['owner', 'admin']) {
      const raise = identity.setRoles(member!, { userId: member!.userId!, roles: [role] });
      expect(await refusalOf(raise)).toMatchObject({ code: 'forbidden', data: { role } });
    }
    const role = identity.roles.save(member!, { name: 'mine', grants: { board: ['search'] } });
    expect(await refusalOf(role)).toMatchObject({
      code: 'forbidden',
      data: { resource: 'board', tool: 'search' },
    });
  });

  test('a foreign member and a foreign role answer like unknown ones', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const other = await found(identity, 'other');
    const { userId: foreign } = await join(identity, other, ['member']);
    await identity.roles.save(other, { name: 'theirs', grants: {} });
    for (const userId of [foreign, 'user_unknown', '']) {
      const set = identity.setRoles(owner, { userId, roles: ['member'] });
      expect(await refusalOf(set)).toMatchObject({ code: 'not_found', message: 'No such member.' });
      const remove = identity.removeMember(owner, userId);
      expect(await refusalOf(remove)).toMatchObject({ code: 'not_found', message: 'No such member.' });
    }
    for (const role of ['theirs', 'nowhere', '__proto__', 'constructor']) {
      const set = identity.setRoles(owner, { userId: owner.userId!, roles: ['owner', role] });
      expect(await refusalOf(set)).toMatchObject({
        code: 'not_found',
        message: `No such role: ${role}. "parley roles list" shows them.`,
      });
    }
    expect(await identity.organizationName('org_unknown')).toBeUndefined();
  });

  test('equal names in two organizations stay apart', async () => {
    const { identity } = await settle(await open());
    const [one, two] = [await found(identity, 'one'), await found(identity, 'two')];
    await identity.roles.save(one, { name: 'crew', grants: { board: ['search'] } });
    await identity.roles.save(two, { name: 'crew', grants: { annotations: ['resolve'] } });
    const userId = await identity.createUser({ name: 'Both', email: 'both@example.com' });
    await identity.addMember(one, { userId, roles: ['crew'] });
    await identity.addMember(two, { userId, roles: ['crew'] });
    const inOne = await (await keyFor(identity, { ...one, userId })).caller();
    const inTwo = await (await keyFor(identity, { ...two, userId })).caller();
    expect(inOne?.grants).toEqual({ board: ['search'], ...BUILT_IN_ROLES.member });
    expect(inTwo?.grants).toEqual({ annotations: ['resolve'], ...BUILT_IN_ROLES.member });
    await identity.removeMember(one, userId);
    expect(await identity.current(inOne!)).toBeUndefined();
    expect(await identity.current(inTwo!)).toEqual(inTwo);
  });

  test('what exists already is a conflict, and what a role needs is asked for', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    expect(await refusalOf(found(identity))).toMatchObject({ code: 'conflict' });
    await identity.createUser({ name: 'Cy', email: 'cy@example.com' });
    const again = identity.createUser({ name: 'Cy', email: 'cy@example.com' });
    expect(await refusalOf(again)).toMatchObject({ code: 'conflict' });
    const builtIn = identity.roles.save(owner, { name: 'admin', grants: {} });
    expect(await refusalOf(builtIn)).toMatchObject({ code: 'conflict' });
    const none = identity.addMember(owner, {
      userId: await identity.createUser({ name: 'D', email: null }),
      roles: [],
    });
    expect(await refusalOf(none)).toMatchObject({ code: 'invalid' });
    const nobody = identity.addMember(owner, { userId: 'user_unknown', roles: ['member'] });
    expect(await refusalOf(nobody)).toMatchObject({ code: 'not_found' });
  });

  test('a role or key on the prototype is refused, and everybody can still sign in', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    for (const resource of ['__proto__', 'constructor', 'toString']) {
      const grants = Object.fromEntries([[resource, ['x']]]);
      const refused = { code: 'invalid', message: `grants: ${resource} is not a toolset` };
      expect(await refusalOf(identity.roles.save(owner, { name: 'odd', grants }))).toMatchObject(refused);
      const key = identity.createKey(owner, { name: 'odd', grants, expiresAt: null });
      expect(await refusalOf(key)).toMatchObject(refused);
    }
    const member = await join(identity, owner, ['member']);
    expect(await member.key.caller()).toBeDefined();
  });

  test('someone who is added again keeps their roles', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const { userId, key } = await join(identity, owner, ['member']);
    await identity.addMember(owner, { userId, roles: ['admin'] });
    expect((await key.caller())?.roles).toEqual(['member']);
  });
});
