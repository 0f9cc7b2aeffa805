/** Requests whose id, client or tool is as long as a body: served at once, and hardly kept. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { callTool, message, post } from './mcp-messages.ts';
import { scratchFolder, startParley } from './parley.ts';

beforeAll(ensureBuilt);

// Word boundaries all the way: the redactor once took hours for this.
const LONG = 'a.'.repeat(1_500_000);

test('an id or a client name of three megabytes does not hold up the server, nor fill the records', async () => {
  using folder = scratchFolder();
  await using server = await startParley(folder.path);
  const client = { 'io.modelcontextprotocol/clientInfo': { name: LONG, version: '1' } };
  for (let round = 0; round < 5; round += 1) {
    const name = 'no_such_tool';
    const denied = await post(server.mcp, server.key, message(LONG, 'tools/call', { name, arguments: {} }));
    expect([denied.status, denied.text.length < 200]).toEqual([400, true]);
    const whoami = { name: 'parley_whoami', arguments: {} };
    const served = await post(server.mcp, server.key, message(1, 'tools/call', whoami, client));
    expect(served.body.result?.structuredContent).toMatchObject({ roles: ['owner'] });
  }
  expect((await callTool(server, 'parley_whoami')).status).toBe(200);
  await server.stop();
  expect(statSync(join(folder.path, 'records.db')).size).toBeLessThan(200_000);
});
