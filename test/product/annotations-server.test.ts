/** Annotations in the product: the tag, the link, the agent, restarts, kills and notices. */
import { createInterface } from 'node:readline';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openPage, tokenOf } from './annotations-page.ts';
import { ensureBuilt } from './build.ts';
import { callTool, message, stdioClient } from './mcp-messages.ts';
import type { Server } from './parley.ts';
import { runParley, scratchFolder, spawnParley, startParley } from './parley.ts';

let folder: ReturnType<typeof scratchFolder>;
let data: string;

beforeAll(ensureBuilt);
beforeEach(() => {
  folder = scratchFolder();
  data = join(folder.path, 'data');
});
afterEach(() => folder[Symbol.dispose]());

function tagOf(server: Server): string {
  return (JSON.parse(server.stdout().split('\n')[0] ?? '') as { overlayTag: string }).overlayTag;
}

const pageOf = (server: Server, sessionToken?: string) =>
  openPage(server.url, tokenOf(tagOf(server)), sessionToken);

interface Note {
  readonly id: string;
  readonly status: string;
}

async function pendingOf(server: Server): Promise<Note[]> {
  const { body } = await callTool(server, 'get_all_pending');
  return body.result?.structuredContent?.annotations as Note[];
}

describe('the tag', () => {
  test('is one script element with the page token, the same at every start, and its script is served', async () => {
    const first = await startParley(data);
    const tag = tagOf(first);
    expect(tag).toMatch(
      /^<script src="http:\/\/127\.0\.0\.1:\d+\/__parley\/overlay\.js" data-token="parley_page_[\w-]{43}"><\/script>$/,
    );
    const script = await fetch(`${first.url}/__parley/overlay.js`);
    expect(script.status).toBe(200);
    expect(script.headers.get('content-type')).toContain('text/javascript');
    expect((await first.stop()).stderr).not.toContain(tokenOf(tag));
    await using second = await startParley(data);
    expect(tokenOf(tagOf(second))).toBe(tokenOf(tag));
    for (const path of ['/mcp', '/metrics', '/__parley/events']) {
      const headers = { authorization: `Bearer ${tokenOf(tag)}`, origin: new URL(second.url).origin };
      expect((await fetch(second.url + path, { headers })).status, path).toBe(401);
    }
    expect(readFileSync(join(data, 'parley.db')).includes(tokenOf(tag))).toBe(false);
  });

  test('is printed for a person too, with what to do with it', async () => {
    const running = spawnParley(['start', '--port', '0', '--data', data]);
    await running.until('stdout', /Annotate a page[\s\S]*<script src=.*<\/script>/);
    running.child.kill('SIGTERM');
    expect((await running.ended).code).toBe(0);
  });
});

describe('from the page to the agent and back', () => {
  test('a note is picked up by a waiting agent over stdio, and the page follows each step', async () => {
    await using server = await startParley(data);
    const stdio = spawnParley(['mcp', 'annotations', '--data', data]);
    const agent = stdioClient(stdio);
    const page = await pageOf(server);
    const watching = agent.call('watch_annotations');
    const id = await page.annotate('Make it blue');
    expect((await watching).result?.structuredContent).toMatchObject({
      status: 'annotations',
      annotations: [{ id }],
    });
    await agent.call('acknowledge', { id, message: 'On it' });
    const isIn = (status: string) => (got: { type: string; payload: unknown }) =>
      got.type === 'annotation:updated' && (got.payload as { annotation: Note }).annotation.status === status;
    await page.until(isIn('acknowledged'));
    await page.until((got) => got.type === 'presence' && got.payload.state === 'working');
    await agent.call('resolve', { id, summary: 'Blue now' });
    await page.until(isIn('resolved'));
    page.close();
    stdio.child.stdin.end();
    expect((await stdio.ended).code).toBe(0);
  });

  test('the doctor sees the token, the page and the agent', async () => {
    await using server = await startParley(data);
    const page = await pageOf(server);
    await callTool(server, 'list_sessions');
    const { stdout } = await runParley(['doctor', '--data', data, '--port', '0', '--json']);
    const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string; found: string }[] };
    const of = (name: string) => checks.find((check) => check.name === name);
    expect(of('page token')).toMatchObject({ state: 'ok', found: 'valid' });
    expect(of('page')).toMatchObject({ state: 'ok', found: '1 connected' });
    expect(of('agent')).toMatchObject({ state: 'ok' });
    page.close();
  });

  test('a waiting agent is answered with a timeout when the server stops', async () => {
    const server = await startParley(data);
    const page = await pageOf(server);
    const watching = callTool(server, 'watch_annotations', { timeoutMs: 300_000 });
    await page.until((got) => got.type === 'presence' && got.payload.state === 'watching');
    expect((await server.stop()).code).toBe(0);
    expect((await watching).body.result?.structuredContent).toEqual({ status: 'timeout' });
    expect(await page.closed).toBe(1001);
  });
});

describe('when processes end', () => {
  test('a page comes back to its session after a restart, and what was resolved stays resolved', async () => {
    const first = await startParley(data);
    const page = await pageOf(first);
    const clientId = randomUUID();
    const id = await page.annotate('Make it blue', clientId);
    const left = await page.annotate('And round');
    await callTool(first, 'resolve', { id });
    await first.stop('SIGKILL');
    await using second = await startParley(data);
    const again = await pageOf(second, page.ready.sessionToken);
    expect(again.ready.session.id).toBe(page.ready.session.id);
    expect(again.ready.annotations).toMatchObject([
      { id, status: 'resolved' },
      { id: left, status: 'pending' },
    ]);
    // A note that waited in the page while the server was gone may have arrived before.
    expect(await again.annotate('Make it blue', clientId)).toBe(id);
    expect(await pendingOf(second)).toHaveLength(1);
    again.close();
  });

  test('kill -9 during writes loses no acknowledged note, and the other process goes on', async () => {
    const doomed = await startParley(data);
    await using other = await startParley(data);
    const [dying, staying] = [await pageOf(doomed), await pageOf(other)];
    const acknowledged: string[] = [];
    const write = async (page: typeof dying, count: number) => {
      for (let index = 0; index < count; index += 1) acknowledged.push(await page.annotate(`Note ${index}`));
    };
    const killed = write(dying, 55).catch(() => 'cut off');
    await dying.until((got) => got.type === 'annotation:created' && got.payload.annotation.number === 20);
    await doomed.stop('SIGKILL');
    await killed;
    await write(staying, 20);
    // The news of a note may overtake its acknowledgement.
    expect(acknowledged.length).toBeGreaterThanOrEqual(19 + 20);
    const ids = new Set((await pendingOf(other)).map(({ id }) => id));
    for (const id of acknowledged) expect(ids.has(id), id).toBe(true);
    staying.close();
  });
});

describe('subscriptions', () => {
  test('a 2025 client hears of its resource once per change', async () => {
    await using server = await startParley(data);
    const page = await pageOf(server);
    const id = await page.annotate('Make it blue');
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
    const heard: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      heard.push(params.uri);
    });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(server.mcp), {
        requestInit: { headers: { authorization: `Bearer ${server.key}` } },
      }),
    );
    const uri = `parley://annotations/${id}`;
    await client.subscribeResource({ uri });
    await client.callTool({ name: 'acknowledge', arguments: { id } });
    await expect.poll(() => heard).toEqual([uri]);
    await client.callTool({ name: 'resolve', arguments: { id } });
    await expect.poll(() => heard).toEqual([uri, uri]);
    await client.close();
    page.close();
  });

  test('a 2026 client hears of its resource once per change, also from another process', async () => {
    await using server = await startParley(data);
    const page = await pageOf(server);
    const id = await page.annotate('Make it blue');
    const stdio = spawnParley(['mcp', 'annotations', '--data', data]);
    const lines = createInterface({ input: stdio.child.stdout })[Symbol.asyncIterator]();
    const nextMethod = async () => {
      const { method, params } = JSON.parse(String((await lines.next()).value)) as {
        method?: string;
        params?: { uri?: string };
      };
      return [method, params?.uri];
    };
    const uri = `parley://annotations/${id}`;
    const listen = message('s-1', 'subscriptions/listen', {
      notifications: { resourceSubscriptions: [uri] },
    });
    stdio.child.stdin.write(`${JSON.stringify(listen)}\n`);
    expect((await nextMethod())[0]).toBe('notifications/subscriptions/acknowledged');
    for (const tool of ['acknowledge', 'resolve']) {
      await callTool(server, tool, { id });
      expect(await nextMethod()).toEqual(['notifications/resources/updated', uri]);
    }
    page.close();
    stdio.child.stdin.end();
    await stdio.ended;
  });
});
