/** Joining over HTTP: the link works once, for the invited person alone, within what the inviter may give now. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NewKey } from '@parley/identity';
import { ALL_GRANTS, detach } from '@parley/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MeshBed } from '../../test/mesh-bed.ts';
import { onBothMeshes } from '../../test/mesh-bed.ts';
import type { Scene } from '../../test/scene.ts';
import { newScene } from '../../test/scene.ts';
import { createJoinRoutes } from './join-routes.ts';

/** The routes on a port, over a bed. */
async function serve({ identity }: MeshBed) {
  const faults: unknown[] = [];
  const routes = createJoinRoutes({
    invitations: identity.invitations,
    web: { isOpen: true, createLink: identity.web.createLink },
    names: { hosts: [], origins: [] },
    publicUrl: undefined,
    // Every scenario comes from an address of its own, so that they do not share a limit.
    trustedProxies: ['127.0.0.1'],
    onFault: (error) => faults.push(error),
  });
  const server = createServer((req, res) => {
    detach(routes.handle(req, res), (error) => faults.push(error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}`;
  let addresses = 0;
  const from = () => `10.0.${Math.floor((addresses += 1) / 250)}.${(addresses % 250) + 1}`;
  return {
    base,
    faults,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
    async look(token: string, init: RequestInit = {}) {
      const headers = { 'x-forwarded-for': from(), ...(init.headers as Record<string, string>) };
      const answer = await fetch(`${base}/join/${token}`, { ...init, headers });
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    },
    async join(token: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
      const answer = await fetch(`${base}/join/${token}`, {
        method: 'POST',
        headers: { origin: base, 'x-forwarded-for': from(), ...headers },
        body: new URLSearchParams(fields),
      });
      const text = await answer.text();
      const [, link] = /href="\/console\/sign-in#token=([\w-]+)"/.exec(text) ?? [];
      return { status: answer.status, text, link, key: /parley_[0-9A-Za-z]{12}_[\w-]{43}/.exec(text)?.[0] };
    },
  };
}

onBothMeshes('invitations', (bed) => {
  let site: Awaited<ReturnType<typeof serve>>;
  let scene: Scene;
  let invited = 0;
  beforeAll(async () => {
    site = await serve(bed());
    scene = await newScene(bed());
  });
  afterAll(() => site.close());

  test('joining makes a member with a key that works, once, also when two open the link at the same time', async () => {
    const { owner, slug, identity, content } = await newScene(bed());
    const { token } = await identity.invitations.create(owner.caller, {
      email: 'Bo@Acme.example',
      roles: ['admin'],
    });
    const before = await content();
    const page = await site.look(token);
    expect(page).toMatchObject({ status: 200 });
    for (const part of [`Join ${slug}`, 'admin', 'name="email"']) expect(page.text).toContain(part);
    expect(page.text).not.toContain('bo@acme');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(await content()).toBe(before);
    const fields = { name: 'Bo', email: ' BO@acme.example' };
    const both = await Promise.all([site.join(token, fields), site.join(token, fields)]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const { key = '', link = '' } = both.find(({ status }) => status === 200) ?? {};
    const here = { address: '203.0.113.7', device: 'Firefox on Linux' };
    expect(await identity.web.enter({ method: 'link', token: link }, here)).toBeDefined();
    expect(await identity.web.enter({ method: 'link', token: link }, here)).toBeUndefined();
    expect(await identity.authenticate(key, 'key')).toMatchObject({
      organizationId: owner.caller.organizationId,
      roles: ['admin'],
    });
    expect(await site.look(token)).toMatchObject({
      status: 409,
      text: expect.stringMatching(/This invitation was used already\..*<a href="\/console">/s) as string,
    });
    expect(await identity.invitations.list(owner.caller.organizationId)).toEqual([]);
    expect(await content()).not.toContain(token);
    expect(site.faults).toEqual([]);
  });

  const invite = async (roles = ['member'], email = `guest${(invited += 1)}@acme.example`) => {
    const made = await bed().identity.invitations.create(scene.owner.caller, { email, roles });
    return { ...made, email };
  };

  test('an invitation of another e-mail, without a name, or from another site is not accepted, and can be afterwards', async () => {
    const { token, email } = await invite();
    const fields = { name: 'Guest', email };
    const other = await site.join(token, { ...fields, email: 'mallory@acme.example', name: '<b>"M' });
    expect(other).toMatchObject({ status: 403, key: undefined });
    expect(other.text).toContain('This invitation is for another e-mail address.');
    expect(other.text).toContain('value="&lt;b&gt;&quot;M"');
    expect(await site.join(token, { ...fields, name: ' ' })).toMatchObject({ status: 400, key: undefined });
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      expect(await site.join(token, fields, headers)).toMatchObject({ status: 403, key: undefined });
    }
    expect(await site.look(token, { method: 'DELETE' })).toMatchObject({ status: 405 });
    expect(await site.join(token, fields)).toMatchObject({ status: 200, key: expect.any(String) as string });
  });

  test('an invitation that is unknown, replaced or taken back is not there', async () => {
    const { token, email } = await invite();
    const { token: newer } = await invite(['member'], email);
    const { token: withdrawn, email: gone } = await invite();
    expect(await bed().identity.invitations.withdraw(scene.owner.caller, gone)).toBe(true);
    expect(await bed().identity.invitations.withdraw(scene.owner.caller, gone)).toBe(false);
    for (const text of [
      token,
      withdrawn,
      `parley_invite_${'a'.repeat(43)}`,
      '',
      '%00',
      'a/b',
      'x'.repeat(3000),
    ]) {
      expect(await site.look(text), text).toMatchObject({
        status: 404,
        text: expect.stringContaining('There is no such invitation.') as string,
      });
    }
    expect(await site.look(newer)).toMatchObject({ status: 200 });
  });

  test('an invitation of somebody who works here already asks for a key of theirs', async () => {
    const { email } = scene.stranger;
    const { token } = await invite(['admin'], email);
    const fields = { name: 'Olga', email };
    const { identity } = bed();
    const narrow = async (more: Partial<NewKey>) => {
      const wanted = { name: 'K', grants: ALL_GRANTS, expiresAt: null, ...more };
      return (await identity.createKey(scene.stranger.caller, wanted)).text;
    };
    // Whoever was given one of these would get a key that reaches everything of its owner.
    const given = [
      await narrow({ grants: { self: ['TAGS_LIST'] } }),
      await narrow({ grants: { '*': ['TAGS_LIST'], self: ['*'] } }),
      await narrow({ role: 'user' }),
      await narrow({ connectionId: 'conn_1' }),
    ];
    for (const key of ['', 'nonsense', scene.owner.key, ...given]) {
      const answer = await site.join(token, { ...fields, key });
      expect(answer).toMatchObject({ status: 403, key: undefined });
      expect(answer.text).toContain('Give a key of theirs too that may do everything they may');
      expect(answer.text).toContain('<details open>');
    }
    const { status, key = '' } = await site.join(token, { ...fields, key: scene.stranger.key });
    expect(status).toBe(200);
    expect(await bed().identity.authenticate(key, 'key')).toMatchObject({ userId: scene.stranger.userId });
  });

  test('an invitation gives no more than whoever made it could give now', async () => {
    const admin = await scene.join(['admin']);
    const { identity, owner } = scene;
    const make = (email: string, roles: string[]) =>
      identity.invitations.create(admin.caller, { email, roles });
    await expect(make('x@acme.example', ['owner'])).rejects.toThrow('You cannot give a role above your own');
    await expect(make('x@acme.example', ['ghost'])).rejects.toThrow('No such role: ghost');
    await expect(make('nobody', ['member'])).rejects.toThrow('email: must be an e-mail address');
    await expect(make(owner.email, ['member'])).rejects.toThrow('is a member already');
    const { token } = await make('late@acme.example', ['admin']);
    await identity.setRoles(owner.caller, { memberId: admin.memberId, roles: ['member'] });
    const answer = await site.join(token, { name: 'Late', email: 'late@acme.example' });
    expect(answer).toMatchObject({ status: 403, key: undefined });
    expect(answer.text).toContain('Whoever invited you can no longer give these roles.');
    expect(await identity.findMember(owner.caller.organizationId, 'late@acme.example')).toBeUndefined();
  });

  test('an invitation that has expired says so', async () => {
    const { token, invitation, email } = await invite();
    const db = bed().store.db<{ invitations: { id: string; expires_at: number } }>();
    await db.updateTable('invitations').set({ expires_at: 1 }).where('id', '=', invitation.id).execute();
    const answer = await site.join(token, { name: 'Guest', email });
    expect(answer).toMatchObject({ status: 409, key: undefined });
    expect(answer.text).toContain('This invitation has expired. Ask for a new one.');
  });

  test('an invitation is tried ten times a minute from one address, and no more', async () => {
    const { token } = await invite();
    const headers = { 'x-forwarded-for': '10.9.9.9' };
    const wrong = { name: 'M', email: 'm@acme.example' };
    const statuses: number[] = [];
    for (let tries = 0; tries < 11; tries += 1)
      statuses.push((await site.join(token, wrong, headers)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(403), 429]);
  });
});
