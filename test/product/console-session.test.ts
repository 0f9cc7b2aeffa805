/** The console over HTTP: every way in and every way that is none, what the cookie is worth, and what is served without it. */
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Browser, ConsoleServer } from './console-browser.ts';
import { startConsole } from './console-browser.ts';
import { scratchFolder } from './parley.ts';

const PASSWORD = 'quartz candle ferry mango';
const EMAIL = 'ada@acme.example';

/** A stand-in for what the build leaves. */
const built = scratchFolder();
mkdirSync(join(built.path, 'assets'));
for (const [name, text] of Object.entries({
  'index.html': '<!doctype html><title>Console</title>',
  'app-frame.html': '<!doctype html><title>App</title>',
  'assets/app-3f9a0c1d2b.js': 'export {}',
  'assets/app-3f9a0c1d2b.js.br': 'brotli',
  'assets/app-3f9a0c1d2b.js.gz': 'gzip',
  'secret.txt.js': 'export {}',
}))
  writeFileSync(join(built.path, name), text);

let server: ConsoleServer;
beforeAll(async () => {
  server = await startConsole([], { consoleFiles: built.path });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  built[Symbol.dispose]();
});

describe('the ways in', () => {
  test('a stranger learns how to sign in, and nothing else', async () => {
    const { status, body } = await server.browser().ask('GET /api/session');
    expect([status, body.error.code]).toEqual([401, 'UNAUTHORIZED']);
    const methods = ['link', 'password', 'passkey', 'key'];
    expect(body.error.details).toEqual({ methods, hasOwnerSignIn: false });
  });

  test('an Idempotency-Key gives nobody the sign-in of somebody else, and nothing of it is kept', async () => {
    const { store, identity } = server.app.host;
    const { token } = await identity.web.createLink();
    const headers = { 'idempotency-key': 'the-same' };
    const enter = (body: Readonly<Record<string, unknown>>) =>
      server.browser().ask('POST /api/session', { body, headers });
    const first = await enter({ method: 'link', token });
    expect([first.status, first.body.data.csrfToken]).toEqual([200, expect.any(String)]);
    const second = await enter({ method: 'link', token });
    expect([second.status, second.text.includes('csrfToken')]).toEqual([401, false]);
    expect((await enter({ method: 'password', email: EMAIL, password: PASSWORD })).status).toBe(401);
    const kept = store.db<Record<string, object>>().selectFrom('console_idempotency').selectAll();
    expect(await kept.execute()).toEqual([]);
  });

  test('a link signs in once; used, expired, cut and made-up ones answer alike', async () => {
    const { token } = await server.app.host.identity.web.createLink();
    const browser = server.browser();
    const { status, body, headers } = await browser.signIn({ method: 'link', token });
    expect(status).toBe(200);
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^parley_\d+=parley_web_[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    expect(body.data).toMatchObject({ role: 'owner', isFirstRun: true, hasPassword: false, passkeys: 0 });
    expect(body.data.rail).toContain('organization');
    const answers = new Set<string>();
    for (const used of [token, token.slice(0, -1), `parley_link_${'x'.repeat(43)}`, 'x']) {
      const again = await server.browser().signIn({ method: 'link', token: used });
      expect(again.headers.getSetCookie()).toEqual([]);
      answers.add(`${again.status} ${again.text}`);
    }
    answers.add(
      await server
        .browser()
        .signIn({ method: 'key', key: 'parley_x' })
        .then((a) => `${a.status} ${a.text}`),
    );
    expect(answers.size).toBe(1);
    expect([...answers][0]).toMatch(/^401 /);
  });

  test('servers on ports beside one another leave each other’s cookies alone, and a cookie without a port is still read', async () => {
    const browser = await server.signedIn();
    const { port } = new URL(server.url);
    const [name = '', token = ''] = browser.cookie?.split('=') ?? [];
    expect(name).toBe(`parley_${port}`);
    for (const [cookie, status] of [
      [`parley=${token}`, 200],
      [`parley_1=${token}`, 401],
      [`parley=other; parley_1=other; ${browser.cookie}`, 200],
    ] as const)
      expect((await browser.ask('GET /api/session', { headers: { cookie } })).status, cookie).toBe(status);
  });

  test('the owner key signs in, a narrow key does not, and a session starts no MCP', async () => {
    const owner = server.browser();
    expect((await owner.signIn({ method: 'key', key: server.key })).status).toBe(200);
    const made = await owner.call('self', 'API_KEY_CREATE', {
      name: 'Narrow',
      permissions: { parley: ['parley_whoami'] },
    });
    expect((await server.browser().signIn({ method: 'key', key: made.key })).status).toBe(401);
    expect((await owner.ask('POST /mcp', { body: {} })).status).toBe(401);
  });

  test('a password signs in once it is set; a wrong one and an unknown name are told alike, and slowed alike', async () => {
    const browser = await server.signedIn();
    expect((await browser.ask('PUT /api/account', { body: { name: 'Ada', email: EMAIL } })).status).toBe(200);
    const weak = await browser.ask('PUT /api/account/password', { body: { password: 'password1234' } });
    expect([weak.status, weak.body.error.details.errors.password]).toEqual([
      400,
      [expect.stringContaining('common')],
    ]);
    expect((await browser.ask('PUT /api/account/password', { body: { password: PASSWORD } })).status).toBe(
      204,
    );
    expect(
      (await server.browser().signIn({ method: 'password', email: EMAIL, password: PASSWORD })).status,
    ).toBe(200);
    const guess = async (email: string) => {
      const { status, text, headers } = await server
        .browser()
        .signIn({ method: 'password', email, password: 'wrong' });
      return `${status} ${headers.has('retry-after')} ${text}`;
    };
    const first = await guess(EMAIL);
    expect(first).toMatch(/^401 false /);
    expect(await guess('nobody@acme.example')).toBe(first);
    for (let count = 0; count < 4; count += 1) expect(await guess(EMAIL)).toBe(first);
    // The delay grows from try to try, past the time that a busy machine takes for one.
    let slowed = first;
    while (slowed === first) slowed = await guess(EMAIL);
    expect(slowed).toMatch(/^429 true .*Try again in \d+ second/);
  });

  test('what is sent to sign in is bounded and has to fit', async () => {
    const browser = server.browser();
    const long = 'x'.repeat(2000);
    const bad = [
      {},
      { method: 'magic' },
      { method: 'link' },
      { method: 'link', token: long },
      { method: 'password', email: EMAIL, password: long },
      { method: 'key', key: 1 },
    ];
    for (const body of bad)
      expect(
        (await browser.ask('POST /api/session', { body })).status,
        JSON.stringify(body).slice(0, 80),
      ).toBe(400);
    const giant = await browser.ask('POST /api/session', {
      body: { method: 'link', token: 'x'.repeat(5_000_000) },
    });
    expect(giant.status).toBe(413);
    expect(
      (
        await browser.ask('POST /api/session', {
          body: { method: 'link', token: 'x' },
          headers: { 'content-type': 'text/plain' },
        })
      ).status,
    ).toBe(415);
  });
});

describe('the cookie', () => {
  test('reads and changes on every REST set, for pages of this site with the token of the session', async () => {
    const browser = await server.signedIn();
    for (const path of [
      '/api/v1/boards',
      '/api/agents',
      '/api/connections/openapi.json',
      '/api/audit',
      '/api/questions',
      '/api/tools/management',
    ]) {
      const { status, headers } = await browser.ask(`GET ${path}`);
      expect([status, headers.has('x-request-id')], path).toEqual([200, true]);
    }
    const board = { body: { name: 'Ideas' } };
    expect((await browser.ask('POST /api/v1/boards', board)).status).toBe(201);
    const refused: [string, Record<string, string>][] = [
      ['CSRF', { 'x-csrf-token': '' }],
      ['CSRF', { 'x-csrf-token': `${browser.csrfToken}x` }],
      ['FORBIDDEN', { origin: 'https://evil.example' }],
      ['FORBIDDEN', { origin: 'null' }],
      ['UNAUTHORIZED', { 'sec-fetch-site': 'cross-site' }],
      ['UNAUTHORIZED', { 'sec-fetch-site': 'same-site' }],
    ];
    for (const [code, headers] of refused)
      for (const route of ['POST /api/v1/boards', 'PUT /api/account', 'POST /api/call/parley/parley_whoami'])
        expect(
          (await browser.ask(route, { ...board, headers })).body.error.code,
          `${route} ${JSON.stringify(headers)}`,
        ).toBe(code);
    const before = (await browser.ask('GET /api/v1/boards')).body.data.length;
    expect(before).toBe(1);
  });

  test('of another site is not looked at: neither by its pages nor by a link from one', async () => {
    const browser = await server.signedIn();
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }])
      expect((await browser.ask('GET /api/home', { headers })).status).toBe(401);
    expect((await browser.ask('GET /api/home', { headers: { origin: 'https://evil.example' } })).status).toBe(
      403,
    );
    const form = await browser.ask('POST /api/session', {
      body: { method: 'key', key: server.key },
      headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    });
    expect(form.status).toBe(403);
    // Typed by the person, or opened from a mark of theirs.
    expect((await browser.ask('GET /api/home', { headers: { 'sec-fetch-site': 'none' } })).status).toBe(200);
  });

  test('ends with signing out, in another tab too, and another person’s session cannot be ended', async () => {
    const first = await server.signedIn();
    const second = await server.signedIn();
    const all = (await first.ask('GET /api/sessions')).body.data;
    const { id } = all.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent);
    expect(all[0]).toMatchObject({ device: 'Firefox on Linux', method: 'link' });
    expect((await second.ask('DELETE /api/sessions/ses_unknown')).status).toBe(404);
    expect((await second.ask(`DELETE /api/sessions/${id}`)).status).toBe(204);
    expect((await first.ask('GET /api/home')).status).toBe(401);
    const out = await second.ask('DELETE /api/session');
    expect([out.status, second.cookie]).toEqual([204, undefined]);
    expect((await second.ask('GET /api/session')).status).toBe(401);
  });

  test('what could do most harm asks again after 15 minutes, by whatever way it is reached', async () => {
    const browser = await server.signedIn();
    const { identity, store } = server.app.host;
    const { id } = (await browser.ask('GET /api/sessions')).body.data.find(
      ({ isCurrent }: { isCurrent: boolean }) => isCurrent,
    );
    const age = () =>
      store
        .db<{ web_sessions: { id: string; proven_at: number } }>()
        .updateTable('web_sessions')
        .set({ proven_at: Date.now() - 15 * 60_000 })
        .where('id', '=', id)
        .execute();
    await age();
    const key = { name: 'K', permissions: { parley: ['parley_whoami'] } };
    const asked = async (route: string, body: unknown) => {
      const { status, body: answer } = await browser.ask(route, { body });
      return `${status} ${answer?.error?.code}`;
    };
    const sensitive: [string, unknown][] = [
      ['POST /api/call/self/API_KEY_CREATE', { arguments: key }],
      ['POST /api/call/self/ORGANIZATION_DELETE', { arguments: { id: 'org_x' } }],
      [
        'POST /api/call/self/COLLECTION_CONNECTIONS_CREATE',
        {
          arguments: {
            data: { title: 'P', connection_type: 'STDIO', connection_headers: { command: 'true' } },
          },
        },
      ],
      ['POST /api/agents', { name: 'A' }],
      ['POST /api/v1/keys', { name: 'K', role: 'member' }],
      ['PUT /api/account', { email: 'eve@acme.example' }],
      ['PUT /api/account/password', { password: `${PASSWORD} two` }],
      ['POST /api/account/passkeys/options', {}],
    ];
    for (const [route, body] of sensitive) expect(await asked(route, body), route).toBe('403 FRESH_SIGN_IN');
    const stream = await browser.stream('POST /api/call/self/API_KEY_CREATE', { body: { arguments: key } });
    expect(await stream.all()).toMatchObject([{ event: 'error', data: { code: 'FRESH_SIGN_IN' } }]);
    // Code that a person runs is that person.
    const code =
      'export default async (tools) => tools.API_KEY_CREATE({ name: "K", permissions: { parley: ["parley_whoami"] } })';
    const run = await browser.ask('POST /api/call/self/CODE_EXECUTION_RUN_CODE', {
      body: { arguments: { code } },
    });
    expect(run.text).toContain('Show again who you are');
    expect(
      (
        await identity.listKeys((await identity.web.find(browser.cookie!.split('=')[1]!))!.caller, {
          all: true,
        })
      ).map(({ name }) => name),
    ).not.toContain('K');
    expect(await asked('POST /api/call/self/API_KEY_LIST', {})).toBe('200 undefined');
    expect((await browser.ask('POST /api/session/fresh', { body: { method: 'key', key: 'x' } })).status).toBe(
      403,
    );
    expect(
      (await browser.ask('POST /api/session/fresh', { body: { method: 'key', key: server.key } })).status,
    ).toBe(200);
    expect(await asked('POST /api/call/self/API_KEY_CREATE', { arguments: key })).toBe('200 undefined');
  });

  test('a role that is taken away is gone with the next request', async () => {
    const { identity } = server.app.host;
    const owner = await server.signedIn();
    const { organization, person } = (await owner.ask('GET /api/session')).body.data;
    const userId = await identity.ensureUser({ email: 'bo@acme.example', name: 'Bo' });
    const by = (await identity.callerOfMember(organization.id, person.id))!;
    await identity.addMember(by, { userId, roles: ['admin'] });
    const bo = await server.signedIn('bo@acme.example');
    expect((await bo.ask('GET /api/audit')).status).toBe(200);
    const member = (await identity.memberOf(organization.id, userId))!;
    // Two roles: what the person may is not the name of one.
    await bo.ask('GET /api/session').then(({ body }) => expect(body.data.isAdministrator).toBe(true));
    await identity.setRoles(by, { userId, roles: ['admin', 'user'] });
    const both = (await bo.ask('GET /api/session')).body.data;
    expect([both.role, both.isAdministrator]).toEqual(['admin, user', true]);
    await identity.setRank(by, member.id, 'member');
    expect((await bo.ask('GET /api/session')).body.data.isAdministrator).toBe(false);
    expect((await bo.ask('GET /api/audit')).status).toBe(403);
    expect((await bo.ask('GET /api/session')).body.data.rail).not.toContain('monitoring');
    await identity.removeMember(by, userId);
    expect((await bo.ask('GET /api/session')).status).toBe(401);
  });
});

describe('the pages', () => {
  const page = async (path: string, headers: Record<string, string> = {}) =>
    server.browser().ask(`GET ${path}`, { headers });

  test('are one page for every path, under a policy that allows nothing of others', async () => {
    for (const path of [
      '/console',
      '/console/',
      '/console/annotations',
      '/console/a/b?c=d',
      '/console/sign-in',
    ]) {
      const { status, text, headers } = await page(path);
      expect([status, text], path).toEqual([200, '<!doctype html><title>Console</title>']);
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cache-control')).toBe('no-cache');
    }
    expect((await server.browser().ask('POST /console', { body: {} })).status).toBe(405);
  });

  test('files have their type, a year of caching, and the smallest form that the browser takes', async () => {
    const path = '/console/assets/app-3f9a0c1d2b.js';
    const plain = await page(path, { 'accept-encoding': 'identity' });
    expect([plain.status, plain.text, plain.headers.get('content-type')]).toEqual([
      200,
      'export {}',
      'text/javascript; charset=utf-8',
    ]);
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await page('/console/assets/absent-12345678.js')).status).toBe(404);
    for (const escape of [
      '/console/..%2f..%2fpackage.json',
      '/console/%2e%2e/package.json',
      '/console/assets/..%2findex.html',
    ])
      expect((await page(escape)).text, escape).not.toContain('"name"');
  });

  test('are found anew after a build while the server runs', async () => {
    const page2 = '<!doctype html><title>Second build</title>';
    expect((await page('/console/assets/next-0a1b2c3d4e.js')).status).toBe(404);
    writeFileSync(join(built.path, 'assets/next-0a1b2c3d4e.js'), 'export {}');
    writeFileSync(join(built.path, 'index.html'), page2);
    utimesSync(join(built.path, 'index.html'), 1, 1);
    expect((await page('/console')).text).toBe(page2);
    expect((await page('/console/assets/next-0a1b2c3d4e.js')).status).toBe(200);
    rmSync(join(built.path, 'assets/next-0a1b2c3d4e.js'));
    expect((await page('/console/assets/next-0a1b2c3d4e.js')).status).toBe(404);
  });

  test('hold an app in a page without anything of the console', async () => {
    const { status, headers, text } = await page('/console/app-frame');
    expect([status, text]).toEqual([200, '<!doctype html><title>App</title>']);
    expect(headers.get('content-security-policy')).toMatch(
      /^sandbox allow-scripts; default-src 'none'; .*frame-ancestors 'self'$/,
    );
  });

  test('the front leads to the console, and strangers to what is published', async () => {
    const place = async (browser: Browser) => (await browser.ask('GET /')).headers.get('location');
    const owner = await server.signedIn();
    expect(await place(server.browser())).toBe('/console');
    await owner.ask('PATCH /api/v1/settings', { body: { isPublished: true } });
    expect(await place(server.browser())).toBe('/feedback');
    expect(await place(owner)).toBe('/console');
    await owner.ask('PATCH /api/v1/settings', { body: { isPublished: false } });
  });

  test('one document describes everything below /api, each schema under one name', async () => {
    const { status, body } = await page('/api/openapi.json');
    expect(status).toBe(200);
    const paths = Object.keys(body.paths);
    for (const path of [
      '/session',
      '/v1/posts',
      '/agents/{id}',
      '/tools/management',
      '/live',
      '/call/{endpoint}/{tool}',
    ])
      expect(paths).toContain(path);
    const text = JSON.stringify(body);
    const named = new Set([...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name));
    expect([...named].filter((name) => !Object.hasOwn(body.components.schemas, name!))).toEqual([]);
    const ids = [...text.matchAll(/"operationId":"(\w+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test('without a build the page says how to make one; without a console there is no way in', async () => {
  await using unbuilt = await startConsole([], { consoleFiles: join(built.path, 'nowhere') });
  const { status, text } = await unbuilt.browser().ask('GET /console');
  expect(status).toBe(503);
  expect(text).toContain('npm run build');
  const browser = await unbuilt.signedIn();
  expect((await browser.ask('GET /api/home')).status).toBe(200);

  await using closed = await startConsole(['--no-console']);
  const { token } = await closed.app.host.identity.web.createLink();
  for (const route of ['GET /console', 'GET /api/session', 'GET /api/openapi.json', 'GET /api/home'])
    expect((await closed.browser().ask(route)).status, route).toBe(401);
  expect((await closed.browser().ask('POST /api/session', { body: { method: 'link', token } })).status).toBe(
    401,
  );
  expect((await closed.browser().ask('GET /')).text).toContain('This is an MCP server.');
  expect(await closed.app.noticesAt(closed.url)).not.toContainEqual(
    expect.objectContaining({ json: expect.objectContaining({ console: expect.anything() }) }),
  );
});

test('behind https the cookie is one that only this host can set', async () => {
  await using secure = await startConsole(['--public-url', 'https://parley.example']);
  const { token } = await secure.app.host.identity.web.createLink();
  const browser = secure.browser();
  const { status, headers } = await browser.ask('POST /api/session', {
    body: { method: 'link', token },
    headers: { origin: 'https://parley.example' },
  });
  expect(status).toBe(200);
  expect(headers.getSetCookie()[0]).toMatch(
    /^__Host-parley=\S+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  expect((await browser.ask('GET /api/session')).status).toBe(200);
  expect((await secure.app.noticesAt(secure.url))[0]?.json).toMatchObject({
    console: 'https://parley.example/console',
  });
});
