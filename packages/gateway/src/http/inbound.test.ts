/** The front door: Host, Origin, header counts and repeated headers, and pages of listed origins. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TestGateway } from '../../test/start-gateway.ts';
import { startGateway } from '../../test/start-gateway.ts';
import { modernCall, modernHeaders, send, sendModern, sendRaw } from '@parley/test-support/wire';

let gateway: TestGateway;
let to: { port: number; key: string };
const LISTED = 'https://app.example';

beforeAll(async () => {
  gateway = await startGateway({ names: { hosts: ['parley.example'], origins: [LISTED] } });
  to = { port: gateway.port, key: gateway.ownerKey };
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
});

const message = modernCall('echo', { text: 'hi' });

afterEach(async () => {
  expect((await sendModern(to, message)).status).toBe(200);
  gateway.lab.ran.length = 0;
});

/** One request written by hand, so that headers may be anything. */
async function raw(
  lines: readonly string[],
  body = JSON.stringify(message),
): Promise<{ status: number; text: string }> {
  const head = [
    'POST /mcp HTTP/1.1',
    ...lines,
    'connection: close',
    `content-length: ${Buffer.byteLength(body)}`,
  ].join('\r\n');
  const text = await sendRaw(gateway.port, `${head}\r\n\r\n${body}`);
  return { status: Number(text.slice(9, 12)), text };
}

function lines(changes: Record<string, string | undefined> = {}): string[] {
  const headers = {
    host: 'localhost',
    authorization: `Bearer ${to.key}`,
    ...modernHeaders(message),
    ...changes,
  };
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
}

describe('check 27: Host', () => {
  test.each([
    'localhost',
    'LOCALHOST:4680',
    '127.0.0.1:1',
    '[::1]',
    '[::1]:4680',
    '127.0.0.2',
    'app.localhost:4680',
    'parley.example',
    'Parley.Example:443',
  ])('%s is served', async (host) => {
    expect((await raw(lines({ host }))).status).toBe(200);
  });

  test.each([
    'evil.example',
    'evil.example:4680',
    'localhost.',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '128.0.0.1',
    '127.1',
    '.localhost/evil.example',
    '[::2]',
    '::1',
    '[::1',
    '0.0.0.0',
    '169.254.169.254',
    'localhost@evil.example',
    'localhost:80@evil.example',
    'localhost:80, evil.example',
    'localhost:',
    'evil.example#localhost',
    '',
  ])('"%s" is 403 and runs nothing', async (host) => {
    const answer = await raw(lines({ host }));
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('"code":-32000');
    expect(gateway.lab.ran).toEqual([]);
  });

  test('a request without Host is refused', async () => {
    expect((await raw(lines({ host: undefined }))).status).toBe(400);
    expect(gateway.lab.ran).toEqual([]);
  });

  test('a foreign Host is refused before the key is looked at', async () => {
    const refused = await raw(lines({ host: 'evil.example', authorization: 'Bearer wrong' }));
    expect(refused.text.split('\r\n\r\n')[1]).toBe(
      (await raw(lines({ host: 'evil.example' }))).text.split('\r\n\r\n')[1],
    );
  });
});

describe('check 27: Origin', () => {
  test.each(['http://localhost', 'https://localhost', LISTED])('%s is served', async (origin) => {
    expect((await raw(lines({ origin }))).status).toBe(200);
  });

  test.each([
    'https://evil.example',
    'null',
    'http://localhost:9999',
    'http://localhost.evil.example',
    'https://app.example.evil.example',
    'http://app.example',
    'https://app.example:8443',
    'HTTPS://APP.EXAMPLE',
    'file://',
    '',
  ])('"%s" is 403 and runs nothing', async (origin) => {
    const answer = await raw(lines({ origin }));
    expect(answer.status).toBe(403);
    expect(answer.text.toLowerCase()).not.toContain('access-control');
    expect(gateway.lab.ran).toEqual([]);
  });

  test('a page of a listed origin may read its answers, also the refusals', async () => {
    for (const key of [to.key, 'wrong']) {
      const answer = await sendModern({ ...to, key, headers: { origin: LISTED } }, message);
      expect(answer.headers['access-control-allow-origin']).toBe(LISTED);
      expect(answer.headers.vary).toBe('origin');
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  test('the preflight of a listed origin needs no key and runs nothing', async () => {
    const headers = {
      origin: LISTED,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,mcp-method',
    };
    const answer = await send({ port: gateway.port, method: 'OPTIONS', headers });
    expect(answer.status).toBe(204);
    expect(answer.headers['access-control-allow-origin']).toBe(LISTED);
    expect(answer.headers['access-control-allow-methods']).toContain('POST');
    expect(answer.headers['access-control-allow-headers']).toContain('mcp-method');
    const foreign = await send({
      port: gateway.port,
      method: 'OPTIONS',
      headers: { ...headers, origin: 'https://evil.example' },
    });
    expect(foreign.status).toBe(403);
    expect(foreign.headers).not.toHaveProperty('access-control-allow-origin');
  });
});

describe('check 27: header fields', () => {
  test('100 fields are served and 101 are 431', async () => {
    const own = lines();
    const padding = Array.from({ length: 98 - own.length }, (_, index) => `x-pad-${index}: 1`);
    expect((await raw([...own, ...padding])).status).toBe(200);
    gateway.lab.ran.length = 0;
    const answer = await raw([...own, ...padding, 'x-one-more: 1']);
    expect(answer.status).toBe(431);
    expect(gateway.lab.ran).toEqual([]);
  });

  test.each([
    'host',
    'origin',
    'authorization',
    'content-type',
    'content-length',
    'mcp-protocol-version',
    'mcp-method',
    'mcp-name',
    'mcp-session-id',
    'Mcp-Param-Region',
  ])('a repeated %s is refused, even when both copies agree', async (name) => {
    const origin = { origin: 'http://localhost', 'mcp-session-id': 'abc', 'mcp-param-region': 'eu' };
    const all = lines(origin);
    const copy =
      name === 'content-length'
        ? `content-length: 1`
        : all.find((line) => line.startsWith(`${name.toLowerCase()}:`));
    const answer = await raw([...all, copy!.replace(/^[^:]+/, name)]);
    expect(answer.status).toBe(400);
    expect(gateway.lab.ran).toEqual([]);
  });

  test('a second Host is refused when there is no Origin to compare it with', async () => {
    const answer = await raw([...lines({ host: 'localhost:80' }), 'host: evil.example']);
    expect(answer.status).toBe(400);
    expect(gateway.lab.ran).toEqual([]);
  });

  test('a header of no concern may come twice', async () => {
    expect((await raw([...lines(), 'accept-language: de', 'accept-language: en'])).status).toBe(200);
  });

  test('headers of a proxy that nobody listed change nothing', async () => {
    const trusted = {
      'x-forwarded-for': '10.0.0.1',
      'x-forwarded-host': 'localhost',
      forwarded: 'for=127.0.0.1;host=localhost',
      'x-real-ip': '127.0.0.1',
      'x-user-id': 'owner',
      'x-internal-secret': 'yes',
    };
    const answer = await raw(lines({ ...trusted, host: 'evil.example' }));
    expect(answer.status).toBe(403);
    expect((await raw(lines({ ...trusted, authorization: undefined }))).status).toBe(401);
    expect(gateway.lab.ran).toEqual([]);
  });
});
