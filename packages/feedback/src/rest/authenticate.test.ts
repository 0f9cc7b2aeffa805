/** Keys over REST: both forms, one answer for everything that is none, and only hashes at rest. */
import { randomBytes } from 'node:crypto';
import type { IdentityTables } from '@parley/identity';
import { expect, test } from 'vitest';
import type { Loose } from '../../test/rest-api.ts';
import { openRest } from '../../test/rest-api.ts';
import { onBothEngines } from '../testing/engines.ts';

onBothEngines('a key', (open) => {
  test('is accepted in both forms, whatever the case of the scheme', async () => {
    const api = await openRest(await open());
    const parley = await api.keyFor(api.callers.member, { format: 'parley' });
    expect(api.keys.member).toMatch(/^qb_[0-9a-f]{48}$/);
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR'])
      for (const key of [parley, api.keys.member]) {
        const answer = await api.call('GET', '/posts', { headers: { authorization: `${scheme} ${key}` } });
        expect([scheme, answer.status]).toEqual([scheme, 200]);
      }
  });

  test('that is expired, revoked, unknown, cut or absent gives the same 401, to the byte', async () => {
    let now = Date.now();
    const api = await openRest(await open(), { now: () => now });
    const expired = await api.keyFor(api.callers.member, { expiresAt: now + 1000 });
    const made = await api.call('POST', '/keys', {
      as: api.keys.admin,
      body: { name: 'Soon gone', role: 'member' },
    });
    const { key: revoked, id } = made.json.data;
    expect((await api.call('GET', '/posts', { as: revoked })).status).toBe(200);
    expect((await api.call('DELETE', `/keys/${id}`, { as: api.keys.admin })).status).toBe(204);
    now += 2000;
    const unknown = `qb_${randomBytes(24).toString('hex')}`;
    const bad = [
      expired,
      revoked,
      unknown,
      unknown.slice(0, -1),
      `${unknown}0`,
      api.keys.member.toUpperCase(),
      api.keys.member.slice(0, 12),
      'parley_x',
    ];
    const seen = new Set<string>();
    for (const key of bad) {
      const { status, text, headers } = await api.call('GET', '/posts', { as: key });
      seen.add(JSON.stringify([status, text, headers.get('www-authenticate')]));
    }
    for (const authorization of [
      '',
      'Bearer',
      `Basic ${api.keys.member}`,
      `Bearer ${api.keys.member} x`,
      `Token ${api.keys.member}`,
    ]) {
      const { status, text, headers } = await api.call('GET', '/posts', { headers: { authorization } });
      seen.add(JSON.stringify([status, text, headers.get('www-authenticate')]));
    }
    const message = 'Send a valid API key as "Authorization: Bearer <key>".';
    const body = JSON.stringify({ error: { code: 'UNAUTHORIZED', message }, message });
    expect([...seen]).toEqual([JSON.stringify([401, body, 'Bearer realm="parley"'])]);
    const inQuery = await api.call('GET', `/posts?key=${api.keys.member}&access_token=${api.keys.member}`);
    expect(inQuery.status).toBe(401);
  });

  test('is stored as a hash with its first 12 characters, and never listed with its text', async () => {
    const api = await openRest(await open());
    const made = await api.call('POST', '/keys', {
      as: api.keys.admin,
      body: { name: 'CI', role: 'member' },
    });
    const { key, id, prefix } = made.json.data;
    expect([made.status, made.headers.get('location')]).toEqual([201, `/api/v1/keys/${id}`]);
    expect(prefix).toBe(key.slice(0, 12));
    const rows = await api.store.db<IdentityTables>().selectFrom('api_keys').selectAll().execute();
    const list = await api.call('GET', '/keys', { as: api.keys.admin });
    for (const text of [JSON.stringify(rows), list.text]) expect(text).not.toContain(key);
    expect(list.json.data.map((each: Loose) => each.id)).toContain(id);
  });

  test('is never stronger than its maker', async () => {
    const api = await openRest(await open());
    const make = async (body: unknown, as = api.keys.admin) =>
      (await api.call('POST', '/keys', { as, body: { name: 'K', ...(body as object) } })).status;
    expect(await make({ role: 'member', grants: { '*': ['*'] } })).toBe(403);
    expect(await make({ role: 'admin' })).toBe(201);
    expect(await make({ role: 'member' }, api.keys.member)).toBe(403);
    const narrowed = await api.keyFor(api.callers.admin, { role: 'member' });
    expect((await api.call('GET', '/keys', { as: narrowed })).status).toBe(403);
  });
});
