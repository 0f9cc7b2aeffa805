/** What calls of different people carry to the server of a connection, and what they never carry. */
import type { Caller } from '@parley/kit';
import { headerReader } from '@parley/kit';
import { scratchStore } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CredentialsBed } from '../../../test/credentials-bed.ts';
import { called, kindOf, openCredentials, send, startCredentials } from '../../../test/credentials-bed.ts';

async function opened() {
  const store = await scratchStore();
  // Registered first, so that everything on it ends before it does.
  onTestFinished(() => store[Symbol.asyncDispose]());
  return openCredentials(store);
}

const PERSONAL = { header: 'X-Api-Key', template: 'Key {token}' };

test('a static token and headers are for everybody, in one shared target', async () => {
  const bed = await opened();
  const { owner, admin } = bed.acme;
  const id = await bed.create(owner.caller, {
    connection_token: 'static-token',
    connection_headers: { headers: { 'X-Team': 'acme' } },
  });
  const mine = await bed.targets.targetFor(owner.caller, id);
  expect(mine).toMatchObject({ token: 'static-token', headers: { 'X-Team': 'acme' }, principal: '' });
  expect(mine.secrets).toContain('static-token');
  // The same object while nothing changes: links know it by that.
  expect(await bed.targets.targetFor(owner.caller, id)).toBe(mine);
  expect(await bed.targets.targetFor(admin.caller, id)).toEqual(mine);
  expect(await bed.targets.headersFor(owner.caller, id)).toBeUndefined();
});

test('a refusal says what helps with this very connection', async () => {
  const bed = await opened();
  const { owner } = bed.acme;
  const refusalOf = async (data: Parameters<typeof bed.create>[1]) => {
    const id = await bed.create(owner.caller, data);
    const sending = bed.targets.through(owner.caller, id, (target) => send(target));
    return sending.catch((error: Error) => error.message);
  };
  const gateway = { mappedHeader: { from: 'X-My-Key', to: 'X-Key' } };
  expect(await refusalOf({ metadata: { gateway } })).toContain('in the header X-My-Key');
  expect(await refusalOf({ connection_token: 'stale-token' })).toContain('has to store another token');
  expect(await refusalOf({})).toContain('/oauth/start/');
  // Nobody can sign in to a service that is only described, unless the connection says where.
  const described = await refusalOf({ connection_type: 'OPENAPI' });
  expect(described).toContain('has to give it a token');
  expect(described).not.toContain('/oauth/start/');
  const personal = { gateway: { oauth: 'personal' } };
  expect(await refusalOf({ connection_type: 'OPENAPI', metadata: personal })).toContain('/oauth/start/');
});

test('a change is seen by the next call, in other processes too', async () => {
  const bed = await opened();
  const { owner } = bed.acme;
  const other = startCredentials(bed.store, { clock: bed.clock });
  const id = await bed.create(owner.caller, { connection_token: 'first-token' });
  for (const { targets } of [bed, other])
    expect(await targets.targetFor(owner.caller, id)).toMatchObject({ token: 'first-token' });
  await bed.connections.update(owner.caller, id, { connection_token: 'second-token' });
  for (const { targets } of [bed, other])
    await eventually(async () =>
      expect(await targets.targetFor(owner.caller, id)).toMatchObject({ token: 'second-token' }),
    );
  await bed.connections.delete(owner.caller, id, false);
  await eventually(async () =>
    expect(await bed.targets.targetFor(owner.caller, id).catch(kindOf)).toBe('not_allowed'),
  );
});

test('check 24: a personal token goes into its header, for its person alone', async () => {
  const bed = await opened();
  const { owner, admin } = bed.acme;
  const id = await bed.create(owner.caller, { metadata: { gateway: { personalToken: PERSONAL } } });
  const place = `PUT /api/connections/${id}/token`;
  const missing = await bed.targets.targetFor(owner.caller, id).catch((error: Error) => error.message);
  expect(missing).toContain(place);
  expect(await bed.auth.state(owner.caller, id)).toMatchObject({ kind: 'personal_token', state: 'never' });

  await bed.auth.setToken(owner.caller, id, 'own-$&-token');
  const target = await bed.targets.targetFor(owner.caller, id);
  expect(target).toMatchObject({
    token: null,
    headers: { 'X-Api-Key': 'Key own-$&-token' },
    principal: owner.userId,
  });
  expect(target.secrets).toContain('own-$&-token');
  expect(await bed.auth.state(owner.caller, id)).toMatchObject({ state: 'ok' });
  expect(await bed.targets.targetFor(admin.caller, id).catch(kindOf)).toBe('auth_required');
  const nobody = { ...owner.caller, userId: null };
  expect(await bed.targets.targetFor(nobody, id).catch(kindOf)).toBe('auth_required');

  // What is as short as a word is cut out of nothing.
  await bed.auth.setToken(owner.caller, id, '12345');
  const short = await bed.targets.targetFor(owner.caller, id);
  expect(short).toMatchObject({ headers: { 'X-Api-Key': 'Key 12345' }, secrets: [] });

  await bed.auth.removeToken(owner.caller, id);
  await bed.auth.removeToken(owner.caller, id);
  expect(await bed.targets.targetFor(owner.caller, id).catch(kindOf)).toBe('auth_required');
  for (const wrong of ['a b', 'a\nb', '', 'x'.repeat(9000)])
    await expect(bed.auth.setToken(owner.caller, id, wrong)).rejects.toThrow('visible ASCII');
  // Sealed, like everything that is a secret.
  await bed.auth.setToken(owner.caller, id, 'sealed-token');
  const rows = await bed.store
    .db<Record<string, object>>()
    .selectFrom('personal_tokens')
    .selectAll()
    .execute();
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain('sealed-token');
});

test('one in the Authorization header takes the place of the bearer', async () => {
  const bed = await opened();
  const { owner } = bed.acme;
  const personalToken = { header: 'authorization', template: 'Bearer {token}' };
  const id = await bed.create(owner.caller, {
    connection_token: 'static-token',
    connection_headers: { headers: { Authorization: 'Basic abc' } },
    metadata: { gateway: { personalToken } },
  });
  await bed.auth.setToken(owner.caller, id, 'own-token');
  expect(await bed.targets.targetFor(owner.caller, id)).toMatchObject({
    token: null,
    headers: { authorization: 'Bearer own-token' },
  });
});

test('with personal authorization nobody gets what is for everybody', async () => {
  const bed = await opened();
  const { owner } = bed.acme;
  const id = await bed.create(owner.caller, { metadata: { gateway: { oauth: 'shared' } } });
  await bed.authorize(owner.caller, id, bed.provider);
  expect(await called(bed, owner.caller, id)).toBe('ada');
  await bed.connections.update(owner.caller, id, { metadata: { gateway: { oauth: 'personal' } } });
  await eventually(async () => expect(await called(bed, owner.caller, id)).toBe('auth_required'));
});

test('a mapped header goes along under its own name, and is kept nowhere', async () => {
  const bed = await opened();
  const { owner } = bed.acme;
  const mappedHeader = { from: 'X-My-Key', to: 'X-Upstream-Key' };
  const id = await bed.create(owner.caller, { metadata: { gateway: { mappedHeader } } });
  const reading = (headers: Record<string, string>) => headerReader((name) => headers[name]);
  const plain = await bed.targets.targetFor(owner.caller, id);
  const first = await bed.targets.targetFor(owner.caller, id, reading({ 'x-my-key': 'key-of-mine' }));
  const second = await bed.targets.targetFor(owner.caller, id, reading({ 'x-my-key': 'key-of-others' }));
  expect(first.headers).toEqual({ 'X-Upstream-Key': 'key-of-mine' });
  expect(first.secrets).toContain('key-of-mine');
  // What anybody can bring is no secret of the organization.
  expect(first.storedSecrets).toEqual(plain.secrets);
  // Sessions are shared by principal: never between two keys.
  expect(new Set([plain, first, second].map(({ principal }) => principal)).size).toBe(3);
  expect(first.principal).not.toContain('key-of-mine');
  expect(await bed.targets.targetFor(owner.caller, id, reading({ authorization: 'mine' }))).toBe(plain);
  expect(JSON.stringify(await bed.targets.targetFor(owner.caller, id))).not.toContain('key-of-mine');
});

test('what is for Parley itself is read by no connection', () => {
  const all = headerReader((name) => `value of ${name}`);
  for (const name of [
    'Authorization',
    'cookie',
    'X-Parley-Client',
    'Mcp-Session-Id',
    'Host',
    'Proxy-Authorization',
  ])
    expect(all(name), name).toBeUndefined();
  expect(all('X-My-Key')).toBe('value of x-my-key');
  expect(headerReader(() => 'x'.repeat(9000))('x-my-key')).toBeUndefined();
});

test('a call-back token acts for the caller, as the connection, within the scopes', async () => {
  const bed = await opened();
  const { acme, identity, targets, clock } = bed;
  const { owner } = acme;
  const database = await bed.create(owner.caller, { title: 'Database' });
  const id = await bed.create(owner.caller, { metadata: { gateway: { callbackToken: true } } });
  const scopes = ['DB::QUERY', 'SELF::EVENT_PUBLISH'];
  await bed.connections.update(owner.caller, id, {
    configuration_state: { DB: { value: database }, SELF: { value: `${acme.id}_self` } },
    configuration_scopes: scopes,
  });
  const headers = await eventually(async () => {
    const found = await targets.headersFor(owner.caller, id);
    expect(found).toBeDefined();
    return found;
  });
  const token = headers?.['x-parley-token'] ?? '';
  expect(await targets.headersFor(owner.caller, id)).toEqual(headers);
  const caller = await identity.authenticate(token, 'key');
  expect(caller).toMatchObject({
    connectionId: id,
    userId: owner.userId,
    organizationId: acme.id,
    roles: ['member'],
    grants: { [database]: ['QUERY'], self: ['EVENT_PUBLISH'] },
  });
  if (caller === undefined) throw new Error('A new token is not accepted.');
  expect(await identity.current(caller)).toEqual(caller);
  // Nobody passes on what they do not have.
  const narrow = await identity.createKey(owner.caller, {
    name: 'Narrow',
    grants: { [database]: ['*'] },
    expiresAt: null,
  });
  const narrowCaller = await identity.authenticate(narrow.text, 'key');
  if (narrowCaller === undefined) throw new Error('A new key is not accepted.');
  const less = (await targets.headersFor(narrowCaller, id))?.['x-parley-token'] ?? '';
  expect((await identity.authenticate(less, 'key'))?.grants).toEqual({ [database]: ['QUERY'] });
  // It is worth nothing without whoever it acts for, and after its time.
  await identity.revokeKey(owner.caller, narrow.info.id);
  await eventually(async () => expect(await identity.authenticate(less, 'key')).toBeUndefined());
  expect(await identity.authenticate(token, 'key')).toBeDefined();
  clock.nowMs += 5 * 60_000;
  expect(await identity.authenticate(token, 'key')).toBeUndefined();
  expect(await identity.current(caller)).toBeUndefined();
});

test('a call-back token is worth what its connection may do now, and nothing once that is off or gone', async () => {
  const bed = await opened();
  const { acme, identity, targets } = bed;
  const { caller: owner } = acme.owner;
  const id = await bed.create(owner, { metadata: { gateway: { callbackToken: true } } });
  const set = (change: Parameters<typeof bed.connections.update>[2]) =>
    bed.connections.update(owner, id, change);
  const worth = async (token: string) => (await identity.authenticate(token, 'key'))?.grants;
  await set({ configuration_scopes: ['*'] });
  const token = await eventually(async () => {
    const found = (await targets.headersFor(owner, id))?.['x-parley-token'] ?? '';
    expect(await worth(found)).toEqual({ '*': ['*'] });
    return found;
  });
  const caller = await identity.authenticate(token, 'key');
  if (caller === undefined) throw new Error('A new token is not accepted.');
  await set({ configuration_scopes: [] });
  await eventually(async () => expect(await worth(token)).toEqual({}));
  expect((await identity.current(caller))?.grants).toEqual({});
  await set({ configuration_scopes: ['*'], status: 'inactive' });
  await eventually(async () => expect(await worth(token)).toBeUndefined());
  expect(await identity.current(caller)).toBeUndefined();
  await set({ status: 'active' });
  await eventually(async () => expect(await worth(token)).toEqual({ '*': ['*'] }));
  await set({ metadata: { gateway: {} } });
  await eventually(async () => expect(await worth(token)).toBeUndefined());
  await set({ metadata: { gateway: { callbackToken: true } } });
  await eventually(async () => expect(await worth(token)).toEqual({ '*': ['*'] }));
  await bed.connections.delete(owner, id, false);
  await eventually(async () => expect(await worth(token)).toBeUndefined());
});

describe('nothing that a short-lived caller makes outlives it', () => {
  const MAKERS: Record<string, (bed: CredentialsBed, by: Caller, id: string) => Promise<unknown>> = {
    'a key': ({ identity }, by) => identity.createKey(by, { name: 'm', grants: {}, expiresAt: null }),
    'a key with an end': ({ identity, clock }, by) =>
      identity.createKey(by, { name: 'm', grants: {}, expiresAt: clock.nowMs + 1000 }),
    'a change of a key': ({ identity }, by) => identity.updateKey(by, { keyId: 'key_x', name: 'm' }),
    'an invitation': ({ identity }, by) => identity.invitations.create(by, { email: 'm@m.example' }),
    'a member': ({ identity }, by) => identity.addMember(by, { userId: 'usr_x', roles: ['member'] }),
    'roles of a member': ({ identity }, by) => identity.setRoles(by, { userId: 'usr_x', roles: ['member'] }),
    'a rank': ({ identity }, by) => identity.setRank(by, 'mem_x', 'member'),
    'a role': ({ identity }, by) => identity.roles.save(by, { name: 'm', grants: {} }),
    'an organization': ({ identity }, by) =>
      identity.createOrganization({ slug: 'm', name: 'M', owner: { userId: by.userId ?? '' } }, by),
    'a connection': ({ create }, by) => create(by),
    'a change of a connection': ({ connections }, by, id) => connections.update(by, id, { title: 'm' }),
    'a token of a person': ({ auth }, by, id) => auth.setToken(by, id, 'token'),
    'a sign-in elsewhere': ({ auth }, by, id) => auth.authorize(by, id),
  };

  test.each(Object.entries(MAKERS))('%s', async (_what, make) => {
    const bed = await opened();
    const { caller: owner } = bed.acme.owner;
    const id = await bed.create(owner, { metadata: { gateway: { callbackToken: true } } });
    await bed.connections.update(owner, id, { configuration_scopes: ['*'] });
    const caller = await eventually(async () => {
      const token = (await bed.targets.headersFor(owner, id))?.['x-parley-token'] ?? '';
      const found = await bed.identity.authenticate(token, 'key');
      if (found === undefined) throw new Error('A new token is not accepted.');
      return found;
    });
    expect(caller.endsAt).toBe(bed.clock.nowMs + 5 * 60_000);
    await expect(make(bed, caller, id)).rejects.toThrow('ends after minutes');
  });

  test('a key that a key with an end makes ends with it', async () => {
    const { identity, acme, clock } = await opened();
    const end = clock.nowMs + 60_000;
    const short = await identity.createKey(acme.owner.caller, { name: 's', grants: {}, expiresAt: end });
    const by = await identity.authenticate(short.text, 'key');
    if (by === undefined) throw new Error('A new key is not accepted.');
    const made = await identity.createKey(by, { name: 'm', grants: {}, expiresAt: null });
    expect(made.info.expiresAt).toBe(end);
    const longer = identity.createKey(by, { name: 'm', grants: {}, expiresAt: end + 1 });
    await expect(longer).rejects.toThrow('expires at');
  });

  test('an invitation of a key with an end ends with it', async () => {
    const { identity, acme, clock } = await opened();
    const expiresAt = clock.nowMs + 60_000;
    const grants = { '*': ['*'] };
    const short = await identity.createKey(acme.owner.caller, { name: 's', grants, expiresAt });
    const by = await identity.authenticate(short.text, 'key');
    if (by === undefined) throw new Error('A new key is not accepted.');
    const { invitation, token } = await identity.invitations.create(by, { email: 'new@acme.example' });
    expect(invitation.expiresAt).toBe(expiresAt);
    clock.nowMs = expiresAt;
    await expect(identity.invitations.open(token)).rejects.toThrow('invitation');
  });
});
