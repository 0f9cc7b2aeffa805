/** Sessions of 2025 and waiting calls of 2026, on two servers without sticky balancing. */
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { InputRequest } from '@parley/kit';
import { eventually } from '@parley/test-support/eventually';
import { listening } from '@parley/test-support/listening';
import { modern, modernCall, modernHeaders, send, sendModern } from '@parley/test-support/wire';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openStream } from '../../test/event-stream.ts';
import type { ReplicaPair } from '../../test/replica-pair.ts';
import { startPair } from '../../test/replica-pair.ts';
import { served, servedTool, text } from '../../test/scripted-links.ts';
import type { Session } from '../../test/session.ts';
import { openSession } from '../../test/session.ts';
import type { LinkRequest } from '../upstream/link.ts';
import { PASS_HEADER } from './pass.ts';

const NOT_FOUND = { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } };

let pair: ReplicaPair;
let first: { port: number; key: string };
let second: { port: number; key: string };

beforeEach(async () => {
  pair = await startPair();
  first = { port: pair.one.gateway.port, key: pair.one.gateway.ownerKey };
  second = { port: pair.two.gateway.port, key: pair.one.gateway.ownerKey };
});
afterEach(async () => {
  const faults = [...pair.one.gateway.faults, ...pair.two.gateway.faults];
  await pair[Symbol.asyncDispose]();
  expect(faults).toEqual([]);
});

/** Sends a message of a session to one of the two. */
function post(to: { port: number; key: string }, { headers }: Session, message: object) {
  return send({ ...to, headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
}

const ECHO = { id: 7, method: 'tools/call', params: { name: 'echo', arguments: { text: 'Grüße' } } };

test('a list that begins at one goes on at the other', async () => {
  const { organizationId } = pair.one.gateway.owner;
  const tools = Array.from({ length: 1_500 }, (_, at) => servedTool(`tool_${at}`));
  for (const { bed } of [pair.one, pair.two])
    bed.give(organizationId, served('conn_long', { organizationId, tools }));
  const page = async (to: typeof first, params: Record<string, unknown> = {}) =>
    (await sendModern({ ...to, path: '/mcp/conn_long' }, modern('tools/list', params))).json.result;
  const { tools: begin, nextCursor } = await page(first);
  const { tools: rest, ...last } = await page(second, { cursor: nextCursor });
  expect(last).not.toHaveProperty('nextCursor');
  const names = [...begin, ...rest].map(({ name }: { name: string }) => name);
  expect(names).toEqual(tools.map(({ definition: { name } }) => name).toSorted());
});

describe('a session', () => {
  test('is served by the one that opened it, whichever is asked', async () => {
    const session = await openSession(first);
    expect(session.id).toMatch(/^[\x21-\x7e]+$/);
    const here = await post(first, session, ECHO);
    const there = await post(second, session, ECHO);
    expect([there.status, there.headers['content-type'], there.json]).toEqual([
      here.status,
      here.headers['content-type'],
      here.json,
    ]);
    expect(pair.one.gateway.lab.ran).toHaveLength(2);
    expect(pair.two.gateway.lab.ran).toEqual([]);
    expect((await post(second, session, { method: 'notifications/initialized' })).status).toBe(202);
  });

  test('hears of changes over a stream through the other, and ends through it', async () => {
    const session = await openSession(first);
    const stream = await openStream({ ...second, method: 'GET', headers: session.headers });
    expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream']);
    const { organizationId } = pair.one.gateway.owner;
    pair.one.bed.give(organizationId, served('conn_new', { organizationId }));
    expect(await stream.next()).toMatchObject({ method: 'notifications/tools/list_changed' });
    expect((await send({ ...second, method: 'DELETE', headers: session.headers })).status).toBe(200);
    expect(await stream.next()).toBeUndefined();
    for (const to of [first, second]) expect((await post(to, session, ECHO)).json).toEqual(NOT_FOUND);
  });

  test('is asked in the middle of a call on one, and answers on the other', async () => {
    const session = await openSession(first, { elicitation: {} });
    const body = { id: 3, method: 'tools/call', params: { name: 'ask', arguments: { topic: 'tea' } } };
    const call = await openStream({
      ...second,
      headers: session.headers,
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    });
    const question = await call.next();
    expect(question).toMatchObject({ method: 'elicitation/create' });
    const result = { action: 'accept', content: { name: 'Ada' } };
    expect((await post(first, session, { id: question.id, result })).status).toBe(202);
    expect(await call.next()).toMatchObject({ id: 3, result: expect.anything() });
  });

  test('of one that leaves is gone for what is new, while the call that it runs gets its answer', async () => {
    const session = await openSession(first, { elicitation: {} });
    const body = { id: 3, method: 'tools/call', params: { name: 'ask', arguments: { topic: 'tea' } } };
    const call = await openStream({
      ...second,
      headers: session.headers,
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    });
    const question = await call.next();
    await pair.one.replicas.retire();
    await eventually(async () => expect((await post(second, session, ECHO)).json).toEqual(NOT_FOUND));
    expect((await openStream({ ...second, method: 'GET', headers: session.headers })).status).toBe(404);
    const result = { action: 'accept', content: { name: 'Ada' } };
    expect((await post(second, session, { id: question.id, result })).status).toBe(202);
    expect(await call.next()).toMatchObject({ id: 3, result: { structuredContent: { said: 'Ada on tea' } } });
  });

  test('a client that leaves the other one is seen to leave', async () => {
    const session = await openSession(first);
    const stream = await openStream({ ...second, method: 'GET', headers: session.headers });
    // A session has one such stream, and a second is refused while it is open.
    const again = () => openStream({ ...second, method: 'GET', headers: session.headers });
    expect((await again()).status).toBe(409);
    await stream.close();
    await eventually(async () => {
      const opened = await again();
      expect(opened.status).toBe(200);
      await opened.close();
    });
  });

  test('of another key is not found, and one of a revoked key ends', async () => {
    const mine = await pair.one.gateway.key({ lab: ['*'] });
    const session = await openSession({ ...first, key: mine.text });
    expect((await post(second, session, ECHO)).json).toEqual(NOT_FOUND);
    expect((await post({ ...second, key: mine.text }, session, ECHO)).status).toBe(200);
    await pair.one.gateway.identity.revokeKey(pair.one.gateway.owner, mine.id);
    await eventually(async () =>
      expect((await post({ ...second, key: mine.text }, session, ECHO)).status).toBe(401),
    );
    expect((await post(second, session, ECHO)).json).toEqual(NOT_FOUND);
  });

  test('of one that left is not found at once, streams end, and ids of nobody are alike', async () => {
    const session = await openSession(first);
    const stream = await openStream({ ...second, method: 'GET', headers: session.headers });
    await pair.one.end();
    expect(await stream.next()).toBeUndefined();
    expect((await post(second, session, ECHO)).json).toEqual(NOT_FOUND);
    for (const id of [`AAAAAAAAAAAA.${'A'.repeat(22)}`, 'A'.repeat(22), '.', 'x'.repeat(500)]) {
      const headers = { ...session.headers, 'mcp-session-id': id };
      expect((await post(second, { ...session, headers }, ECHO)).json, id).toEqual(NOT_FOUND);
    }
  });

  test('of one that died without a word is not found', async () => {
    const id = 'deaddeaddead';
    await addRow(id, 'http://127.0.0.1:1');
    const session = await openSession(first);
    const headers = { ...session.headers, 'mcp-session-id': `${id}.${'A'.repeat(22)}` };
    expect((await post(second, { ...session, headers }, ECHO)).json).toEqual(NOT_FOUND);
  });

  test('of one that breaks off is told so, and nothing is sent a second time', async () => {
    const seen: string[] = [];
    const { id, session } = await impostor((_headers, url) => seen.push(url));
    const answer = await post(second, session, ECHO);
    expect(id).toHaveLength(12);
    expect([answer.status, seen]).toEqual([503, ['/mcp']]);
    expect(answer.json.error.message).toContain('outcome is unknown');
  });
});

describe('what goes between replicas', () => {
  test('has no credential of the client, and a pass that is worth nothing elsewhere', async () => {
    let sent: IncomingHttpHeaders = {};
    const { session } = await impostor((headers) => {
      sent = headers;
    });
    const cookie = { cookie: 'a=b', origin: `http://127.0.0.1:${second.port}`, 'x-own': 'kept' };
    await post(second, { ...session, headers: { ...session.headers, ...cookie } }, ECHO);
    expect(sent).toMatchObject({ 'x-own': 'kept', 'mcp-session-id': session.headers['mcp-session-id'] });
    expect(JSON.stringify(sent)).not.toContain(first.key);
    for (const name of ['authorization', 'cookie', 'origin']) expect(sent).not.toHaveProperty(name);
    const pass = String(sent[PASS_HEADER]);
    // Without a key, at either of them, it opens nothing.
    for (const { port } of [first, second]) {
      const headers = { ...session.headers, [PASS_HEADER]: pass };
      const replayed = await send({ port, headers, body: JSON.stringify({ jsonrpc: '2.0', ...ECHO }) });
      expect(replayed.status).toBe(401);
    }
    expect(pair.one.gateway.lab.ran).toEqual([]);
  });

  test('the way for waiting calls is not there for anybody else', async () => {
    const headers = { 'content-type': 'application/json', [PASS_HEADER]: 'e30.AAAA' };
    const at = { path: '/mcp/replicas/parked', headers, body: '{}' };
    expect((await send({ port: first.port, ...at })).status).toBe(401);
    const known = await send({ ...first, ...at });
    const unknown = await send({ ...first, ...at, path: '/mcp/nothing/there' });
    expect([known.status, known.text]).toEqual([unknown.status, unknown.text]);
  });

  test('a request that says that it comes from a replica goes no further', async () => {
    const session = await openSession(first);
    const headers = { ...session.headers, [PASS_HEADER]: 'made up' };
    expect((await post(second, { ...session, headers }, ECHO)).json).toEqual(NOT_FOUND);
    expect((await post(first, { ...session, headers }, ECHO)).status).toBe(200);
  });
});

describe('a call that waits for an answer', () => {
  const question: InputRequest = {
    method: 'elicitation/create',
    params: { message: 'Name?', requestedSchema: { type: 'object', properties: {} } },
  };
  const capabilities = { elicitation: {} };
  let signals: AbortSignal[];

  beforeEach(() => {
    signals = [];
    for (const { gateway, bed } of [pair.one, pair.two]) {
      const { organizationId } = gateway.owner;
      const tools = [{ ...servedTool('work'), hash: 'h' }];
      bed.give(organizationId, served('conn_1', { organizationId, era: 'legacy', tools }));
      bed.answer = asks;
    }
  });

  /** Asks twice, and tells how far it is in between. */
  async function asks({ onAsk, onProgress, signal }: LinkRequest) {
    signals.push(signal);
    if (onAsk === undefined) throw new Error('Nobody can be asked.');
    const answers = [await onAsk(question, signal)];
    onProgress?.(1, 2, 'half');
    answers.push(await onAsk(question, signal));
    return text(JSON.stringify(answers));
  }

  const at = (to: { port: number; key: string }) => ({ ...to, path: '/mcp/conn_1' });

  interface Asked {
    readonly requestState: string;
    readonly inputRequests: Readonly<Record<string, unknown>>;
  }

  function answering({ requestState, inputRequests }: Asked, name: string) {
    const [key = ''] = Object.keys(inputRequests);
    const inputResponses = { [key]: { action: 'accept', content: { name } } };
    const params = { name: 'work', arguments: {}, requestState, inputResponses };
    return modern('tools/call', params, { capabilities, meta: { progressToken: 'p' } });
  }

  async function begin(): Promise<Asked> {
    const meta = { progressToken: 'p' };
    const { json } = await sendModern(at(first), modernCall('work', {}, { capabilities, meta }));
    expect(json.result).toMatchObject({ resultType: 'input_required' });
    return json.result;
  }

  test('goes on where it waits, through as many rounds and either of them', async () => {
    const asked = await begin();
    const again = await sendModern(at(second), answering(asked, 'Ada'));
    expect(again.json.result).toMatchObject({ resultType: 'input_required' });
    expect(again.text).toContain('"half"');
    const done = await sendModern(at(second), answering(again.json.result, 'Bob'));
    expect(JSON.parse(done.json.result.content[0].text)).toMatchObject([
      { content: { name: 'Ada' } },
      { content: { name: 'Bob' } },
    ]);
    expect([pair.one.bed.sent.length, pair.two.bed.sent.length]).toEqual([1, 0]);
    expect(pair.one.bed.gateway.parked.size).toBe(0);
    const used = await sendModern(at(first), answering(again.json.result, 'Bob'));
    expect(used.json.error).toMatchObject({ code: -32602, message: 'Invalid or expired requestState' });
  });

  test('is ended at its server when the client leaves the other one', async () => {
    pair.one.bed.answer = async ({ onAsk, onProgress, signal }) => {
      signals.push(signal);
      await onAsk?.(question, signal);
      onProgress?.(1, 2, 'half');
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    };
    const message = answering(await begin(), 'Ada');
    const headers = modernHeaders(message);
    const waiting = await openStream({ ...at(second), headers, body: JSON.stringify(message) });
    expect(await waiting.next()).toMatchObject({ method: 'notifications/progress' });
    expect(signals[0]?.aborted).toBe(false);
    await waiting.close();
    await eventually(() => expect(signals[0]?.aborted).toBe(true));
  });

  test('is lost with the one that it waits on: the outcome is unknown, and nothing is repeated', async () => {
    const asked = await begin();
    await pair.one.end();
    const { json } = await sendModern(at(second), answering(asked, 'Ada'));
    expect(json.result).toMatchObject({
      isError: true,
      _meta: { 'dev.parley/code': 'unavailable', 'dev.parley/data': { outcome: 'unknown' } },
    });
    expect(pair.two.bed.sent).toEqual([]);
    const records = await pair.two.gateway.records();
    expect(records.map(({ code }) => code)).toEqual(['input_required', 'unavailable']);
  });

  test('is not found by another key', async () => {
    const asked = await begin();
    const other = await pair.one.gateway.key({ '*': ['*'] });
    const { json } = await sendModern({ ...at(second), key: other.text }, answering(asked, 'Ada'));
    expect(json.error).toMatchObject({ code: -32602, message: 'Invalid or expired requestState' });
    expect(pair.one.bed.gateway.parked.size).toBe(1);
  });
});

interface Tables {
  replicas: { id: string; address: string; renewed_at: number; state: string };
}

async function addRow(id: string, address: string): Promise<void> {
  const row = { id, address, renewed_at: Date.now(), state: 'serving' };
  await pair.store.db<Tables>().insertInto('replicas').values(row).execute();
}

/** A replica that reads requests and breaks off, and a session that would be on it. */
async function impostor(see: (headers: IncomingHttpHeaders, url: string) => void) {
  const server = createServer((req, res) => {
    see(req.headers, req.url ?? '');
    req.resume();
    req.on('end', () => res.destroy());
  });
  const at = await listening(server);
  onTestFinished(() => at[Symbol.asyncDispose]());
  const id = 'impostor0000';
  await addRow(id, at.url);
  const opened = await openSession(first);
  const headers = { ...opened.headers, 'mcp-session-id': `${id}.${'A'.repeat(22)}` };
  return { id, session: { ...opened, headers } };
}
