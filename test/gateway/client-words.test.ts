/** Words that a client chooses freely, with characters that no header carries: calls work, and nobody pays for them. */
import { encodeHeaderValue } from '@parley/kit';
import { eventually } from '@parley/test-support/eventually';
import type { McpUpstream } from '@parley/test-support/mcp-upstream';
import { startUpstream } from '@parley/test-support/mcp-upstream';
import { startOpenApiService } from '@parley/test-support/openapi-service';
import { modern, modernHeaders, send } from '@parley/test-support/wire';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openSession } from '../../packages/gateway/test/session.ts';
import type { GatewayServer } from './fixtures/server.ts';
import { startGatewayServer } from './fixtures/server.ts';

const UNFIT = ['\n', 'a\r\nx-evil: 1', '\0', 'ключ', '☃', '💥', '\u007f', ' '];
const TRACE = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
const NO_TRACES = [
  `${TRACE}\n`,
  `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`,
  `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01`,
  `ff${TRACE.slice(2)}`,
  TRACE.toUpperCase(),
  'ключ',
];
const TOOL = {
  name: 'työ_ключ',
  inputSchema: { type: 'object', properties: { said: { type: 'string', 'x-mcp-header': 'Said' } } },
};
/** Its bytes are no ASCII, and pass as they are. */
const WHO = 'caf\u00e9 \u00ff';
const MAPPED = { metadata: { gateway: { mappedHeader: { from: 'x-who', to: 'x-whom' } } } };

let server: GatewayServer;

beforeAll(async () => {
  server = await startGatewayServer();
});

afterAll(() => server[Symbol.asyncDispose]());

async function upstreamOf(era: '2026' | '2025' | 'sse'): Promise<{ upstream: McpUpstream; id: string }> {
  const upstream = await startUpstream({ era, tools: [TOOL] });
  onTestFinished(() => upstream[Symbol.asyncDispose]());
  const type = era === 'sse' ? 'SSE' : 'HTTP';
  const id = await server.connect(`Upstream of ${era}`, upstream.url, { connection_type: type, ...MAPPED });
  return { upstream, id };
}

/** Calls a tool with words of the client's own in every place that it has. */
async function call(
  id: string,
  tool: string,
  words: string,
  {
    traceparent = words,
    args = {},
  }: { traceparent?: string; args?: { said?: string; 'X-Trace'?: string } } = {},
) {
  const meta = { traceparent, progressToken: words };
  const message = { ...modern('tools/call', { name: tool, arguments: args }, { meta }), id: words };
  const { port, key } = server;
  return send({
    port,
    key,
    path: `/mcp/${id}`,
    headers: {
      ...modernHeaders(message),
      'mcp-name': encodeHeaderValue(tool),
      ...(args.said !== undefined && { 'mcp-param-said': encodeHeaderValue(args.said) }),
      'x-who': WHO,
    },
    body: JSON.stringify(message),
  });
}

const isOk = (text: string) => expect(text).toContain('"text":"done"');

describe.each(['2026', '2025', 'sse'] as const)('an upstream of %s', (era) => {
  test('is called whatever the id, the token, the trace, the arguments and the mapped header are', async () => {
    const { upstream, id } = await upstreamOf(era);
    for (const words of UNFIT) isOk((await call(id, TOOL.name, words, { args: { said: words } })).text);
    expect(upstream.calls).toHaveLength(UNFIT.length);
    const sent = upstream.seen.filter(({ body }) => body.includes('tools/call'));
    const ids = sent.map(({ headers }) => headers['x-request-id']);
    expect(new Set(ids).size).toBe(UNFIT.length);
    for (const one of ids) expect(one).toMatch(/^[\w-]{36}$/);
    for (const { headers } of sent) {
      expect(headers['traceparent']).toBeUndefined();
      expect(headers['x-evil']).toBeUndefined();
      expect(Buffer.from(String(headers['x-whom']), 'latin1').toString()).toBe(WHO);
    }
  });

  test('gets a trace that is one, and no other', async () => {
    const { upstream, id } = await upstreamOf(era);
    for (const traceparent of [...NO_TRACES, TRACE])
      isOk((await call(id, TOOL.name, 'x', { traceparent })).text);
    const sent = upstream.seen.filter(({ body }) => body.includes('tools/call'));
    expect(sent.map(({ headers }) => headers['traceparent'])).toEqual([
      ...NO_TRACES.map(() => undefined),
      TRACE,
    ]);
    expect(sent.filter(({ body }) => body.includes('traceparent'))).toHaveLength(1);
  });

  test('is called for sessions of 2025 with such ids, and by the plain route with such a trace', async () => {
    const { id } = await upstreamOf(era);
    const session = await openSession({ port: server.port, key: server.key, path: `/mcp/${id}` });
    for (const words of UNFIT) {
      const params = { name: TOOL.name, arguments: {}, _meta: { traceparent: words } };
      isOk((await session.request('tools/call', params, words)).text);
    }
    const headers = { traceparent: 'caf\u00e9' };
    const plain = await server.plain(id, TOOL.name, {}, { headers });
    expect(plain.status).toBe(200);
  });
});

test('a service of OpenAPI is called alike, and refuses by its arguments what no header carries', async () => {
  const service = await startOpenApiService();
  onTestFinished(() => service[Symbol.asyncDispose]());
  const data = { connection_type: 'OPENAPI', ...MAPPED };
  const id = await server.connect('Service', `${service.origin}/openapi.json`, data);
  await eventually(async () => expect(await server.names(id)).toContain('listPets'));
  for (const words of UNFIT) {
    const { json } = await call(id, 'listPets', words);
    expect(json.result.isError).not.toBe(true);
  }
  for (let times = 0; times < 6; times += 1) {
    const { json } = await call(id, 'listPets', 'x', { args: { 'X-Trace': '☃\n' } });
    expect(json.result._meta['dev.parley/code']).toBe('invalid');
  }
  expect((await call(id, 'listPets', 'x')).json.result.isError).not.toBe(true);
  for (const { headers } of service.calls()) expect(headers['x-request-id']).toMatch(/^[\w-]{36}$/);
});
