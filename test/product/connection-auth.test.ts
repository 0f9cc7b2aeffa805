/** Credentials of people over the routes of a server: the whole way through a browser, and what never shows. */
import type { OAuthProvider } from '@parley/test-support/oauth-provider';
import { goOn, guardWith, startOAuthProvider } from '@parley/test-support/oauth-provider';
import { plainTool, startUpstream } from '@parley/test-support/mcp-upstream';
import { ALL_GRANTS } from '@parley/kit';
import { testCaller } from '@parley/kit/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { App } from '../../apps/server/src/app.ts';
import { createApp } from '../../apps/server/src/app.ts';
import { loadConfig } from '../../apps/server/src/config.ts';
import { callTool } from './mcp-messages.ts';
import { scratchFolder } from './parley.ts';

let app: App;
let url: string;
let keys: { owner: string; admin: string; member: string; stranger: string };
/** Sets what the role of the member gives. */
let saveRole: (grants: Record<string, string[]>) => Promise<unknown>;
const folder = scratchFolder();

beforeAll(async () => {
  const flags = ['--port', '0', '--log-level', 'silent', '--data', folder.path];
  const { config } = loadConfig([...flags, '--allow-egress', '127.0.0.1'], { env: {} });
  app = await createApp({ config });
  ({ url } = await app.listen());
  const { identity } = app.host;
  const organizationId = await identity.firstOrganizationId();
  const [first] = await identity.listMembers(organizationId);
  const founder = testCaller({ organizationId, userId: first?.userId ?? '', roles: ['owner'] });
  const userId = await identity.ensureUser({ email: 'alex@acme.example', name: 'Alex' });
  await identity.addMember(founder, { userId, roles: ['admin'] });
  const memberId = await identity.ensureUser({ email: 'mia@acme.example', name: 'Mia' });
  saveRole = (grants) => identity.roles.save(founder, { name: 'note reader', grants });
  await saveRole({ self: ['connection_auth'] });
  await identity.addMember(founder, { userId: memberId, roles: ['note reader'] });
  const owner = { name: 'Rita', email: 'rita@rival.example' };
  const other = await identity.createOrganization({ slug: 'rival', name: 'Rival', owner });
  const keyFor = async (of: { organizationId: string; userId: string }) => {
    const maker = testCaller({ ...of, roles: ['owner'] });
    return (await identity.createKey(maker, { name: 'Key', grants: ALL_GRANTS, expiresAt: null })).text;
  };
  keys = {
    owner: await keyFor({ organizationId, userId: first?.userId ?? '' }),
    admin: await keyFor({ organizationId, userId }),
    member: await keyFor({ organizationId, userId: memberId }),
    stranger: await keyFor(other),
  };
});

afterAll(async () => {
  await app.close();
  folder[Symbol.dispose]();
});

async function rest(key: string, route: string, body?: unknown) {
  const [method = '', path = ''] = route.split(' ');
  const answer = await fetch(`${url}/api/connections${path === '' ? '' : `/${path}`}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(method !== 'GET' && { body: JSON.stringify(body ?? {}) }),
  });
  const text = await answer.text();
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  const data: any = text === '' ? undefined : JSON.parse(text).data;
  return { status: answer.status, text, data };
}

async function tool(key: string, name: string, args: Record<string, unknown>) {
  const { body, text } = await callTool({ mcp: `${url}/mcp/self`, key }, name, args);
  const content = body.result?.structuredContent;
  if (content === undefined) throw new Error(text);
  // oxlint-disable-next-line typescript/no-explicit-any -- outputs of every shape
  return content as any;
}

/** The whole way of a person through one browser; gives the last page. */
async function authorised(start: string, provider: OAuthProvider): Promise<string> {
  const { url: sent, cookie } = await goOn(start);
  const page = await fetch(await provider.browse(sent), { headers: { cookie } });
  return page.text();
}

test('a person authorises a connection in a browser, uses it, and takes it back', async () => {
  await using provider = await startOAuthProvider();
  await using upstream = await startUpstream({
    era: '2026',
    tools: [plainTool('ALPHA')],
    fault: guardWith(provider),
  });
  const { item } = await tool(keys.owner, 'COLLECTION_CONNECTIONS_CREATE', {
    data: { title: 'Notes <b>', connection_type: 'HTTP', connection_url: upstream.url },
  });
  const { id } = item;
  expect(await tool(keys.owner, 'CONNECTION_TEST', { id })).toMatchObject({ status: 'auth_required' });

  const begun = await rest(keys.owner, `POST ${id}/authorize`);
  expect(begun.status).toBe(200);
  const stepsOf = (data: { steps: { step: string; state: string }[] }) =>
    data.steps.map(({ step, state }) => `${step} ${state}`);
  const way = ['asked done', 'metadata done', 'server done', 'client done'];
  expect(stepsOf(begun.data)).toEqual([...way, 'sent waiting']);
  expect(begun.data.url).toMatch(new RegExp(`^${url}/oauth/start/parley_start_`));
  const { url: sent, cookie } = await goOn(begun.data.url);
  const back = await provider.browse(sent);
  expect(back.href).toMatch(new RegExp(`^${url}/oauth/callback\\?`));
  const page = await fetch(back, { headers: { cookie } });
  const html = await page.text();
  expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(html).toContain('You can close this window');
  expect(html).toContain('Notes &lt;b&gt;');
  expect((await fetch(back, { headers: { cookie } })).status).toBe(400);

  // What could not be read before was read at once, and its maker has agreed with it.
  const read = await tool(keys.owner, 'COLLECTION_CONNECTIONS_GET', { id });
  expect(read.item).toMatchObject({ status: 'active', tools: [{ name: 'ALPHA' }] });
  const used = await callTool({ mcp: `${url}/mcp/${id}`, key: keys.owner }, 'ALPHA');
  expect(used.body.result?.content).toMatchObject([{ text: 'done' }]);

  expect(await tool(keys.owner, 'CONNECTION_TEST', { id })).toMatchObject({ status: 'ok' });
  expect(await tool(keys.admin, 'CONNECTION_TEST', { id })).toMatchObject({ status: 'auth_required' });
  const state = await rest(keys.owner, `GET ${id}/auth`);
  expect(state.data).toMatchObject({ kind: 'oauth', state: 'ok', isShared: false });
  expect(stepsOf(state.data)).toEqual([...way, 'sent done', 'returned done', 'token done', 'catalog done']);
  // What is one person's is nobody else's to see, but for those who administer.
  expect((await rest(keys.admin, `GET ${id}/auth`)).data).toMatchObject({ state: 'never', steps: [] });
  const people = await rest(keys.admin, `GET ${id}/people`);
  expect(people.data).toMatchObject({ people: [{ kind: 'oauth', state: 'ok' }], members: 3 });
  expect((await rest(keys.member, `GET ${id}/people`)).status).toBe(404);
  expect((await rest(keys.stranger, `GET ${id}/people`)).status).toBe(404);
  const standing = async (key: string) =>
    (await rest(key, 'GET ')).data.find((each: { id: string }) => each.id === id)?.auth;
  expect(await standing(keys.owner)).toMatchObject({ kind: 'oauth', state: 'ok', isShared: false });
  expect(await standing(keys.admin)).toMatchObject({ kind: 'oauth', state: 'never' });
  const carried = upstream.seen.flatMap(({ headers }) => headers.authorization ?? []);
  const tokens = carried.map((header) => header.replace('Bearer ', ''));
  expect(tokens.length).toBeGreaterThan(0);
  for (const text of [html, begun.text, state.text, people.text, JSON.stringify(item)])
    for (const token of tokens) expect(text).not.toContain(token);
  // No key of Parley goes to another server.
  const outside = JSON.stringify([...upstream.seen, ...provider.seen]);
  for (const key of Object.values(keys)) expect(outside).not.toContain(key);

  expect((await rest(keys.owner, `DELETE ${id}/auth`)).status).toBe(204);
  expect(await tool(keys.owner, 'CONNECTION_TEST', { id })).toMatchObject({ status: 'auth_required' });
});

test('a member who authorises first agrees to nothing for the others', async () => {
  await using provider = await startOAuthProvider();
  await using upstream = await startUpstream({
    era: '2026',
    tools: [plainTool('ALPHA')],
    fault: guardWith(provider),
  });
  const { item } = await tool(keys.owner, 'COLLECTION_CONNECTIONS_CREATE', {
    data: { id: 'first', title: 'First', connection_type: 'HTTP', connection_url: upstream.url },
  });
  await saveRole({ self: ['connection_auth'], first: ['*'] });
  const authorise = async (key: string) => {
    const begun = await rest(key, `POST ${item.id}/authorize`);
    expect(begun.status).toBe(200);
    await authorised(begun.data.url, provider);
    return tool(keys.owner, 'COLLECTION_CONNECTIONS_GET', { id: item.id });
  };
  expect((await authorise(keys.member)).item).toMatchObject({ status: 'error', tools: null });
  expect((await authorise(keys.admin)).item).toMatchObject({ status: 'active', tools: [{ name: 'ALPHA' }] });
});

test('an authorization ends in the browser that said yes to it, and an address that was sent on gives nothing', async () => {
  await using provider = await startOAuthProvider();
  await using upstream = await startUpstream({ era: '2026', tools: [], fault: guardWith(provider) });
  const { item } = await tool(keys.owner, 'COLLECTION_CONNECTIONS_CREATE', {
    data: { title: 'Lent', connection_type: 'HTTP', connection_url: upstream.url },
  });
  const { data } = await rest(keys.owner, `POST ${item.id}/authorize`);
  // What a member could send to somebody else names them and their server, and sends nobody anywhere by itself.
  const offer = await fetch(data.url, { redirect: 'manual' });
  expect([offer.status, offer.headers.get('set-cookie')]).toEqual([200, null]);
  const words = await offer.text();
  expect(words).toContain(new URL(upstream.url).host);
  expect(words).toContain('<strong>Owner</strong>');

  const others = ['', 'parley_away=', `parley_away=${'A'.repeat(43)}`, `parley=${'A'.repeat(43)}`];
  for (const cookie of others) {
    const sent = await goOn(data.url);
    const refused = await fetch(await provider.browse(sent.url), { headers: { cookie } });
    expect(refused.status, cookie).toBe(400);
    expect(await refused.text()).toContain('This link is not valid any more.');
  }
  expect(provider.asked).toEqual([]);
  expect((await rest(keys.owner, `GET ${item.id}/auth`)).data).toMatchObject({ state: 'needs_reauth' });

  // A browser that is sent twice can come back twice, and its cookie is for nobody else to read.
  const first = await goOn(data.url);
  const again = await fetch(data.url, {
    method: 'POST',
    headers: { origin: url, cookie: first.cookie },
    redirect: 'manual',
  });
  const kept = again.headers.get('set-cookie') ?? '';
  expect(kept.split('; ').toSorted()).toEqual(
    [first.cookie, 'HttpOnly', 'Max-Age=900', 'Path=/', 'SameSite=Lax'].toSorted(),
  );
  for (const sent of [again.headers.get('location') ?? '', first.url]) {
    const page = await fetch(await provider.browse(sent), { headers: { cookie: first.cookie } });
    expect(await page.text()).toContain('You can close this window');
  }
  expect(provider.asked).toEqual(['authorization_code', 'authorization_code']);
});

test('somebody who is signed in and comes from the console is not asked once more', async () => {
  await using provider = await startOAuthProvider();
  await using upstream = await startUpstream({ era: '2026', tools: [], fault: guardWith(provider) });
  const { item } = await tool(keys.owner, 'COLLECTION_CONNECTIONS_CREATE', {
    data: { title: 'Console', connection_type: 'HTTP', connection_url: upstream.url },
  });
  const { data } = await rest(keys.owner, `POST ${item.id}/authorize`);
  const { web } = app.host.identity;
  const signIn = async (who?: string) => {
    const { token } = await web.createLink(who);
    const opened = await web.enter({ method: 'link', token }, { address: '127.0.0.1', device: 'A browser' });
    return `parley=${opened?.token}`;
  };
  const visit = (cookie: string, site: string, method = 'GET') =>
    fetch(data.url, { method, headers: { cookie, 'sec-fetch-site': site }, redirect: 'manual' });
  const [own, other] = [await signIn(), await signIn('alex@acme.example')];
  expect((await visit(own, 'cross-site')).status).toBe(200);
  expect((await visit(own, 'none')).status).toBe(200);
  expect((await visit(own, 'same-origin', 'HEAD')).status).toBe(200);
  expect((await visit(other, 'same-origin')).status).toBe(400);
  const sent = await visit(own, 'same-origin');
  expect(sent.status).toBe(303);
  const [cookie = ''] = (sent.headers.get('set-cookie') ?? '').split(';');
  const back = await provider.browse(sent.headers.get('location') ?? '');
  const page = await fetch(back, { headers: { cookie: `${own}; ${cookie}` } });
  expect(await page.text()).toContain('You can close this window');
});

test('a token that is over is renewed for the test of a connection too', async () => {
  await using provider = await startOAuthProvider();
  await using upstream = await startUpstream({ era: '2025', tools: [], fault: guardWith(provider) });
  const { item } = await tool(keys.owner, 'COLLECTION_CONNECTIONS_CREATE', {
    data: { title: 'Short', connection_type: 'HTTP', connection_url: upstream.url },
  });
  provider.script.expiresInS = 1;
  const begun = await rest(keys.owner, `POST ${item.id}/authorize`);
  await authorised(begun.data.url, provider);
  provider.endAccess();
  provider.script.expiresInS = 3600;
  provider.asked.length = 0;
  expect(await tool(keys.owner, 'CONNECTION_TEST', { id: item.id })).toMatchObject({ status: 'ok' });
  expect(provider.asked).toEqual(['refresh_token']);
});

test('foreign and unknown connections answer alike, on every route', async () => {
  const { item } = await tool(keys.owner, 'COLLECTION_CONNECTIONS_CREATE', {
    data: { title: 'Mine', connection_type: 'HTTP', connection_url: 'http://127.0.0.1:9/mcp' },
  });
  const routes = [
    'POST :id/authorize',
    'GET :id/auth',
    'DELETE :id/auth',
    'PUT :id/token',
    'DELETE :id/token',
  ];
  for (const route of routes) {
    const asked = async (key: string, id: string) => {
      const { status, text } = await rest(key, route.replace(':id', id), {
        ...(route.startsWith('PUT') && { token: 'x' }),
      });
      return `${status} ${text}`;
    };
    const unknown = await asked(keys.stranger, 'conn_nobody');
    expect(unknown, route).toMatch(/^404 /);
    expect(await asked(keys.stranger, item.id), route).toBe(unknown);
    expect(await asked(keys.owner, item.id), route).not.toBe(unknown);
  }
});

test('the start of a link says whom it is for, and only its own form begins anything', async () => {
  const answers = [
    await fetch(`${url}/oauth/start/parley_start_AAAA`),
    await fetch(`${url}/oauth/start/x`, { method: 'POST', headers: { origin: url } }),
    await fetch(`${url}/oauth/start/x`, { method: 'POST', headers: { origin: 'https://evil.example' } }),
    await fetch(`${url}/oauth/callback?state=x&code=y`),
    await fetch(`${url}/oauth/client.json`),
    await fetch(`${url}/oauth/elsewhere`),
    await fetch(`${url}/oauth/callback`, { method: 'DELETE' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 403, 400, 404, 404, 405]);
  for (const answer of answers)
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
});
