/** The routes of people: invitations, roles, keys of everybody, the colour of the console, and the check of the audit log. */
import { expect, test } from 'vitest';
import { onBothMeshes } from '../../test/mesh-bed.ts';
import { newScene } from '../../test/scene.ts';
import { serveRoutes } from '../../test/serve-routes.ts';

onBothMeshes('the routes of people', (bed) => {
  async function stage() {
    const { url } = await serveRoutes(bed());
    const scene = await newScene(bed());
    const ask = async (key: string, method: string, path: string, body?: unknown) => {
      const answer = await fetch(`${url}/api/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
      const { data, error } = text === '' ? {} : (JSON.parse(text) as { data?: any; error?: any });
      return { status: answer.status, data, message: error?.message as string | undefined };
    };
    const at = (path: string) => `organizations/${scene.own}/${path}`;
    return { ...scene, ask, at };
  }

  test('somebody is invited with a link, which can be taken back', async () => {
    const { ask, at, owner, identity, own, stranger, join } = await stage();
    const invite = (key: string, body: object) => ask(key, 'POST', at('invitations'), body);
    const made = await invite(owner.key, { email: 'Bo@Example.com', roles: ['admin'] });
    expect([made.status, made.data]).toEqual([
      201,
      expect.objectContaining({ email: 'bo@example.com', roles: ['admin'], path: expect.any(String) }),
    ]);
    expect((await ask(owner.key, 'GET', at('invitations'))).data).toMatchObject([{ id: made.data.id }]);
    const token = String(made.data.path).replace('/join/', '');
    expect(await identity.invitations.open(token)).toMatchObject({ roles: ['admin'] });
    expect((await invite(owner.key, { email: 'nobody' })).message).toContain('email');
    const member = await join(['member']);
    expect((await invite(member.key, { email: 'x@example.com' })).status).toBe(403);
    expect((await invite(stranger.key, { email: 'x@example.com' })).status).toBe(404);
    const path = at(`invitations/${made.data.id}`);
    expect((await ask(stranger.key, 'DELETE', path)).status).toBe(404);
    expect((await ask(owner.key, 'DELETE', path)).status).toBe(204);
    expect((await ask(owner.key, 'DELETE', path)).status).toBe(404);
    expect(await identity.invitations.list(own)).toEqual([]);
  });

  test('members are found by what they are called, by role, and without visitors', async () => {
    const { ask, at, owner, join, stranger } = await stage();
    const first = await join(['member']);
    await join(['user']);
    const found = async (query: string) => {
      const { data } = await ask(owner.key, 'GET', at(`members${query}`));
      const names: string[] = data.members.map(({ name }: { name: string }) => name);
      return [names.toSorted(), data.hasMore];
    };
    expect(await found('')).toEqual([['Ada Owner', 'Person 1', 'Person 2'], false]);
    expect(await found('?team=true')).toEqual([['Ada Owner', 'Person 1'], false]);
    expect(await found('?role=user')).toEqual([['Person 2'], false]);
    expect(await found('?text=SON%202')).toEqual([['Person 2'], false]);
    expect(await found('?text=person1@')).toEqual([['Person 1'], false]);
    expect(await found('?text=%25')).toEqual([[], false]);
    expect(await found(`?id=${first.memberId}`)).toEqual([['Person 1'], false]);
    expect(await found(`?id=${stranger.memberId}`)).toEqual([[], false]);
    for (const [query, names] of [
      ['sort=name', ['Ada Owner', 'Person 1', 'Person 2']],
      ['sort=name&order=desc', ['Person 2', 'Person 1', 'Ada Owner']],
      ['sort=name&order=desc&offset=1&limit=1', ['Person 1']],
    ] as const) {
      const { data } = await ask(owner.key, 'GET', at(`members?${query}`));
      expect([query, data.members.map(({ name }: { name: string }) => name)]).toEqual([query, names]);
    }
    // Who came in the same millisecond stands in any order.
    expect(await found('?limit=1&offset=1')).toEqual([[expect.any(String)], true]);
    expect((await ask(stranger.key, 'GET', at('members'))).status).toBe(404);
  });

  test('roles are listed with what they give, saved and deleted', async () => {
    const { ask, at, owner, join } = await stage();
    const save = (key: string, name: string, grants: object) =>
      ask(key, 'PUT', at(`roles/${encodeURIComponent(name)}`), { grants });
    expect((await save(owner.key, 'tag keeper', { self: ['TAGS_LIST', 'TAGS_CREATE'] })).status).toBe(204);
    const keeper = await join(['tag keeper']);
    const { data } = await ask(owner.key, 'GET', at('roles'));
    expect(data.map(({ name, members }: { name: string; members: number }) => [name, members])).toEqual([
      ['owner', 1],
      ['admin', 0],
      ['member', 0],
      ['user', 0],
      ['tag keeper', 1],
    ]);
    expect(data[4]).toMatchObject({ isBuiltIn: false, grants: { self: ['TAGS_LIST', 'TAGS_CREATE'] } });
    expect((await save(keeper.key, 'more', {})).status).toBe(403);
    expect((await save(owner.key, 'member', {})).message).toContain('built in');
    expect((await save(owner.key, 'x', { self: ['NO_SUCH'] })).message).toContain('NO_SUCH');
    const drop = () => ask(owner.key, 'DELETE', at('roles/tag%20keeper'));
    expect([(await drop()).status, (await drop()).status]).toEqual([204, 404]);
  });

  test('administrators see and end the keys of everybody, others their own', async () => {
    const { ask, at, owner, join, stranger } = await stage();
    const member = await join(['member'], { self: ['API_KEY_LIST', 'API_KEY_DELETE'] });
    const keys = async (key: string) => (await ask(key, 'GET', at('keys'))).data;
    expect(await keys(member.key)).toMatchObject([
      { isMine: true, state: 'active', owner: { name: 'Person 1' } },
    ]);
    const all = async () => {
      const found: { isMine: boolean; state: string }[] = await keys(owner.key);
      return found.map(({ isMine, state }) => `${isMine ? 'mine' : 'other'} ${state}`).toSorted();
    };
    expect(await all()).toEqual(['mine active', 'other active']);
    const idsOf = async (key: string, id: string) => {
      const { data } = await ask(key, 'GET', at(`keys?id=${id}`));
      return data.map((each: { id: string }) => each.id);
    };
    expect(await idsOf(owner.key, member.keyId)).toEqual([member.keyId]);
    expect(await idsOf(member.key, owner.keyId)).toEqual([]);
    expect(await idsOf(owner.key, stranger.keyId)).toEqual([]);
    expect((await ask(stranger.key, 'GET', at('keys'))).status).toBe(404);
    const end = (key: string, id: string) => ask(key, 'DELETE', at(`keys/${id}`));
    expect((await end(member.key, owner.keyId)).status).toBe(404);
    expect((await end(owner.key, owner.keyId)).message).toContain('last key');
    expect((await end(owner.key, member.keyId)).status).toBe(204);
    expect((await ask(member.key, 'GET', at('keys'))).status).toBe(401);
    expect(await all()).toEqual(['mine active', 'other revoked']);
  });

  test('the console has a colour', async () => {
    const { ask, at, owner, identity, own, join } = await stage();
    const paint = (key: string, accent: unknown) => ask(key, 'PUT', at('appearance'), { accent });
    expect((await paint(owner.key, '#2F6FED')).data).toEqual({ accent: '#2f6fed' });
    expect((await identity.organizations.get(own))?.metadata).toEqual({ accent: '#2f6fed' });
    expect((await paint(owner.key, 'red')).status).toBe(400);
    expect((await paint((await join(['member'])).key, null)).status).toBe(403);
    expect((await paint(owner.key, null)).data).toEqual({ accent: null });
    expect((await identity.organizations.get(own))?.metadata).toBeNull();
  });

  test('the chain of the audit log is looked at, of the own organization alone', async () => {
    const { ask, owner, stranger, store, own } = await stage();
    const check = async (key: string) => (await ask(key, 'GET', 'audit/check')).data;
    const before = await check(owner.key);
    expect(before).toEqual({ entries: 2, isWhole: true, brokenAt: null });
    await store
      .db<{ audit_log: { organization_id: string; seq: number; target: string } }>()
      .updateTable('audit_log')
      .set({ target: 'changed' })
      .where('organization_id', '=', own)
      .where('seq', '=', 2)
      .execute();
    expect(await check(owner.key)).toMatchObject({ isWhole: false, brokenAt: 2 });
    expect(await check(stranger.key)).toMatchObject({ isWhole: true });
  });
});
