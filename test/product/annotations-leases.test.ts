/** Agents that end: what they had taken up is free again, at once or when their lease has run out. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createAnnotationServices } from '@parley/annotations';
import type { StoreEngine } from '@parley/store';
import { openStore } from '@parley/store';
import { scratchDatabase } from '@parley/store/testing';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ProductPage } from './annotations-page.ts';
import { openPage, tokenOf } from './annotations-page.ts';
import { ensureBuilt } from './build.ts';
import { callTool, stdioClient } from './mcp-messages.ts';
import type { Server } from './parley.ts';
import { LAUNCHER, spawnParley, startParley } from './parley.ts';

const LEASE_MS = 30 * 60_000;

beforeAll(ensureBuilt);

describe.each<StoreEngine>(['sqlite', 'postgres'])('on %s', (engine) => {
  let database: Awaited<ReturnType<typeof scratchDatabase>>;
  let args: string[];
  let server: Server;
  let page: ProductPage;

  beforeEach(async () => {
    database = await scratchDatabase(engine);
    const { databaseUrl } = database.options;
    args = databaseUrl === undefined ? [] : ['--database-url', databaseUrl];
    server = await startParley(database.options.dataDir, { args });
    const { overlayTag } = JSON.parse(server.stdout().split('\n')[0] ?? '') as { overlayTag: string };
    page = await openPage(server.url, tokenOf(overlayTag));
  });
  afterEach(async () => {
    page.close();
    await server.stop();
    await database.remove();
  });

  /** An agent of its own process that has taken a note up. */
  async function agentWithNote() {
    const id = await page.annotate('Make it blue');
    const running = spawnParley(['mcp', 'annotations', '--data', database.options.dataDir, ...args]);
    const agent = stdioClient(running);
    expect((await agent.call('acknowledge', { id })).result?.isError).toBeUndefined();
    return { id, running, agent };
  }

  async function pendingIds(at: { mcp: string; key: string } = server): Promise<string[]> {
    const { body } = await callTool(at, 'get_all_pending');
    const notes = body.result?.structuredContent?.annotations as { id: string }[] | undefined;
    return notes?.map(({ id }) => id) ?? [];
  }

  async function wordsOf(id: string): Promise<string[]> {
    const { body } = await callTool(server, 'get_session', { id: page.ready.session.id, detail: 'full' });
    type Notes = { id: string; replies: { message: string }[] }[];
    const notes = body.result?.structuredContent?.annotations as Notes | undefined;
    return notes?.find((note) => note.id === id)?.replies.map(({ message }) => message) ?? [];
  }

  const gone = (client: string) => [`${client} has gone. This note is pending again.`];

  test.each(['the end of its input', 'SIGTERM'])(
    'a note of an agent process is free at once after %s',
    async (how) => {
      const { id, running, agent } = await agentWithNote();
      expect(await pendingIds()).toEqual([]);
      expect((await agent.call('get_mine')).result?.structuredContent).toMatchObject({
        annotations: [{ id }],
      });
      if (how === 'SIGTERM') running.child.kill('SIGTERM');
      else running.child.stdin.end();
      expect((await running.ended).code).toBe(0);
      expect(await pendingIds()).toEqual([id]);
      expect(await wordsOf(id)).toEqual(gone('product-test'));
    },
  );

  test('a note of a 2025 client over stdio is free at once when the client closes', async () => {
    const id = await page.annotate('Make it blue');
    const client = new Client(
      { name: 'old-agent', version: '1' },
      { versionNegotiation: { mode: 'legacy' } },
    );
    const command = [LAUNCHER, 'mcp', 'annotations', '--data', database.options.dataDir, ...args];
    await client.connect(new StdioClientTransport({ command: process.execPath, args: command }));
    await client.callTool({ name: 'acknowledge', arguments: { id } });
    expect(await pendingIds()).toEqual([]);
    await client.close();
    await expect.poll(() => pendingIds()).toEqual([id]);
    expect(await wordsOf(id)).toEqual(gone('old-agent'));
  });

  test('a note of an agent process that is killed is free when its lease has run out, and not before', async () => {
    const { id, running } = await agentWithNote();
    running.child.kill('SIGKILL');
    await running.ended;
    expect(await pendingIds()).toEqual([]);
    // Restarted, the agent sees what it had, and may go on with it; another may not without saying so.
    const mine = (await callTool(server, 'get_mine')).body.result?.structuredContent;
    expect(mine).toMatchObject({ annotations: [{ id, elsewhere: true }] });
    const store = await openStore(database.options);
    const services = createAnnotationServices({ store, now: () => Date.now() + LEASE_MS });
    await services.leases.reclaim();
    await services.close();
    await store.close();
    expect(await pendingIds()).toEqual([id]);
    expect(await wordsOf(id)).toHaveLength(1);
  });

  test('a note of a 2025 session is free at once when the session is deleted, and when the server stops', async () => {
    const connect = async (at: Server) => {
      const client = new Client(
        { name: 'old-agent', version: '1' },
        { versionNegotiation: { mode: 'legacy' } },
      );
      const requestInit = { headers: { authorization: `Bearer ${server.key}` } };
      const transport = new StreamableHTTPClientTransport(new URL(at.mcp), { requestInit });
      await client.connect(transport);
      return { client, transport };
    };
    const id = await page.annotate('Make it blue');
    const first = await connect(server);
    await first.client.callTool({ name: 'acknowledge', arguments: { id } });
    expect(await pendingIds()).toEqual([]);
    await first.transport.terminateSession();
    await expect.poll(() => pendingIds()).toEqual([id]);
    expect(await wordsOf(id)).toEqual(gone('old-agent'));
    await first.client.close();

    const other = await startParley(database.options.dataDir, { args });
    const second = await connect(other);
    await second.client.callTool({ name: 'acknowledge', arguments: { id } });
    expect((await other.stop()).code).toBe(0);
    expect(await pendingIds()).toEqual([id]);
    await second.client.close();
  });

  test('a note of a client without a session stays its own over a restart of the server', async () => {
    const id = await page.annotate('Make it blue');
    await callTool(server, 'acknowledge', { id });
    const other = await startParley(database.options.dataDir, { args });
    await server.stop();
    const at = { mcp: other.mcp, key: server.key };
    expect(await pendingIds(at)).toEqual([]);
    expect((await callTool(at, 'resolve', { id })).body.result?.structuredContent).toEqual({
      id,
      status: 'resolved',
    });
    await other.stop();
  });
});
