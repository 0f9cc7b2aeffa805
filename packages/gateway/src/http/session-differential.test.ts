/** What a hot call of a 2025 session is answered is, to the byte, what the SDK answers: it gets the same message as a batch of one. */
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { defineOutsideTool, defineToolFor, defineToolset } from '@parley/kit';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { openStream } from '../../test/event-stream.ts';
import type { Lab } from '../../test/lab-tools.ts';
import { labToolset } from '../../test/lab-tools.ts';
import type { Session } from '../../test/session.ts';
import { initialize, openSession } from '../../test/session.ts';
import type { TestGateway } from '../../test/start-gateway.ts';
import { startGateway } from '../../test/start-gateway.ts';
import type { Answer } from '@parley/test-support/wire';
import { open, send } from '@parley/test-support/wire';
import { sessionCallOf } from './session-request.ts';

const defineTool = defineToolFor<Lab>();

const telling = defineTool({
  name: 'telling',
  title: 'Telling',
  description: 'Says two things before it answers, and lets go of its stream if told to.',
  effect: 'read',
  input: z.object({ release: z.boolean().optional().describe('Whether to let go') }),
  output: z.object({ ok: z.boolean() }),
  async run({ release }, ctx) {
    await ctx.log('info', { at: 1 });
    await ctx.log('debug', 'two');
    if (release === true) ctx.releaseStream();
    return { ok: true };
  },
});

const long = defineTool({
  name: 'long',
  title: 'Long',
  description: 'Answers with more than leaves at once.',
  effect: 'read',
  input: z.object({}),
  output: z.object({ text: z.string() }),
  run: () => ({ text: 'ü'.repeat(100_000) }),
});

const numbers = defineOutsideTool({
  name: 'numbers',
  title: 'Numbers',
  description: 'A foreign tool whose data is no object.',
  effect: 'read',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'array', items: { type: 'integer' } },
  call: () => ({ content: [], structuredContent: [1, 2] }),
});

const extras = defineToolset({ name: 'extras', title: 'Extras', tools: [telling, long, numbers] });

let gateway: TestGateway;
let to: { port: number; key: string };
let session: Session;

beforeAll(async () => {
  gateway = await startGateway({ toolsets: [labToolset, extras] });
  to = { port: gateway.port, key: gateway.ownerKey };
  session = await openSession(to);
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
});

/** A way to send a message: as it is, or so that it is no hot call. */
type Way = (message: object) => unknown;
const hot: Way = (message) => message;
const sdk: Way = (message) => [message];

const call = (name: string, args?: object, more: object = {}, id: string | number = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, ...(args !== undefined && { arguments: args }), ...more },
});
const echo = (text: string, more?: object, id?: string | number) => call('echo', { text }, more, id);

const corpus: Record<string, ReturnType<typeof call>> = {
  'a good call': echo('hello'),
  'a call with a trace': echo('hello', {
    _meta: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
  }),
  'a call with a foreign meta key': echo('hello', { _meta: { 'com.example/x': { y: [1] } } }),
  'a string id': echo('hello', {}, 'abc"\u2028ü'),
  'an empty string id': echo('hello', {}, ''),
  'the id zero': echo('hello', {}, 0),
  'a negative id': echo('hello', {}, -5),
  unicode: echo('Grüße \u{1F600} \u2028\u2029 \u0000 \u007f \\ "'),
  'a lone surrogate': echo('\ud800'),
  'every kind of content': call('kinds', {}),
  'a foreign result in another order': call('odd', {}),
  'wrong arguments of a foreign tool': call('odd', { size: 'big' }),
  'foreign data that is no object': call('numbers', {}),
  'a text of its own': call('typed', { count: 3, mode: 'fast' }),
  'an unknown tool': call('no_such_tool', {}),
  'a tool named like a property': call('__proto__', {}),
  'a tool error with data': call('fail', {}),
  'wrong argument types': call('typed', { count: 'three', mode: 'medium', where: { x: '1' } }),
  'no arguments where some are needed': call('echo'),
  'no arguments where none are needed': call('start'),
  'hostile keys': call('open', JSON.parse('{"__proto__":{"polluted":1},"constructor":1,"toString":2}')),
  'output that breaks its schema': call('broken', {}),
  'a fault of ours': call('explode', {}),
  'a long result': call('long', {}),
  'a result that is too large': call('large', {}),
  'a question to a client that cannot be asked': call('ask', { topic: 'tea' }),
  'messages before the answer': call('telling', {}),
  'messages, and a stream that is let go': call('telling', { release: true }),
};

const post = (way: Way, message: object, { headers }: Pick<Session, 'headers'> = session) =>
  send({ ...to, headers, body: JSON.stringify(way(message)) });

const COMPARED = ['content-type', 'cache-control', 'connection', 'x-accel-buffering', 'mcp-session-id'];

/** What must be the same: stream and place of an event are its own. */
function seen({ status, headers, text }: Answer) {
  const named = text.replace(/^id: [0-9a-f-]{36}~\d+$/gm, 'id: EVENT');
  return { status, headers: COMPARED.map((name) => headers[name]), text: named };
}

/** The newest record, without what differs from call to call. */
async function recorded() {
  const { id: _id, at: _at, durationUs: _duration, ...record } = (await gateway.records()).at(-1) ?? {};
  return record;
}

test.each(Object.entries(corpus))('%s is answered and recorded alike', async (_name, message) => {
  expect(sessionCallOf(session.headers, JSON.parse(JSON.stringify(message)))).toBeDefined();
  const here = { ...seen(await post(hot, message)), record: await recorded() };
  const there = { ...seen(await post(sdk, message)), record: await recorded() };
  expect(here).toEqual(there);
  expect(here.status).toBe(200);
});

test.each([
  ['the version of an older client', { 'mcp-protocol-version': '2025-06-18' }],
  ['no version', { 'mcp-protocol-version': undefined }],
  ['a version that nobody knows', { 'mcp-protocol-version': '2020-01-01' }],
  ['labels for the record', { 'x-parley-properties': '{"team":"a"}', 'x-parley-client': 'a label' }],
  ['only JSON accepted', { accept: 'application/json' }],
  ['another type of content', { 'content-type': 'text/plain' }],
  ['a charset', { 'content-type': 'application/json; charset=utf-8' }],
])('with %s both agree', async (_name, changed) => {
  const given = Object.entries({ ...session.headers, ...changed });
  const headers = Object.fromEntries(
    given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const here = { ...seen(await post(hot, echo('hi'), { headers })), record: await recorded() };
  expect(here).toEqual({ ...seen(await post(sdk, echo('hi'), { headers })), record: await recorded() });
});

test('a client that has not said that it is ready is answered alike', async () => {
  const opened = await initialize(to);
  const headers = { ...session.headers, 'mcp-session-id': String(opened.headers['mcp-session-id']) };
  expect(seen(await post(hot, echo('hi'), { headers }))).toEqual(
    seen(await post(sdk, echo('hi'), { headers })),
  );
});

test('a usual call does not reach the transport of the SDK', async () => {
  using handled = vi.spyOn(NodeStreamableHTTPServerTransport.prototype, 'handleRequest');
  expect((await post(hot, echo('hi'))).json.result.structuredContent).toEqual({ text: 'hi' });
  expect(handled).not.toHaveBeenCalled();
  await post(sdk, echo('hi'));
  expect(handled).toHaveBeenCalledOnce();
});

test('a question in the middle of a call is asked and answered alike', async () => {
  const talk = async (way: Way) => {
    const asked = await openSession(to, { elicitation: {} });
    const body = JSON.stringify(way(call('ask', { topic: 'tea' })));
    const stream = await openStream({ ...to, headers: asked.headers, body });
    const question = await stream.next();
    const result = { action: 'accept', content: { name: 'Ann' } };
    const said = await post(hot, { jsonrpc: '2.0', id: question.id, result }, asked);
    return [stream.status, question, said.status, await stream.next(), await stream.next()];
  };
  const here = await talk(hot);
  expect(here).toEqual(await talk(sdk));
  expect(here[3]).toMatchObject({ result: { structuredContent: { said: 'Ann on tea' } } });
});

test('the end of a session ends its calls alike', async () => {
  const end = async (way: Way) => {
    const own = await openSession(to);
    const answer = post(way, call('wait', {}), own);
    const signal = await gateway.lab.waiting.take();
    await own.end();
    const { headers: _own, ...rest } = seen(await answer);
    return { ...rest, isAborted: signal.aborted, reason: signal.reason, record: await recorded() };
  };
  const here = await end(hot);
  expect(here).toEqual(await end(sdk));
  expect(here).toMatchObject({ status: 200, isAborted: true, reason: { code: 'CONNECTION_CLOSED' } });
});

test('a call whose client has left at once goes on until its session ends', async () => {
  gateway.faults.length = 0;
  const own = await openSession(to);
  const req = open({ ...to, headers: own.headers, body: JSON.stringify(call('wait', {})) });
  req.on('error', () => undefined);
  const signal = await gateway.lab.waiting.take();
  await new Promise((resolve) => {
    req.once('close', resolve);
    req.destroy();
  });
  expect((await post(hot, echo('hi'), own)).status).toBe(200);
  expect(signal.aborted).toBe(false);
  await own.end();
  expect(signal.aborted).toBe(true);
  expect(gateway.faults).toEqual([]);
});
