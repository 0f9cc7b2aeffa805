/** The tools on organizations, members and keys: their answers, their refusals, and what nobody can do with them. */
import { ALL_GRANTS } from '@parley/kit';
import { expect, test } from 'vitest';
import { onBothMeshes } from '../../test/mesh-bed.ts';
import { MACHINE_CLOCK } from '../../test/mesh-process.ts';
import { newScene } from '../../test/scene.ts';
import { MEMBER_TOOLS } from './member-tools.ts';

const refused = (code: string, message?: string) => ({
  ok: false,
  code,
  ...(message !== undefined && { message: expect.stringContaining(message) as string }),
});

onBothMeshes(
  'the tools on people',
  (bed) => {
    const scene = () => newScene(bed());

    test('an organization is made, read, renamed twice, and deleted twice', async () => {
      const { owner, slug, identity, content, byKey } = await scene();
      const second = `${slug}-2`;
      const tools = await byKey(owner);
      const made = await tools.call('ORGANIZATION_CREATE', { slug: second, name: 'Second' });
      expect(made).toMatchObject({ slug: second, name: 'Second', description: null });
      expect(made.members).toMatchObject([{ userId: owner.userId, role: ['owner'] }]);
      expect(await tools.attempt('ORGANIZATION_CREATE', { slug: second, name: 'Again' })).toMatchObject(
        refused('conflict', second),
      );
      for (const slug of ['', 'Big', 'a b', 'x'.repeat(51)]) {
        expect(await tools.attempt('ORGANIZATION_CREATE', { slug, name: 'X' })).toMatchObject(
          refused('invalid', 'slug'),
        );
      }
      const before = await content();
      const { organizations } = await tools.call('ORGANIZATION_LIST', {});
      expect(organizations.map(({ slug }) => slug)).toEqual([slug, second]);
      const own = await tools.call('ORGANIZATION_GET', {});
      expect(own).toMatchObject({ slug, invitations: [], members: [{ role: ['owner'] }] });
      expect(await tools.call('ORGANIZATION_SETTINGS_GET', {})).toEqual({
        organizationId: own.id,
        sidebar_items: null,
        enabled_plugins: null,
      });
      expect(await content()).toBe(before);

      const change = { id: made.id, name: 'Renamed', slug: `${slug}-renamed`, description: 'Two' };
      const first = await tools.call('ORGANIZATION_UPDATE', change);
      expect(first).toMatchObject(change);
      const after = await content();
      expect(await tools.call('ORGANIZATION_UPDATE', change)).toEqual(first);
      expect(await content()).toBe(after);
      expect(await tools.attempt('ORGANIZATION_UPDATE', { id: made.id, slug })).toMatchObject(
        refused('conflict'),
      );
      expect(await tools.call('ORGANIZATION_DELETE', { id: made.id })).toEqual({
        success: true,
        id: made.id,
        deleted: true,
      });
      expect(await tools.call('ORGANIZATION_DELETE', { id: made.id })).toEqual({
        success: true,
        id: made.id,
        deleted: false,
      });
      expect(await identity.organizations.list(owner.userId)).toHaveLength(1);
    });

    test('settings are saved, kept where absent, and take no dangerous address', async () => {
      const { owner, content, byKey } = await scene();
      const tools = await byKey(owner);
      const { id: organizationId } = await tools.call('ORGANIZATION_GET', {});
      const item = { title: 'Docs', url: '/feedback', icon: 'book' };
      const saved = await tools.call('ORGANIZATION_SETTINGS_UPDATE', {
        organizationId,
        sidebar_items: [item],
      });
      expect(saved).toMatchObject({ sidebar_items: [item], enabled_plugins: null });
      const both = { organizationId, enabled_plugins: ['a'] };
      expect(await tools.call('ORGANIZATION_SETTINGS_UPDATE', both)).toMatchObject({
        sidebar_items: [item],
        enabled_plugins: ['a'],
      });
      const before = await content();
      for (const url of [
        'javascript:alert(1)',
        '//evil.example',
        '/\\evil.example',
        'http://x.example',
        'x',
      ]) {
        const attempt = tools.attempt('ORGANIZATION_SETTINGS_UPDATE', {
          organizationId,
          sidebar_items: [{ ...item, url }],
        });
        expect(await attempt, url).toMatchObject(refused('invalid', 'sidebar_items.0.url'));
      }
      expect(await content()).toBe(before);
    });

    test('members are listed, added, changed twice and removed twice', async () => {
      const { owner, slug, join, content, byKey, identity } = await scene();
      const tools = await byKey(owner);
      const bo = await join(['member']);
      const before = await content();
      const page = await tools.call('ORGANIZATION_MEMBER_LIST', { limit: 1, offset: 1 });
      expect(page.members).toMatchObject([{ id: bo.memberId, user: { email: bo.email } }]);
      expect(await content()).toBe(before);

      const second = await tools.call('ORGANIZATION_CREATE', { slug: `${slug}-2`, name: 'Second' });
      const there = { organizationId: second.id, userId: bo.userId, role: ['admin'] };
      const added = await tools.call('ORGANIZATION_MEMBER_ADD', there);
      expect(added).toMatchObject({ organizationId: second.id, userId: bo.userId, role: ['admin'] });
      // The roles of somebody who is a member already stay as they are.
      expect(await tools.call('ORGANIZATION_MEMBER_ADD', { ...there, role: ['member'] })).toEqual(added);
      // A visitor is known as one alone, whatever their e-mail says.
      const { userId } = await join(['user']);
      expect(await tools.attempt('ORGANIZATION_MEMBER_ADD', { ...there, userId })).toMatchObject({
        code: 'not_found',
      });

      const change = { memberId: bo.memberId, role: ['admin'] };
      const changed = await tools.call('ORGANIZATION_MEMBER_UPDATE_ROLE', change);
      expect(changed).toMatchObject({ id: bo.memberId, role: ['admin'], user: { id: bo.userId } });
      expect(await tools.call('ORGANIZATION_MEMBER_UPDATE_ROLE', change)).toEqual(changed);
      expect(
        await tools.attempt('ORGANIZATION_MEMBER_UPDATE_ROLE', { ...change, role: ['ghost'] }),
      ).toMatchObject(refused('not_found', 'ghost'));

      const memberIdOrEmail = bo.email.toUpperCase();
      const answer = { success: true, memberIdOrEmail };
      expect(await tools.call('ORGANIZATION_MEMBER_REMOVE', { memberIdOrEmail })).toEqual({
        ...answer,
        removed: true,
      });
      expect(await identity.authenticate(bo.key, 'key')).toBeUndefined();
      expect(await tools.call('ORGANIZATION_MEMBER_REMOVE', { memberIdOrEmail })).toEqual({
        ...answer,
        removed: false,
      });
      // Somebody who comes back does so without the keys of before.
      await tools.call('ORGANIZATION_MEMBER_ADD', { userId: bo.userId, role: ['member'] });
      expect(await identity.authenticate(bo.key, 'key')).toBeUndefined();
    });

    test('keys are made, listed without their text, changed twice and deleted twice', async () => {
      const { owner, join, content, byKey, identity } = await scene();
      const tools = await byKey(owner);
      const made = await tools.call('API_KEY_CREATE', {
        name: 'CI',
        metadata: { team: 'web' },
        expiresIn: 300,
      });
      expect(made.key).toMatch(/^parley_/);
      expect(made.permissions['self']).toContain('API_KEY_CREATE');
      expect(made.permissions['self']).not.toContain('API_KEY_DELETE');
      const before = await content();
      const { items } = await tools.call('API_KEY_LIST', {});
      expect(items[0]).toMatchObject({
        id: made.id,
        name: 'CI',
        metadata: { team: 'web' },
        connectionId: null,
      });
      expect(items[0]?.start).toBe(made.key.slice(0, 19));
      expect(JSON.stringify(items)).not.toContain(made.key);
      expect(await content()).toBe(before);
      for (const expiresIn of [299, 0, -1]) {
        expect(await tools.attempt('API_KEY_CREATE', { name: 'X', expiresIn })).toMatchObject(
          refused('invalid', 'expiresIn'),
        );
      }
      // A name that maps pass over is no permission, and no way to one.
      for (const permissions of ['{"__proto__":["*"]}', '{"self":["USER_GET"],"__proto__":{"*":["*"]}}']) {
        const input = { name: 'X', permissions: JSON.parse(permissions) as Record<string, string[]> };
        const answer = await tools.raw.callTool({ name: 'API_KEY_CREATE', arguments: input });
        expect(JSON.stringify(answer)).toContain('permissions.__proto__: is not a known field');
      }
      expect(await content()).toBe(before);
      const change = { keyId: made.id, name: 'CD', permissions: { self: ['USER_GET'] }, metadata: {} };
      const changed = await tools.call('API_KEY_UPDATE', change);
      expect(changed.item).toMatchObject({ name: 'CD', permissions: { self: ['USER_GET'] }, metadata: {} });
      const after = await content();
      expect(await tools.call('API_KEY_UPDATE', change)).toEqual(changed);
      expect(await content()).toBe(after);
      expect(await (await byKey({ key: made.key })).toolNames()).toEqual(['USER_GET']);

      const { id } = await tools.call('ORGANIZATION_GET', {});
      const bound = await tools.call('API_KEY_CREATE', { name: 'Bound', connectionId: `${id}_self` });
      expect(await identity.authenticate(bound.key, 'key')).toMatchObject({ connectionId: `${id}_self` });
      expect(
        await tools.attempt('API_KEY_CREATE', { name: 'X', connectionId: 'conn_unknown' }),
      ).toMatchObject(refused('not_found', 'conn_unknown'));
      const member = await byKey(await join(['member']));
      expect(await member.attempt('API_KEY_CREATE', { name: 'X', connectionId: `${id}_self` })).toMatchObject(
        refused('forbidden', 'owners and administrators'),
      );
      // A key of somebody else is not there, in the same organization too.
      for (const keyId of [made.id, 'key_unknown']) {
        expect(await member.attempt('API_KEY_UPDATE', { keyId, name: 'Mine' })).toMatchObject(
          refused('not_found', `No such key: ${keyId}. "parley keys list" shows them.`),
        );
        expect(await member.call('API_KEY_DELETE', { keyId })).toEqual({
          success: true,
          keyId,
          deleted: false,
        });
      }
      const gone = { success: true, keyId: made.id };
      expect(await tools.call('API_KEY_DELETE', { keyId: made.id })).toEqual({ ...gone, deleted: true });
      expect(await identity.authenticate(made.key, 'key')).toBeUndefined();
      expect(await tools.call('API_KEY_DELETE', { keyId: made.id })).toEqual({ ...gone, deleted: false });
      expect((await tools.call('API_KEY_LIST', {})).items.map((key) => key.id)).not.toContain(made.id);
    });

    test('only a key for everything reaches another organization of its user, with the role there', async () => {
      const { owner, stranger, keyOf, identity, byKey } = await scene();
      const tools = await byKey(owner);
      const other = stranger.caller.organizationId;
      await identity.addMember(stranger.caller, { userId: owner.userId, roles: ['member'] });
      expect((await tools.call('ORGANIZATION_LIST', {})).organizations).toHaveLength(2);
      // A member there, so neither the name nor the members are theirs to change.
      for (const attempt of [
        tools.attempt('ORGANIZATION_UPDATE', { id: other, name: 'Mine' }),
        tools.attempt('ORGANIZATION_DELETE', { id: other }),
        tools.attempt('ORGANIZATION_MEMBER_REMOVE', {
          organizationId: other,
          memberIdOrEmail: stranger.memberId,
        }),
      ]) {
        expect(await attempt).toMatchObject(refused('forbidden', 'Your role in that organization'));
      }
      const change = { organizationId: other, enabled_plugins: [] };
      expect(await tools.attempt('ORGANIZATION_SETTINGS_UPDATE', change)).toMatchObject(refused('forbidden'));
      const narrow = await byKey(await keyOf(owner.caller, { self: ['*'] }));
      expect((await narrow.call('ORGANIZATION_LIST', {})).organizations).toHaveLength(1);
      expect(await narrow.attempt('ORGANIZATION_SETTINGS_UPDATE', change)).toMatchObject(
        refused('not_found', 'No such organization.'),
      );
      const there = await identity.memberOf(other, owner.userId);
      await identity.setRoles(stranger.caller, { memberId: there?.id ?? '', roles: ['owner'] });
      expect(await tools.call('ORGANIZATION_DELETE', { id: other })).toMatchObject({ deleted: true });
      expect(await identity.authenticate(stranger.key, 'key')).toBeUndefined();
    });

    test('check 6: a key with one tool sees one tool, and another answers as an unknown one does', async () => {
      const { owner, keyOf, byKey } = await scene();
      const tools = await byKey(await keyOf(owner.caller, { self: ['USER_GET'] }));
      expect(await tools.toolNames()).toEqual(['USER_GET']);
      const answerTo = async (name: string) => {
        const answer = await tools.raw.callTool({ name, arguments: {} }).catch((error: unknown) => error);
        return String(answer).replaceAll(name, 'TOOL');
      };
      expect(await answerTo('ORGANIZATION_LIST')).toBe(await answerTo('NO_SUCH_TOOL'));
    });

    test('check 7: nobody makes or changes a key beyond what they hold', async () => {
      const { owner, keyOf, byKey } = await scene();
      const maker = await keyOf(owner.caller, { self: ['API_KEY_CREATE', 'API_KEY_UPDATE', 'USER_GET'] });
      const tools = await byKey(maker);
      const permissions = { self: ['API_KEY_DELETE'] };
      const message = 'You cannot give what you do not have: self:API_KEY_DELETE';
      expect(await tools.attempt('API_KEY_CREATE', { name: 'X', permissions })).toMatchObject(
        refused('forbidden', message),
      );
      const { id: keyId } = await tools.call('API_KEY_CREATE', {
        name: 'X',
        permissions: { self: ['USER_GET'] },
      });
      for (const wanted of [permissions, ALL_GRANTS as Record<string, string[]>]) {
        expect(await tools.attempt('API_KEY_UPDATE', { keyId, permissions: wanted })).toMatchObject(
          refused('forbidden', 'You cannot give what you do not have'),
        );
      }
    });

    test("check 8: an admin's key loses power at the next request after they become a member", async () => {
      const { owner, join, byKey } = await scene();
      const admin = await join(['admin']);
      const names = await (await byKey(admin)).toolNames();
      expect(names).toContain('ORGANIZATION_UPDATE');
      expect(names).not.toContain('ORGANIZATION_DELETE');
      const change = { memberId: admin.memberId, role: ['member'] };
      await (await byKey(owner)).call('ORGANIZATION_MEMBER_UPDATE_ROLE', change);
      expect((await (await byKey(admin)).toolNames()).toSorted()).toEqual([...MEMBER_TOOLS].toSorted());
    });

    test('check 9: ids of another organization answer as random ones do, and nothing changes', async () => {
      const { owner, slug, stranger, identity, content, byKey } = await scene();
      const tools = await byKey(stranger);
      const organizationId = owner.caller.organizationId;
      const role = ['member'];
      const { invitation } = await identity.invitations.create(owner.caller, {
        email: 'x@acme.example',
        roles: ['member'],
      });
      const before = await content();
      type Input = Parameters<typeof tools.attempt>[1];
      const rows: [Parameters<typeof tools.attempt>[0], (id: string) => Input, string][] = [
        ['ORGANIZATION_LIST', (userId) => ({ userId }), owner.userId],
        ['ORGANIZATION_UPDATE', (id) => ({ id, name: 'Mine' }), organizationId],
        ['ORGANIZATION_DELETE', (id) => ({ id }), organizationId],
        [
          'ORGANIZATION_SETTINGS_UPDATE',
          (id) => ({ organizationId: id, enabled_plugins: [] }),
          organizationId,
        ],
        ['ORGANIZATION_MEMBER_ADD', (userId) => ({ userId, role }), owner.userId],
        [
          'ORGANIZATION_MEMBER_ADD',
          (id) => ({ organizationId: id, userId: stranger.userId, role }),
          organizationId,
        ],
        ['ORGANIZATION_MEMBER_UPDATE_ROLE', (memberId) => ({ memberId, role }), owner.memberId],
        ['ORGANIZATION_MEMBER_REMOVE', (memberIdOrEmail) => ({ memberIdOrEmail }), owner.memberId],
        ['ORGANIZATION_MEMBER_REMOVE', (memberIdOrEmail) => ({ memberIdOrEmail }), `ada@${slug}.example`],
        ['ORGANIZATION_MEMBER_REMOVE', (memberIdOrEmail) => ({ memberIdOrEmail }), invitation.id],
        ['API_KEY_UPDATE', (keyId) => ({ keyId, name: 'Mine' }), owner.keyId],
        ['API_KEY_DELETE', (keyId) => ({ keyId }), owner.keyId],
        ['USER_GET', (id) => ({ id }), owner.userId],
      ];
      for (const [name, inputOf, id] of rows) {
        const random = `${id.slice(0, -4)}zzzz`;
        const [own, other] = [
          await tools.attempt(name, inputOf(id)),
          await tools.attempt(name, inputOf(random)),
        ];
        expect(JSON.stringify(own).replaceAll(id, 'ID'), name).toBe(
          JSON.stringify(other).replaceAll(random, 'ID'),
        );
      }
      expect(await content()).toBe(before);
    });

    test('check 21: the last owner can neither be removed, nor demoted, nor leave', async () => {
      const { owner, join, content, byKey } = await scene();
      const admin = await byKey(await join(['admin']));
      const tools = await byKey(owner);
      const before = await content();
      const removal = { memberIdOrEmail: owner.memberId };
      const demotion = { memberId: owner.memberId, role: ['admin'] };
      const words = 'at least one owner';
      expect(await tools.attempt('ORGANIZATION_MEMBER_REMOVE', removal)).toMatchObject(
        refused('conflict', words),
      );
      expect(await tools.attempt('ORGANIZATION_MEMBER_UPDATE_ROLE', demotion)).toMatchObject(
        refused('conflict', words),
      );
      // An administrator does not touch owners at all.
      const promotion = { ...demotion, role: ['owner', 'member'] };
      for (const change of [demotion, promotion]) {
        expect(await admin.attempt('ORGANIZATION_MEMBER_UPDATE_ROLE', change)).toMatchObject(
          refused('forbidden'),
        );
      }
      expect(await admin.attempt('ORGANIZATION_MEMBER_REMOVE', removal)).toMatchObject(refused('forbidden'));
      expect(await content()).toBe(before);
    });

    test('no path leads above oneself: key, custom role, membership, another organization', async () => {
      const { owner, join, identity, content, byKey } = await scene();
      const grants = { self: ['ORGANIZATION_MEMBER_UPDATE_ROLE', 'ORGANIZATION_MEMBER_ADD'] };
      await identity.roles.save(owner.caller, { name: 'recruiter', grants });
      await identity.roles.save(owner.caller, {
        name: 'cleaner',
        grants: { self: ['ORGANIZATION_MEMBER_REMOVE'] },
      });
      const recruiter = await join(['recruiter']);
      const cleaner = await join(['cleaner']);
      const plain = await join(['member']);
      const tools = await byKey(recruiter);
      const before = await content();
      const set = (memberId: string, role: string[]) =>
        tools.attempt('ORGANIZATION_MEMBER_UPDATE_ROLE', { memberId, role });
      for (const [memberId, role] of [
        [recruiter.memberId, ['admin']],
        [recruiter.memberId, ['owner']],
        [recruiter.memberId, ['recruiter', 'cleaner']],
        [plain.memberId, ['cleaner']],
        // Taking a role away that one does not hold is no better than giving it.
        [cleaner.memberId, ['member']],
        [owner.memberId, ['member']],
      ] as const) {
        expect(await set(memberId, [...role]), `${memberId} ${role.join()}`).toMatchObject(
          refused('forbidden'),
        );
      }
      const save = (as_: typeof recruiter, name: string) => identity.roles.save(as_.caller, { name, grants });
      await expect(save(plain, 'own')).rejects.toThrow('You cannot give what you do not have');
      // What stands in a role already counts too: a weaker one in its place would be a way to take it.
      await expect(identity.roles.save(recruiter.caller, { name: 'cleaner', grants: {} })).rejects.toThrow(
        'You cannot give what you do not have',
      );
      await expect(identity.roles.delete(recruiter.caller, 'cleaner')).rejects.toThrow('do not have');
      expect(await content()).toBe(before);
      expect(await set(plain.memberId, ['recruiter'])).toMatchObject({ ok: true });
    });

    test('a reserved act asks for the role and for the whole toolset', async () => {
      const { owner, join, keyOf, byKey } = await scene();
      const reserved = ['ORGANIZATION_DELETE', 'ORGANIZATION_UPDATE'];
      const seenBy = async (person: { key: string }) =>
        (await (await byKey(person)).toolNames()).filter((name) => reserved.includes(name));
      expect(await seenBy(owner)).toEqual(reserved);
      expect(await seenBy(await keyOf(owner.caller, { self: ['*'] }))).toEqual(reserved);
      expect(await seenBy(await keyOf(owner.caller, { self: reserved }))).toEqual([]);
      expect(await seenBy(await join(['admin']))).toEqual(['ORGANIZATION_UPDATE']);
      const narrow = await byKey(await keyOf(owner.caller, { self: ['ORGANIZATION_LIST'] }));
      expect(await narrow.attempt('ORGANIZATION_LIST', { userId: 'user_other' })).toMatchObject(
        refused('forbidden'),
      );
    });
  },
  () => ({ clock: MACHINE_CLOCK }),
);

onBothMeshes('the organizations of an installation', (bed) => {
  test('are deleted down to the last one, which stays', async () => {
    const { acme, rival, identity, call, ask } = bed();
    const { owner } = acme;
    await identity.addMember(rival.owner.caller, { userId: owner.userId, roles: ['owner'] });
    expect(await call(owner.caller, 'ORGANIZATION_DELETE', { id: rival.id })).toMatchObject({
      deleted: true,
    });
    const last = await ask(owner.caller, 'ORGANIZATION_DELETE', { id: acme.id });
    expect(last.end).toMatchObject(refused('conflict', 'last'));
  });
});
