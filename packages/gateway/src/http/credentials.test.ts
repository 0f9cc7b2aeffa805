/** Keys and rates: who is refused, with which answer, and how soon a lost right is lost. */
import { expect, test } from 'vitest';
import { eventually } from '@parley/test-support/eventually';
import { openSession } from '../../test/session.ts';
import { startGateway } from '../../test/start-gateway.ts';
import { modern, modernCall, modernHeaders, send, sendModern } from '@parley/test-support/wire';

const echo = modernCall('echo', { text: 'hi' });
const UNAUTHORIZED = {
  jsonrpc: '2.0',
  error: { code: -32000, message: 'Send a valid API key as "Authorization: Bearer <key>".' },
  id: null,
};

test('every wrong credential gets the same 401, and nothing runs', async () => {
  await using gateway = await startGateway();
  const { port, ownerKey } = gateway;
  const [prefix, publicId, secret] = ownerKey.split(/_(?=.)/, 3);
  const values = [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    `Basic ${ownerKey}`,
    ownerKey,
    `Bearer ${ownerKey} `.repeat(2),
    'Bearer wrong',
    `Bearer ${prefix}_${publicId}_${'A'.repeat(43)}`,
    `Bearer ${prefix}_AAAAAAAAAAAA_${secret}`,
    `Bearer ${ownerKey}A`,
    `Bearer ${ownerKey.slice(0, -1)}`,
    `Bearer ${ownerKey.toUpperCase()}`,
    "Bearer ' or 1=1 --",
  ];
  for (const authorization of values) {
    const headers = { ...modernHeaders(echo), ...(authorization !== undefined && { authorization }) };
    const answer = await send({ port, headers, body: JSON.stringify(echo) });
    expect({ authorization, status: answer.status }).toEqual({ authorization, status: 401 });
    expect(answer.json).toEqual(UNAUTHORIZED);
    expect(answer.headers['www-authenticate']).toBe(
      `Bearer realm="parley", resource_metadata="http://127.0.0.1:${port}/.well-known/oauth-protected-resource/mcp"`,
    );
  }
  const cookie = await send({
    port,
    headers: { ...modernHeaders(echo), cookie: `key=${ownerKey}` },
    body: JSON.stringify(echo),
  });
  const query = await sendModern({ port, path: `/mcp?key=${ownerKey}&access_token=${ownerKey}` }, echo);
  expect([cookie.status, query.status]).toEqual([401, 401]);
  expect(gateway.lab.ran).toEqual([]);
  expect((await sendModern({ port, key: ownerKey }, echo)).status).toBe(200);
});

test.each(['POST', 'GET', 'DELETE', 'PUT', 'OPTIONS'])(
  '%s without a key is 401 at every URL, known or not',
  async (method) => {
    await using gateway = await startGateway();
    for (const path of ['/mcp', '/mcp/lab', '/mcp/nope']) {
      expect((await send({ port: gateway.port, method, path })).status).toBe(401);
    }
  },
);

test('a revoked key is refused from the next request on, in both eras', async () => {
  await using gateway = await startGateway();
  const { text: key, id } = await gateway.key({ lab: ['*'] });
  const to = { port: gateway.port, key };
  const session = await openSession(to);
  expect((await sendModern(to, echo)).status).toBe(200);
  await gateway.identity.revokeKey(gateway.owner, id);
  await eventually(async () => expect((await sendModern(to, echo)).json).toEqual(UNAUTHORIZED));
  expect((await session.request('tools/list')).json).toEqual(UNAUTHORIZED);
  expect((await sendModern({ ...to, key: gateway.ownerKey }, echo)).status).toBe(200);
});

test('keys that take turns on one connection are each their own caller, and a wrong one between them is nobody', async () => {
  await using gateway = await startGateway();
  const { port, ownerKey } = gateway;
  const { text: narrow } = await gateway.key({ lab: ['add'] });
  // One after the other: the next request goes out on the connection of the last.
  const seen = async (key: string) => (await sendModern({ port, key }, echo)).json;
  for (let turn = 0; turn < 3; turn += 1) {
    expect((await seen(ownerKey)).result.structuredContent).toEqual({ text: 'hi' });
    expect((await seen(narrow)).error.message).toBe('Unknown tool: echo');
    expect(await seen(`${ownerKey}A`)).toEqual(UNAUTHORIZED);
  }
});

test('an expired key is refused from the moment it expires', async () => {
  let now = Date.now();
  await using gateway = await startGateway({ now: () => now });
  const { text: key } = await gateway.key({ lab: ['*'] }, { expiresAt: now + 60_000 });
  const to = { port: gateway.port, key };
  expect((await sendModern(to, echo)).status).toBe(200);
  now += 59_999;
  expect((await sendModern(to, echo)).status).toBe(200);
  now += 1;
  expect((await sendModern(to, echo)).json).toEqual(UNAUTHORIZED);
  expect((await sendModern(to, modern('prompts/list'))).json).toEqual(UNAUTHORIZED);
});

test('a role that is taken away is gone for the next call, and the tool looks unknown', async () => {
  await using gateway = await startGateway();
  const { owner } = gateway;
  const userId = await gateway.identity.createUser({ name: 'Mia', email: null });
  await gateway.identity.roles.save(owner, { name: 'tester', grants: { lab: ['echo'] } });
  await gateway.identity.addMember(owner, { userId, roles: ['tester'] });
  const mia = { ...owner, userId, roles: ['tester'], grants: { lab: ['echo'] } };
  const to = { port: gateway.port, key: (await gateway.key({ lab: ['echo'] }, { maker: mia })).text };
  expect((await sendModern(to, echo)).json.result.structuredContent).toEqual({ text: 'hi' });
  await gateway.identity.setRoles(owner, { userId, roles: ['member'] });
  await eventually(async () =>
    expect((await sendModern(to, echo)).json.error?.message).toBe('Unknown tool: echo'),
  );
  expect((await sendModern(to, modern('tools/list'))).json.result.tools).toEqual([]);
});

test('ten failed credentials a minute, then 429; a valid key is not held up', async () => {
  await using gateway = await startGateway({ limits: { failedCredentialsPerMinute: 10 } });
  const { port } = gateway;
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 10; attempt += 1)
    statuses.push((await sendModern({ port, key: `wrong${attempt}` }, echo)).status);
  expect(new Set(statuses)).toEqual(new Set([401]));
  const limited = await sendModern({ port, key: 'wrong' }, echo);
  expect(limited.status).toBe(429);
  expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
  // Without a credential there is nothing to brake, so the text that helps is what comes.
  expect((await sendModern({ port }, echo)).json).toEqual(UNAUTHORIZED);
  expect((await sendModern({ port, key: gateway.ownerKey }, echo)).status).toBe(200);
});

test('asking without a credential is never counted: the first wrong key after it reads what to send', async () => {
  await using gateway = await startGateway({ limits: { failedCredentialsPerMinute: 1 } });
  const { port } = gateway;
  for (let attempt = 0; attempt < 30; attempt += 1)
    expect((await sendModern({ port }, echo)).json).toEqual(UNAUTHORIZED);
  const first = await sendModern({ port, key: 'wrong' }, echo);
  expect([first.status, first.json]).toEqual([401, UNAUTHORIZED]);
  expect((await sendModern({ port, key: 'wrong' }, echo)).status).toBe(429);
});

test('too many requests of one caller are 429 with Retry-After; others go on', async () => {
  await using gateway = await startGateway({ limits: { ratePerSecond: 0.01, rateBurst: 3 } });
  const to = { port: gateway.port, key: (await gateway.key({ lab: ['*'] })).text };
  const answers = [];
  for (let count = 0; count < 4; count += 1) answers.push(await sendModern(to, echo));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  expect(answers[3]?.json.error.message).toMatch(/^Too many requests\. Try again in \d+ s\.$/);
  expect(Number(answers[3]?.headers['retry-after'])).toBeGreaterThan(50);
  expect(gateway.lab.ran).toHaveLength(3);
  expect((await sendModern({ ...to, key: gateway.ownerKey }, echo)).status).toBe(200);
  expect((await sendModern(to, modern('no/such'))).status).toBe(429);
});

test('tools that run things or reach outside have a lower rate, answered as rate_limited', async () => {
  await using gateway = await startGateway({ limits: { heavyRatePerSecond: 0.01, heavyRateBurst: 2 } });
  const to = { port: gateway.port, key: gateway.ownerKey };
  await sendModern(to, modernCall('start', {}));
  await sendModern(to, modernCall('reach', {}));
  for (const name of ['start', 'reach']) {
    const { status, json } = await sendModern(to, modernCall(name, {}));
    expect(status).toBe(200);
    expect(json.result).toMatchObject({ isError: true, _meta: { 'dev.parley/code': 'rate_limited' } });
    expect(json.result._meta['dev.parley/data'].retryAfterMs).toBeGreaterThan(0);
  }
  expect(gateway.lab.ran).toEqual(['start']);
  // One that counts for itself is not counted here.
  const { json: measured } = await sendModern(to, modernCall('measured', {}));
  expect(measured.result.isError).toBeUndefined();
  expect((await sendModern(to, echo)).json.result.structuredContent).toEqual({ text: 'hi' });
  const codes = (await gateway.records()).map(({ code }) => code);
  expect(codes).toEqual([null, null, 'rate_limited', 'rate_limited', null, null]);
});
