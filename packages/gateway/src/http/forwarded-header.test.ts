/** The one header of a client that goes to an HTTP upstream as it came, in both eras on both sides, and none beside it. */
import { createEgress } from '@parley/kit/egress';
import type { Sending } from '@parley/test-support/wire';
import { modernCall, send, sendModern } from '@parley/test-support/wire';
import { serveWire } from '@parley/test-support/wire-upstream';
import { expect, onTestFinished, test } from 'vitest';
import { targetOf } from '../../test/links-bed.ts';
import { served, servedTool, startBed } from '../../test/scripted-links.ts';
import { LEGACY, openSession } from '../../test/session.ts';
import { startGateway } from '../../test/start-gateway.ts';
import { createLinks } from '../upstream/links.ts';

const NAME = 'x-hub-signature-256';
const SIGNATURE = `sha256=${'0aF'.repeat(21)}b`;
/** What comes with the signature and stays here. */
const OTHERS = {
  cookie: 'a=b',
  'x-hub-signature': 'sha1=0',
  'x-org-id': 'org_other',
  'x-custom': 'mine',
  'x-forwarded-for': '10.1.2.3',
  'x-parley-client': 'me',
};

type Ask = (to: Omit<Sending, 'body'>) => Promise<unknown>;
const WAYS: Record<string, Ask> = {
  'on the hot path': (to) => sendModern(to, modernCall('work', {})),
  'through the SDK': (to) => sendModern(to, modernCall('work', {}, { meta: { progressToken: 1 } })),
  async 'on a 2025 session'({ headers, ...to }) {
    const session = await openSession(to);
    const params = { name: 'work', arguments: {} };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    return send({ ...to, headers: { ...session.headers, 'mcp-protocol-version': LEGACY, ...headers }, body });
  },
  'on the plain route': ({ headers, path, ...to }) =>
    send({
      ...to,
      path: `${path}/call-tool/work`,
      headers: { 'content-type': 'application/json', ...headers },
      body: '{}',
    }),
};

/** A gateway before an upstream of a year, and the headers that its calls came with. */
async function through(era: '2026' | '2025' | 'sse', ofConnection: Record<string, string> = {}) {
  const upstream = await serveWire({ era });
  const egress = createEgress();
  const faults: unknown[] = [];
  const links = createLinks({
    egress,
    info: { name: 'parley', version: '0.0.0' },
    onFault: (error) => faults.push(error),
  });
  const target = targetOf(upstream.url, {
    id: 'conn_1',
    type: era === 'sse' ? 'SSE' : 'HTTP',
    headers: ofConnection,
  });
  const bed = startBed({ links, credentials: () => ({ target }) });
  const gateway = await startGateway({ connections: bed.gateway });
  const { organizationId } = gateway.owner;
  bed.give(organizationId, served('conn_1', { organizationId, era: null, tools: [servedTool('work')] }));
  onTestFinished(async () => {
    await gateway[Symbol.asyncDispose]();
    await bed[Symbol.asyncDispose]();
    await links.close();
    await egress.close();
    expect(faults).toEqual([]);
  });
  const to = { port: gateway.port, key: gateway.ownerKey, path: '/mcp/conn_1' };
  const called = () => upstream.heard.filter(({ message }) => message.method === 'tools/call');
  return { to, upstream, gateway, called };
}

const COMBINATIONS = (['2026', '2025', 'sse'] as const).flatMap((era) =>
  Object.entries(WAYS).map(([way, ask]) => ({ era, way, ask })),
);

test.each(COMBINATIONS)(
  'it goes $way to an upstream of $era, and nothing else does',
  async ({ era, ask }) => {
    const { to, upstream, gateway, called } = await through(era);
    await ask({ ...to, headers: { ...OTHERS, [NAME]: SIGNATURE } });
    expect(called()).toMatchObject([{ headers: { [NAME]: SIGNATURE } }]);
    for (const { message, headers } of upstream.heard) {
      for (const name of Object.keys(OTHERS)) expect(headers).not.toHaveProperty(name);
      expect(headers).not.toHaveProperty('authorization');
      // It signs one call, so what is sent around it goes without.
      if (message.method !== 'tools/call') expect(headers).not.toHaveProperty(NAME);
    }
    expect(JSON.stringify(await gateway.records())).not.toContain(SIGNATURE);

    await ask(to);
    expect(called()).toHaveLength(2);
    expect(called()[1]?.headers).not.toHaveProperty(NAME);
  },
);

test.each<[string, string | string[]]>([
  ['two of them', [SIGNATURE, SIGNATURE]],
  ['an empty one', ''],
  ['one of another length', `${SIGNATURE}0`],
  ['one of another kind', `sha512=${'0'.repeat(64)}`],
  ['anything else', 'my-own-key'],
  ['as much as fits', 'a'.repeat(8_000)],
])('%s stays here, and the call is made', async (_what, value) => {
  const { to, called } = await through('2026');
  const { status } = await sendModern({ ...to, headers: { [NAME]: value } }, modernCall('work', {}));
  expect(status).toBe(200);
  expect(called()).toHaveLength(1);
  expect(called()[0]?.headers).not.toHaveProperty(NAME);
});

test('what the connection itself says under this name wins', async () => {
  const own = `sha256=${'1'.repeat(64)}`;
  const { to, called } = await through('2026', { 'X-Hub-Signature-256': own });
  await sendModern({ ...to, headers: { [NAME]: SIGNATURE } }, modernCall('work', {}));
  expect(called()).toMatchObject([{ headers: { [NAME]: own } }]);
});
