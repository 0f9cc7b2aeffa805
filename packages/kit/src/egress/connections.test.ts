/** Owns the promise that connections stay pinned, keep their names and leave nothing behind. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { startServer } from '@parley/test-support/scripted-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createConnections } from './connections.ts';
import { createEgress } from './egress.ts';
import { scriptResolver } from './testing/scripted-resolver.ts';
import { makeCertificate } from './testing/certificate.ts';

const LIMITS = { connectTimeoutMs: 5_000, maxHeaderBytes: 65_536 };
const { key, cert } = makeCertificate('secure.test');
const serverNames: unknown[] = [];
let server: Server;
let port = 0;

beforeAll(async () => {
  server = createServer({ key, cert }, (request, response) => {
    // the server speaks TLS only, so its sockets are TLS sockets
    serverNames.push((request.socket as TLSSocket).servername);
    response.end(request.headers.host);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address === 'object' && address !== null) port = address.port;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const get = (host: string, ca?: string) => {
  const connections = createConnections({ ...LIMITS, ...(ca === undefined ? {} : { ca }) });
  const url = new URL(`https://${host}:${port}/`);
  const target = { url, addresses: [{ address: '127.0.0.1', family: 4 as const }] };
  const hop = { url, method: 'GET', headers: new Headers(), body: undefined };
  return { connections, sent: connections.send(target, hop, AbortSignal.timeout(10_000)) };
};

describe('a pinned connection', () => {
  test('keeps the Host and the TLS server name of the address', async () => {
    const { connections, sent } = get('secure.test', cert);
    expect(await (await sent).body.text()).toBe(`secure.test:${port}`);
    expect(serverNames).toEqual(['secure.test']);
    await connections.close();
  });

  test('refuses a certificate for another name', async () => {
    const { connections, sent } = get('other.test', cert);
    await expect(sent).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    await connections.close();
  });

  test('refuses a certificate that nobody vouches for', async () => {
    const { resolve } = scriptResolver({ 'secure.test': [['127.0.0.1']] });
    const egress = createEgress({ resolve, allow: ['secure.test'] });
    await expect(egress.fetch(`https://secure.test:${port}/`)).rejects.toMatchObject({
      code: 'unreachable',
      wasSent: false,
      tls: 'untrusted',
    });
    await egress.close();
  });

  test('tells a server that speaks no TLS from one that is not there', async () => {
    await using plain = await startServer((_request, response) => response.end());
    const egress = createEgress({ allow: ['127.0.0.1'] });
    const fault = { code: 'unreachable', wasSent: false };
    await expect(egress.fetch(`https://127.0.0.1:${plain.port}/`)).rejects.toMatchObject({
      ...fault,
      tls: 'broken',
    });
    await expect(egress.fetch('https://127.0.0.1:1/')).rejects.toMatchObject({ ...fault, tls: undefined });
    await egress.close();
  });

  test.each(['220 mail.example ESMTP\r\n', 'HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n'])(
    'an answer that is no HTTP (%j) is invalid and not unreachable',
    async (text) => {
      await using odd = await startServer((_request, response) => response.socket?.end(text));
      const egress = createEgress({ allow: ['127.0.0.1'] });
      await expect(egress.fetch(`http://127.0.0.1:${odd.port}/`)).rejects.toMatchObject({ code: 'invalid' });
      await egress.close();
    },
  );

  test('leaves nothing behind after it failed or ended', async () => {
    const failed = get('other.test', cert);
    await expect(failed.sent).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    await expect.poll(() => failed.connections.size()).toBe(0);

    await using plain = await startServer((_request, response) =>
      response.writeHead(200, { connection: 'close' }).end('bye'),
    );
    const connections = createConnections(LIMITS);
    const url = new URL(`http://127.0.0.1:${plain.port}/`);
    const target = { url, addresses: [{ address: '127.0.0.1', family: 4 as const }] };
    const hop = { url, method: 'GET', headers: new Headers(), body: undefined };
    const answer = await connections.send(target, hop, AbortSignal.timeout(10_000));
    expect(connections.size()).toBe(1);
    await answer.body.text();
    await expect.poll(() => connections.size()).toBe(0);
  });
});
