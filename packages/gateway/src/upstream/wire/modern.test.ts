/** What links promise about servers of 2026-07-28. */
import { paramHeadersOf } from '@parley/kit';
import { serveWire } from '@parley/test-support/wire-upstream';
import { describe, expect, test } from 'vitest';
import { callOf, faultOf, linksBed, targetOf } from '../../../test/links-bed.ts';

const META = 'io.modelcontextprotocol/';

describe('a request', () => {
  test('stands alone, with its envelope and its headers', async () => {
    const server = await serveWire({ era: '2026' });
    const { link, eras } = linksBed();
    const capabilities = { elicitation: { form: {} } };
    const params = {
      name: 'wörld',
      arguments: { region: 'ä', level: 3, on: true },
      _meta: { 'example.com/own': 1, progressToken: 'theirs', [`${META}clientInfo`]: 'theirs' },
    };
    const properties = {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      level: { type: 'integer', 'x-mcp-header': 'Level' },
      on: { type: 'boolean', 'x-mcp-header': 'On' },
      none: { type: 'string', 'x-mcp-header': 'None' },
    };
    const paramHeaders = paramHeadersOf({ type: 'object', properties });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const result = await link(server.url, { token: 't0ken' }).request(
      callOf({}, { params, capabilities, paramHeaders, requestId: 'req-1', traceparent }),
    );
    expect(result).toMatchObject({ resultType: 'complete', content: [{ type: 'text' }] });
    const { message, headers } = server.heard.at(-1) ?? {};
    expect(message?.params?._meta).toEqual({
      [`${META}protocolVersion`]: '2026-07-28',
      [`${META}clientCapabilities`]: capabilities,
      [`${META}clientInfo`]: { name: 'parley', version: '0.0.0' },
      'example.com/own': 1,
      traceparent,
    });
    expect(headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': `=?base64?${Buffer.from('wörld').toString('base64')}?=`,
      'mcp-param-region': `=?base64?${Buffer.from('ä').toString('base64')}?=`,
      'mcp-param-level': '3',
      'mcp-param-on': 'true',
      authorization: 'Bearer t0ken',
      'x-request-id': 'req-1',
      traceparent,
    });
    expect(headers).not.toHaveProperty('mcp-param-none');
    expect(headers).not.toHaveProperty('mcp-session-id');
    expect(eras).toEqual(['conn_test modern']);
    expect(server.of('server/discover')).toHaveLength(1);
  });

  test('has the headers of the connection last, but for those of the protocol', async () => {
    const server = await serveWire({ era: '2026' });
    const { link } = linksBed();
    const headers = {
      Authorization: 'Basic own',
      'X-Request-Id': 'own',
      Host: 'evil.test',
      'Content-Length': '1',
      'Transfer-Encoding': 'chunked',
      Connection: 'close',
      'MCP-Method': 'evil',
      'Mcp-Session-Id': 'evil',
      'X-Parley-Hops': '9',
      'X-Team': 'red',
    };
    const mapped = { 'x-team': 'blue', 'x-key': 'k' };
    await link(server.url, { headers, token: 't', era: 'modern' }).request(
      callOf({}, { headers: mapped, requestId: 'ours' }),
    );
    const seen = server.heard.at(-1)?.headers;
    expect(seen).toMatchObject({
      authorization: 'Basic own',
      'x-request-id': 'own',
      host: server.host,
      'mcp-method': 'tools/call',
      'x-team': 'blue',
      'x-key': 'k',
    });
    expect(seen).not.toHaveProperty('mcp-session-id');
    expect(seen?.['x-parley-hops']).toMatch(/^1\.[\w-]{43}$/);
  });

  test('tells progress and messages before its result, and only its own', async () => {
    const server = await serveWire({
      era: '2026',
      methods: {
        'tools/call': (turn) => {
          const token = turn.message.params?._meta?.progressToken;
          const progress = (progressToken: unknown, done: number) =>
            turn.event({
              method: 'notifications/progress',
              params: { progressToken, progress: done, total: 2, message: 'on' },
            });
          const log = (level: string) =>
            turn.event({ method: 'notifications/message', params: { level, data: level, logger: 'lab' } });
          progress(token, 1);
          progress('other', 7);
          log('debug');
          log('error');
          turn.result({ content: [] });
        },
      },
    });
    const { link } = linksBed();
    const told: unknown[] = [];
    const result = await link(server.url).request(
      callOf(
        {},
        {
          onProgress: (...progress) => told.push(progress),
          log: { level: 'warning', on: (...words) => told.push(words) },
        },
      ),
    );
    expect(result).toEqual({ resultType: 'complete', content: [] });
    expect(told).toEqual([
      [1, 2, 'on'],
      ['error', 'error', 'lab'],
    ]);
    expect(server.of('tools/call')[0]?.params?._meta).toMatchObject({ [`${META}logLevel`]: 'warning' });
  });

  test('passes on questions and tasks as they came', async () => {
    const asking = {
      resultType: 'input_required',
      inputRequests: { a: { method: 'roots/list' } },
      requestState: 's',
    };
    const server = await serveWire({ era: '2026', methods: { 'tools/call': (turn) => turn.result(asking) } });
    expect(await linksBed().link(server.url).request(callOf())).toEqual(asking);
  });

  test('that is cancelled closes its answer, and rejects with the reason', async () => {
    const closed = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const server = await serveWire({
      era: '2026',
      methods: {
        'tools/call': async (turn) => {
          arrived.resolve();
          await turn.closed;
          closed.resolve();
        },
      },
    });
    const cancel = new AbortController();
    const call = linksBed()
      .link(server.url)
      .request(callOf({}, { signal: cancel.signal }));
    await arrived.promise;
    const reason = new Error('gone');
    cancel.abort(reason);
    await expect(call).rejects.toBe(reason);
    await closed.promise;
    expect(server.of('notifications/cancelled')).toEqual([]);
  });

  test('does not cross with others that are equal', async () => {
    const waiting: (() => void)[] = [];
    const server = await serveWire({
      era: '2026',
      methods: {
        'tools/call': (turn) => {
          waiting.push(() => turn.result({ content: [], canary: turn.headers['x-request-id'] }));
          if (waiting.length === 20) for (const answer of waiting.toReversed()) answer();
        },
      },
    });
    const { links } = linksBed();
    const target = targetOf(server.url);
    const canaries = Array.from({ length: 20 }, (_each, index) => `canary-${index}`);
    const results = await Promise.all(
      canaries.map((requestId) => links.of(target).request(callOf({ same: 1 }, { requestId }))),
    );
    expect(results.map(({ canary }) => canary)).toEqual(canaries);
  });
});

describe('what a server says about itself', () => {
  test('is asked once, also by many at once', async () => {
    const server = await serveWire({ era: '2026' });
    const { link } = linksBed();
    const all = await Promise.all([
      link(server.url).facts(),
      link(server.url).facts(),
      link(server.url).facts(),
    ]);
    expect(all[0]).toEqual({
      era: 'modern',
      protocolVersion: '2026-07-28',
      capabilities: { tools: {} },
      info: { name: 'wire', version: '1.0.0' },
      instructions: 'Be kind.',
    });
    expect(new Set(all).size).toBe(1);
    expect(server.of('server/discover')).toHaveLength(1);
  });

  test('is asked again after a day, and for other credentials', async () => {
    const server = await serveWire({ era: '2026' });
    let now = 0;
    const { link } = linksBed({ now: () => now });
    await link(server.url).facts();
    await link(server.url, { token: 'other' }).facts();
    expect(server.of('server/discover')).toHaveLength(2);
    now = 24 * 60 * 60_000;
    await link(server.url).facts();
    expect(server.of('server/discover')).toHaveLength(3);
  });
});

describe('the era', () => {
  test('that is stored is believed, so that a call is one request', async () => {
    const server = await serveWire({ era: '2026' });
    await linksBed().link(server.url, { era: 'modern' }).request(callOf());
    expect(server.heard.map(({ message }) => message.method)).toEqual(['tools/call']);
  });

  test.each([
    ['2025', 'modern', 'legacy'],
    ['2026', 'legacy', 'modern'],
  ] as const)('of a server that became one of %s is found out anew', async (era, stored, found) => {
    const server = await serveWire({
      era,
      fault: ({ method, body, headers }, response) => {
        const isForeign = era === '2025' && method === 'POST' && headers['mcp-method'] !== undefined;
        if (!isForeign || !body.includes('tools/call')) return false;
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'No session' } }),
        );
        return true;
      },
    });
    const { link, eras } = linksBed();
    const result = await link(server.url, { era: stored }).request(callOf({ once: 1 }));
    expect(result).toMatchObject({ content: [{ text: '{"once":1}' }] });
    expect(eras).toEqual([`conn_test ${found}`]);
    expect(server.of('tools/call')).toHaveLength(1);
  });

  test('that is wrong is noticed by whoever asks about the server too', async () => {
    const server = await serveWire({ era: '2026' });
    expect(await linksBed().link(server.url, { era: 'legacy' }).facts()).toMatchObject({ era: 'modern' });
  });

  test('of what is no MCP server is not remembered', async () => {
    const server = await serveWire({
      era: '2026',
      fault: (_request, response) => {
        response.writeHead(404).end('nothing here');
        return true;
      },
    });
    const { link, eras } = linksBed();
    expect(await faultOf(link(server.url).facts())).toMatchObject({ kind: 'invalid_result' });
    expect(eras).toEqual([]);
  });
});
