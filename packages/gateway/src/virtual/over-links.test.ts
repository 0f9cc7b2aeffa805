/** Virtual MCPs over real links: servers of both eras behind one URL, for clients of both eras. */
import { createEgress } from '@parley/kit/egress';
import { serveWire } from '@parley/test-support/wire-upstream';
import type { WireScript } from '@parley/test-support/wire-upstream';
import { expect, onTestFinished, test } from 'vitest';
import { targetOf } from '../../test/links-bed.ts';
import { served, servedTool, startBed } from '../../test/scripted-links.ts';
import { openSession } from '../../test/session.ts';
import { startVirtualBed } from '../../test/virtual-bed.ts';
import { createLinks } from '../upstream/links.ts';

const echo = (era: '2026' | '2025'): WireScript => ({
  era,
  methods: {
    'tools/call': (turn) =>
      turn.result({
        content: [{ type: 'text', text: `${era} ${JSON.stringify(turn.message.params?.['arguments'])}` }],
      }),
    'resources/read': (turn) =>
      turn.result({ contents: [{ uri: String(turn.message.params?.['uri']), text: `page of ${era}` }] }),
  },
});

/** A virtual MCP of two connections, each to a server of its own. */
async function scene() {
  const egress = createEgress();
  const info = { name: 'parley', version: '0.0.0' };
  const links = createLinks({ egress, info, onFault: () => undefined });
  const servers = { conn_new: await serveWire(echo('2026')), conn_old: await serveWire(echo('2025')) };
  const targets = {
    conn_new: targetOf(servers.conn_new.url, { id: 'conn_new' }),
    conn_old: targetOf(servers.conn_old.url, { id: 'conn_old' }),
  };
  const isKnown = (name: string): name is keyof typeof targets => Object.hasOwn(targets, name);
  const upstreams = startBed({
    links,
    credentials: (_caller, connection) => {
      if (!isKnown(connection.id)) throw new Error('No test has it.');
      return { target: targets[connection.id] };
    },
  });
  const bed = await startVirtualBed({ connections: upstreams.gateway });
  const inputSchema = { type: 'object', properties: { q: { type: 'string' }, tenant: { type: 'string' } } };
  const resources = [{ uri: 'docs://page', name: 'page' }];
  const tools = [servedTool('search', { inputSchema }), servedTool('waiting', {}, 'held')];
  const capabilities = { tools: {}, resources: {} };
  const { organizationId } = bed.owner;
  await bed.store('conn_new', 'New');
  await bed.store('conn_old', 'Old');
  upstreams.give(
    organizationId,
    served('conn_new', { organizationId, era: null, title: 'New', tools, resources, capabilities }),
    served('conn_old', { organizationId, era: null, title: 'Old', tools, resources, capabilities }),
  );
  const overrides = { search: { fixed: { tenant: 'acme' } } };
  const connections = [{ connection_id: 'conn_new' }, { connection_id: 'conn_old', overrides }];
  onTestFinished(async () => {
    await bed[Symbol.asyncDispose]();
    await upstreams[Symbol.asyncDispose]();
    await links.close();
    await egress.close();
  });
  return { bed, upstreams, id: (await bed.made({ connections })).id };
}

test.each(['', '?mode=smart_tool_selection'])('a client of 2026 reaches both%s', async (query) => {
  const { bed, id } = await scene();
  const call = async (name: string, args: Record<string, unknown>) => {
    const answer =
      query === ''
        ? await bed.call({ id }, name, args)
        : await bed.call({ id, query }, 'GATEWAY_CALL_TOOL', { name, arguments: args });
    return answer.json.result;
  };
  expect((await call('search', { q: 'a' })).content[0].text).toBe('2026 {"q":"a"}');
  expect((await call('old_search', { q: 'a' })).content[0].text).toBe('2025 {"q":"a","tenant":"acme"}');
  expect((await call('waiting', {}))._meta['dev.parley/code']).toBe('quarantined');
  const read = async (uri: string) =>
    (await bed.send({ id, query }, 'resources/read', { uri })).json.result.contents;
  const alias = 'parley://old/docs%3A%2F%2Fpage';
  expect(await read('docs://page')).toEqual([{ uri: 'docs://page', text: 'page of 2026' }]);
  expect(await read(alias)).toEqual([{ uri: alias, text: 'page of 2025' }]);
});

test('a session of 2025 reaches both, and code does', async () => {
  const { bed, upstreams, id } = await scene();
  const to = { port: bed.gateway.port, key: bed.gateway.ownerKey, path: `/mcp/virtual-mcp/${id}` };
  const session = await openSession(to);
  const called = await session.request('tools/call', { name: 'old_search', arguments: {} });
  expect(called.json.result.content[0].text).toBe('2025 {"tenant":"acme"}');
  const coded = await openSession({ ...to, path: `${to.path}?mode=code_execution` });
  const code = 'export default async (tools) => [await tools.search({}), await tools.old_search({ q: "c" })]';
  const ran = await coded.request('tools/call', { name: 'GATEWAY_RUN_CODE', arguments: { code } });
  expect(ran.json.result.structuredContent).toEqual({
    returnValue: ['2026 {}', '2025 {"q":"c","tenant":"acme"}'],
    consoleLogs: [],
  });
  expect(bed.gateway.faults).toEqual([]);
  expect(upstreams.faults).toEqual([]);
});
