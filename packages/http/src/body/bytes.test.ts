/** However a body is cut into packets, its reader gets the same bytes, or the same refusal. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { detach } from '@parley/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HttpRefusal } from '../refusal.ts';
import { readBytes } from './bytes.ts';

const LIMITS = { bodyBytes: 64, bodyTimeoutMs: 60_000 };
/** For bodies that do not come; every other one is waited for, however slow the machine is. */
const HASTY = { ...LIMITS, bodyTimeoutMs: 100 };
let limits = LIMITS;
/** Settled by the test when the server has read the headers. */
let arrived = Promise.withResolvers<void>();

const server = createServer((req, res) => {
  arrived.resolve();
  const reading = readBytes(req, limits).then(
    (bytes) => res.end(`got ${bytes.toString()}`),
    (error: unknown) => {
      const status = error instanceof HttpRefusal ? error.status : 500;
      res.writeHead(status, { connection: 'close' }).end(String(error));
    },
  );
  detach(reading, (error) => res.destroy(error as Error));
});
let port = 0;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Listening on a port, so the address is not a path.
  ({ port } = server.address() as AddressInfo);
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
});

const head = (fields: string) => `POST / HTTP/1.1\r\nhost: x\r\n${fields}\r\n\r\n`;
const sized = (length: number) => head(`content-length: ${length}`);
const CHUNKED = head('transfer-encoding: chunked');

/** Sends parts one by one, each after the server has seen the one before, and gives all that comes back. */
async function converse(parts: readonly string[], answers: number): Promise<string> {
  arrived = Promise.withResolvers();
  const socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('utf8');
  let seen = '';
  const done = new Promise<void>((resolve, reject) => {
    socket.on('data', (text: string) => {
      seen += text;
      if ((seen.match(/\r\n\r\n[^]*?(?:got|HttpRefusal)/g)?.length ?? 0) >= answers) resolve();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve());
  });
  for (const [index, part] of parts.entries()) {
    if (index > 0) await arrived.promise;
    socket.write(part);
  }
  await done;
  socket.destroy();
  return seen;
}

const READ: readonly [how: string, parts: string[], body: string][] = [
  ['with its headers', [`${sized(5)}hello`], 'hello'],
  ['after its headers', [sized(5), 'hello'], 'hello'],
  ['in the middle of two packets', [`${sized(5)}he`, 'llo'], 'hello'],
  ['in chunks of one packet', [`${CHUNKED}2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n`], 'hello'],
  ['in chunks of two packets', [`${CHUNKED}2\r\nhe\r\n`, '3\r\nllo\r\n0\r\n\r\n'], 'hello'],
  ['empty', [sized(0)], ''],
];

test.each(READ)('a body that comes %s is read whole', async (_how, parts, body) => {
  const seen = await converse(parts, 1);
  expect(seen).toMatch(/^HTTP\/1\.1 200 /);
  expect(seen.endsWith(`got ${body}`)).toBe(true);
});

test('two requests in one packet are answered in their order', async () => {
  const seen = await converse([`${sized(3)}one${sized(3)}two`], 2);
  expect(seen.match(/got (?:one|two)/g)).toEqual(['got one', 'got two']);
});

const long = 'x'.repeat(LIMITS.bodyBytes + 1);
const REFUSED: readonly [what: string, parts: string[], status: number][] = [
  ['that says it is too large', [sized(long.length)], 413],
  ['of one packet that is too large', [`${CHUNKED}41\r\n${long}\r\n0\r\n\r\n`], 413],
  ['of two packets that is too large', [`${CHUNKED}41\r\n`, `${long}\r\n0\r\n\r\n`], 413],
  ['that stops', [`${sized(5)}he`], 408],
  ['that never comes', [sized(5)], 408],
  ['in another coding', [head('transfer-encoding: gzip, chunked')], 415],
];

test.each(REFUSED)('a body %s is refused', async (_what, parts, status) => {
  limits = status === 408 ? HASTY : LIMITS;
  const seen = await converse(parts, 1);
  expect(seen).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(seen).not.toContain('got ');
});
