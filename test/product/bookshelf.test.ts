/** A source of another kind in the whole product: its folder and one line, and everything else is there. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALL_GRANTS } from '@parley/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { App } from '../../apps/server/src/index.ts';
import { createApp } from '../../apps/server/src/index.ts';
import { loadConfig } from '../../apps/server/src/config.ts';
import { openSession } from '../../packages/gateway/test/session.ts';
import { modern, modernCall, sendModern } from '@parley/test-support/wire';
import type { Bookshelves } from './bookshelf/source.ts';
import { bookshelves } from './bookshelf/source.ts';

let folder: string;
let shelves: Bookshelves;
let app: App;
let port: number;
let organizationId: string;
/** The key of an organization with a shelf, and of one without. */
let keys: { reader: string; stranger: string };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-bookshelf-'));
  shelves = bookshelves(folder);
  const { config } = loadConfig(['--port', '0', '--data', folder, '--log-level', 'silent'], { env: {} });
  app = await createApp({ config, sources: [shelves] });
  port = Number(new URL((await app.listen()).mcp).port);
  const { identity } = app.host;
  const reader = (await readFile(app.ownerKeyFile, 'utf8')).trim();
  const owner = await identity.authenticate(reader, 'key');
  if (owner === undefined) throw new Error('The owner key is not valid.');
  ({ organizationId } = owner);
  const made = await identity.createOrganization({ slug: 'x', name: 'X', owner: { name: 'X', email: null } });
  const other = { ...owner, organizationId: made.organizationId, userId: made.userId };
  const { text } = await identity.createKey(other, { name: 'X', grants: ALL_GRANTS, expiresAt: null });
  keys = { reader, stranger: text };
  await writeFile(join(folder, `${organizationId}.json`), JSON.stringify(['Dune', 'Emma']));
});

afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
});

const ask = async (key: string, method: string, params: Record<string, unknown> = {}, path = '/mcp') =>
  (await sendModern({ port, key, path }, modern(method, params))).text;

test('its tools and resources are listed, called and read where they belong, in both eras', async () => {
  expect(await ask(keys.reader, 'tools/list')).toContain('"_meta":{"example/shelf":2}');
  const call = modernCall('find_book', { part: 'u' });
  expect((await sendModern({ port, key: keys.reader }, call)).text).toContain('Dune');
  expect(await ask(keys.reader, 'resources/read', { uri: 'shelf://titles' })).toContain('Dune\\nEmma');
  expect(await ask(keys.reader, 'tools/list', {}, '/mcp/shelf_1')).toContain('find_book');
  const session = await openSession({ port, key: keys.reader });
  expect((await session.request('tools/list')).text).toContain('"_meta":{"example/shelf":2}');
  expect(
    (await session.request('tools/call', { name: 'find_book', arguments: { part: 'mm' } })).text,
  ).toContain('Emma');
  expect((await session.request('tools/call', { name: 'find_book', arguments: {} })).text).toContain(
    'isError',
  );
});

test('another organization sees nothing of it', async () => {
  expect(await ask(keys.stranger, 'tools/list')).not.toContain('find_book');
  expect(await ask(keys.stranger, 'tools/call', { name: 'find_book' })).toContain('Unknown tool');
  expect(await ask(keys.stranger, 'resources/read', { uri: 'shelf://titles' })).toContain(
    'Resource not found',
  );
  expect(await ask(keys.stranger, 'tools/list', {}, '/mcp/shelf_1')).toContain(
    'Nothing is served at this URL.',
  );
});

test('the metrics are for those who run the server, and do not name its tools', async () => {
  await sendModern({ port, key: keys.reader }, modernCall('find_book', { part: 'u' }));
  await sendModern({ port, key: keys.reader }, modernCall('parley_whoami', {}));
  const metrics = (key: string) =>
    fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization: `Bearer ${key}` } });
  const own = await metrics(keys.reader);
  expect(own.status).toBe(200);
  const text = await own.text();
  expect(text).toContain('gen_ai_tool_name="parley_whoami"');
  expect(text).toContain(
    'mcp_method_name="tools/call",gen_ai_tool_name="",parley_connection="",error_type=""',
  );
  expect(text).not.toMatch(/find_book|shelf/);
  const foreign = await metrics(keys.stranger);
  expect(foreign.status).toBe(404);
  expect(await foreign.text()).not.toContain('mcp_server_operation');
});

test('what changes is served by the next request', async () => {
  await writeFile(join(folder, `${organizationId}.json`), JSON.stringify(['Ulysses']));
  await shelves.refresh(organizationId);
  expect(await ask(keys.reader, 'tools/list')).toContain('"_meta":{"example/shelf":1}');
  const call = modernCall('find_book', { part: 'U' });
  expect((await sendModern({ port, key: keys.reader }, call)).text).toContain('Ulysses');
});
