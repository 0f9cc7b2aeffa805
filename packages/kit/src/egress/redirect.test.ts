/** Owns the promise that a redirect is checked like a first request and carries no secrets away. */
import { startServer } from '@parley/test-support/scripted-server';
import { afterEach, describe, expect, test } from 'vitest';
import { createEgress } from './egress.ts';
import type { Egress } from './egress.ts';
import { nextHop } from './redirect.ts';
import { scriptResolver } from './testing/scripted-resolver.ts';

const open: Egress[] = [];
const egressFor = (...allow: string[]): Egress => {
  const { resolve } = scriptResolver({ 'a.test': [['127.0.0.1']], 'b.test': [['127.0.0.1']] });
  const egress = createEgress({ resolve, allow });
  open.push(egress);
  return egress;
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((egress) => egress.close()));
});

const redirectTo = (location: string, status = 302) =>
  startServer((_request, response) => response.writeHead(status, { location }).end('moved'));

describe('check 26: redirects', () => {
  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:a9fe:a9fe]/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://[::ffff:10.0.0.1]/',
    'http://b.test/',
    'https://b.test/',
    '//127.0.0.1:1/',
    'file:///etc/passwd',
  ])('a redirect to %s is refused', async (location) => {
    await using server = await redirectTo(location);
    const egress = egressFor(`a.test:${server.port}`);
    await expect(egress.fetch(`http://a.test:${server.port}/`)).rejects.toMatchObject({
      code: 'not_allowed',
    });
    expect(server.seen).toHaveLength(1);
  });

  test.each(['http://user:secret@a.test/', 'http://a..b/', 'http://['])(
    'a redirect to the malformed address %s is refused',
    async (location) => {
      await using server = await redirectTo(location);
      const egress = egressFor(`a.test:${server.port}`);
      await expect(egress.fetch(`http://a.test:${server.port}/`)).rejects.toMatchObject({ code: 'invalid' });
    },
  );

  test.each(['169.254.169.254', '10.0.0.1', '::ffff:10.0.0.1'])(
    'a redirect to a name that has moved to %s meanwhile is refused',
    async (address) => {
      await using server = await redirectTo('/next');
      const { resolve } = scriptResolver({ 'a.test': [['127.0.0.1'], [address]] });
      const egress = createEgress({ resolve, allow: ['127.0.0.1/32'] });
      open.push(egress);
      await expect(egress.fetch(`http://a.test:${server.port}/`)).rejects.toMatchObject({
        code: 'not_allowed',
      });
      expect(server.seen).toHaveLength(1);
    },
  );

  test('three redirects are followed and the fourth is refused', async () => {
    await using server = await startServer(({ url }, response) => {
      const left = Number(url.slice(1));
      if (left === 0) response.end('there');
      else response.writeHead(307, { location: `/${left - 1}` }).end();
    });
    const egress = egressFor('a.test');
    const answer = await egress.fetch(`http://a.test:${server.port}/3`);
    expect([await answer.text(), answer.url]).toEqual(['there', `http://a.test:${server.port}/0`]);
    expect(server.seen).toHaveLength(4);
    const refused = egress.fetch(`http://a.test:${server.port}/4`);
    await expect(refused).rejects.toMatchObject({ code: 'not_allowed' });
    expect(server.seen).toHaveLength(8);
  });

  test('secrets stay behind when the origin changes', async () => {
    await using second = await startServer((_request, response) => response.end('done'));
    await using first = await redirectTo(`http://b.test:${second.port}/next`, 307);
    const egress = egressFor('a.test', 'b.test');
    await egress.fetch(`http://a.test:${first.port}/`, {
      method: 'POST',
      body: '{}',
      headers: {
        Authorization: 'Bearer canary',
        cookie: 'sid=canary',
        'X-Api-Key': 'canary',
        accept: 'application/json',
        'content-type': 'application/json',
      },
    });
    expect(first.seen[0]?.headers).toMatchObject({ authorization: 'Bearer canary', cookie: 'sid=canary' });
    expect(second.seen[0]).toMatchObject({
      method: 'POST',
      body: '{}',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
    });
    expect(JSON.stringify(second.seen)).not.toContain('canary');
  });

  test('another port of the same host is another origin', async () => {
    await using second = await startServer((_request, response) => response.end('done'));
    await using first = await redirectTo(`http://a.test:${second.port}/`);
    const egress = egressFor('a.test');
    await egress.fetch(`http://a.test:${first.port}/`, { headers: { authorization: 'Bearer canary' } });
    expect(second.seen[0]?.headers.authorization).toBeUndefined();
  });

  test('headers travel on inside one origin', async () => {
    await using server = await startServer(({ url }, response) => {
      if (url === '/') response.writeHead(302, { location: '/next' }).end();
      else response.end('done');
    });
    const egress = egressFor('a.test');
    await egress.fetch(`http://a.test:${server.port}/`, { headers: { authorization: 'Bearer canary' } });
    expect(server.seen[1]?.headers.authorization).toBe('Bearer canary');
  });

  test('a redirect is the answer itself when the caller follows by hand', async () => {
    await using server = await redirectTo('http://b.test/next', 307);
    const egress = egressFor('a.test');
    const answer = await egress.fetch(`http://a.test:${server.port}/`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([307, 'http://b.test/next']);
    expect(await answer.text()).toBe('moved');
    expect(server.seen).toHaveLength(1);
  });

  test('a redirect without a location is the answer', async () => {
    await using server = await startServer((_request, response) => response.writeHead(302).end('where'));
    const answer = await egressFor('a.test').fetch(`http://a.test:${server.port}/`);
    expect([answer.status, await answer.text()]).toEqual([302, 'where']);
  });
});

describe('the method after a redirect', () => {
  test.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [301, 'PUT', 'PUT'],
    [302, 'HEAD', 'HEAD'],
    [307, 'POST', 'POST'],
    [308, 'PATCH', 'PATCH'],
  ])('%i turns %s into %s, and only a kept method keeps the body', (status, method, expected) => {
    const headers = new Headers({ 'content-type': 'text/plain', accept: '*/*' });
    const hop = nextHop({ url: new URL('https://a.test/'), method, headers, body: 'text' }, status, '/b');
    expect(hop?.method).toBe(expected);
    expect(hop?.url.href).toBe('https://a.test/b');
    expect(hop?.body).toBe(method === expected ? 'text' : undefined);
    expect(hop?.headers.get('content-type')).toBe(method === expected ? 'text/plain' : null);
    expect(hop?.headers.get('accept')).toBe('*/*');
  });

  test.each([200, 300, 304, 404])('%i is no redirect', (status) => {
    const hop = { url: new URL('https://a.test/'), method: 'GET', headers: new Headers(), body: undefined };
    expect(nextHop(hop, status, '/b')).toBeUndefined();
  });
});
