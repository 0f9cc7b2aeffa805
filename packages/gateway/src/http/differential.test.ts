/** What the hot path answers itself is, to the byte, what the SDK path answers for the same request. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { manyTools, labToolset } from '../../test/lab-tools.ts';
import type { TestGateway } from '../../test/start-gateway.ts';
import { startGateway } from '../../test/start-gateway.ts';
import type { Envelope, Message } from '@parley/test-support/wire';
import { modern, modernCall, sendModern } from '@parley/test-support/wire';
import { hotRequestOf } from './hot-request.ts';

let gateway: TestGateway;
let narrowKey: string;

beforeAll(async () => {
  // Two paths cannot share a random nonce, so the state is a fixed word here.
  const sealer = { seal: () => 'sealed', open: () => undefined };
  gateway = await startGateway({ sealer, toolsets: [labToolset, manyTools(1100)] });
  narrowKey = (await gateway.key({ lab: ['echo'] })).text;
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
});

const clientInfo = { 'io.modelcontextprotocol/clientInfo': { name: 'differ', version: '1' } };
const echo = (text: string, envelope?: Envelope) => modernCall('echo', { text }, envelope);

const corpus: Record<string, Message> = {
  'a good call': echo('hello'),
  'a call with a client name': echo('hello', { meta: clientInfo }),
  'a call with a trace': echo('hello', {
    meta: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
  }),
  'a call with a foreign meta key': echo('hello', { meta: { 'com.example/x': { y: [1] } } }),
  'a string id': echo('hello', { id: 'abc"\u2028ü' }),
  'an empty string id': echo('hello', { id: '' }),
  'the id zero': echo('hello', { id: 0 }),
  'a negative id': echo('hello', { id: -5 }),
  'the largest safe id': echo('hello', { id: Number.MAX_SAFE_INTEGER }),
  unicode: echo('Grüße \u{1F600} \u2028\u2029 \u0000 \u007f \\ "'),
  'a lone surrogate': echo('\ud800'),
  'an empty text': echo(''),
  'every kind of content': modernCall('kinds', {}),
  'a foreign result in another order': modernCall('odd', {}),
  'wrong arguments of a foreign tool': modernCall('odd', { size: 'big' }),
  'a text of its own': modernCall('typed', { count: 3, mode: 'fast' }),
  'a list': modern('tools/list'),
  'a list with a forged cursor': modern('tools/list', { cursor: Buffer.alloc(20).toString('base64url') }),
  'a list with a bad cursor': modern('tools/list', { cursor: '!!' }),
  'a list with an empty cursor': modern('tools/list', { cursor: '' }),
  'a list with a client name and a string id': modern('tools/list', {}, { id: 'l', meta: clientInfo }),
  'an unknown tool': modernCall('no_such_tool', {}),
  'a tool named like a property': modernCall('__proto__', {}),
  'an empty tool name': modernCall('', {}),
  'a tool error with data': modernCall('fail', {}),
  'wrong argument types': modernCall('typed', { count: 'three', mode: 'medium', where: { x: '1' } }),
  'a missing argument': modernCall('echo', {}),
  'an unknown argument': modernCall('echo', { text: 'a', more: 1 }),
  'no arguments where some are needed': modernCall('echo'),
  'no arguments where none are needed': modernCall('start'),
  'hostile keys': modernCall('open', JSON.parse('{"__proto__":{"polluted":1},"constructor":1,"toString":2}')),
  'output that breaks its schema': modernCall('broken', {}),
  'a fault of ours': modernCall('explode', {}),
  'a result that is too large': modernCall('large', {}),
  'a question to a client that cannot be asked': modernCall('ask', { topic: 'tea' }),
  'a question to a client with forms': modernCall(
    'ask',
    { topic: 'tea' },
    { capabilities: { elicitation: { form: {} } } },
  ),
  'a question to a client with bare elicitation': modernCall(
    'ask',
    { topic: 'tea' },
    { capabilities: { elicitation: {} } },
  ),
  'a question to a client with links only': modernCall(
    'ask',
    { topic: 'tea' },
    { capabilities: { elicitation: { url: {} } } },
  ),
  'unknown capabilities': echo('hello', {
    capabilities: { experimental: { x: {} }, extensions: { 'a/b': {} }, sampling: {} },
  }),
};

async function bothAnswers(message: Message, key: string, headers: Record<string, string> = {}) {
  const [hot, sdk] = [
    await sendModern({ port: gateway.port, key, headers }, message),
    await sendModern({ port: gateway.sdkPort, key, headers }, message),
  ];
  const seen = ({ status, headers: got, text }: typeof hot) => ({ status, type: got['content-type'], text });
  return { hot: seen(hot), sdk: seen(sdk) };
}

test.each(Object.entries(corpus))('%s is answered alike on both paths', async (_name, message) => {
  expect(hotRequestOf(JSON.parse(JSON.stringify(message)))).toBeDefined();
  const { hot, sdk } = await bothAnswers(message, gateway.ownerKey);
  expect(hot).toEqual(sdk);
});

test('a hidden tool is answered alike on both paths', async () => {
  const { hot, sdk } = await bothAnswers(modernCall('fail', {}), narrowKey);
  expect(hot).toEqual(sdk);
  expect(hot.text).toContain('Unknown tool: fail');
});

test.each([
  ['only JSON is accepted', { accept: 'application/json' }],
  ['nothing is said about what is accepted', { accept: '' }],
  ['anything is accepted', { accept: '*/*' }],
  ['only a stream is accepted', { accept: 'text/event-stream' }],
  ['a session id of the other era is sent along', { 'mcp-session-id': 'abc' }],
  ['the content type has a charset', { 'content-type': 'application/json; charset=utf-8' }],
])('both paths agree when %s', async (_name, headers) => {
  for (const message of [echo('hello'), modern('tools/list')]) {
    const { hot, sdk } = await bothAnswers(message, gateway.ownerKey, headers);
    expect(hot).toEqual(sdk);
  }
});

test('both paths agree on a list request that names a tool in its headers', async () => {
  const { hot, sdk } = await bothAnswers(modern('tools/list'), gateway.ownerKey, { 'mcp-name': 'echo' });
  expect(hot).toEqual(sdk);
});
