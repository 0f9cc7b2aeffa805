/** Virtual MCPs over real upstreams, with a restart in between: names, selection, documents, and what is listened to. */
import { serveWire } from '@parley/test-support/wire-upstream';
import { eventually } from '@parley/test-support/eventually';
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../product/parley.ts';
import { openListens } from './fixtures/listens.ts';
import type { GatewayServer } from './fixtures/server.ts';
import { startGatewayServer } from './fixtures/server.ts';

const LONG = 'a_name_of_a_tool_that_is_as_long_as_upstreams_like_them_'.padEnd(100, 'x');
const URIS = ['docs://a/b', 'docs://c', 'other://d'];

/** A server with these tools, and documents that say whose they are. */
async function upstreamOf(owner: string, tools: readonly string[]) {
  const { listen, uris } = openListens();
  const upstream = await serveWire({
    era: '2026',
    capabilities: { tools: {}, resources: { subscribe: true } },
    methods: {
      'tools/list': ({ result }) =>
        result({ tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })), ttlMs: 0 }),
      'tools/call': ({ message, result }) =>
        result({ content: [{ type: 'text', text: `${String(message.params?.['name'])} of ${owner}` }] }),
      'resources/list': ({ result }) =>
        result({ resources: URIS.map((uri) => ({ name: uri, uri })), ttlMs: 0 }),
      'resources/templates/list': ({ result }) => result({ resourceTemplates: [], ttlMs: 0 }),
      'resources/read': ({ message, result }) => {
        const uri = String(message.params?.['uri']);
        result({ contents: [{ uri, text: `${uri} of ${owner}` }], ttlMs: 0, cacheScope: 'private' });
      },
      'subscriptions/listen': listen,
    },
  });
  return {
    upstream,
    watched: () => uris().flat(),
  };
}

const member = (connection_id: string, more: object = {}) => ({ connection_id, ...more });

async function made(server: GatewayServer, title: string, ...connections: object[]): Promise<string> {
  const { item } = await server.manage('COLLECTION_VIRTUAL_MCP_CREATE', { data: { title, connections } });
  return `virtual-mcp/${item.id}`;
}

test('check 14, 15, 16, 17 and 31: names, selection and documents, before and after a restart', async () => {
  using folder = scratchFolder();
  const mail = await upstreamOf('mail', ['search', LONG, `${LONG.slice(0, 99)}y`]);
  const files = await upstreamOf('files', ['search', 'open']);
  let server = await startGatewayServer({ data: folder.path });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const ids = [
    await server.connect('Mail', mail.upstream.url),
    await server.connect('Files', files.upstream.url),
  ] as const;
  const both = await made(server, 'Both', member(ids[0]), member(ids[1]));
  const text = async (at: string, tool: string) =>
    (await server.call(at, tool)).json.result?.content[0].text ?? 'unknown';

  const names = await server.names(both);
  expect(names).toHaveLength(5);
  expect(new Set(names).size).toBe(5);
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  expect([await text(both, 'search'), await text(both, 'files_search')]).toEqual([
    'search of mail',
    'search of files',
  ]);
  const long = names.filter((name) => name.startsWith('a_name'));
  expect(new Set(await Promise.all(long.map((name) => text(both, name))))).toEqual(
    new Set([`${LONG} of mail`, `${LONG.slice(0, 99)}y of mail`]),
  );

  // Nothing of one member, everything of the other.
  const none = await made(server, 'None', member(ids[0], { selected_tools: [] }), member(ids[1]));
  expect(await server.names(none)).toEqual(['open', 'search']);
  expect(await text(none, LONG)).toBe('unknown');
  expect(await server.names(`${both}?mode=smart_tool_selection`)).toHaveLength(3);
  const outside = await server.call(`${none}?mode=smart_tool_selection`, 'GATEWAY_CALL_TOOL', { name: LONG });
  expect(outside.json.result._meta['dev.parley/code']).toBe('not_found');

  // Documents of the same address, both readable.
  const listed = async (at: string): Promise<string[]> =>
    (await server.ask(at, 'resources/list')).json.result.resources.map(({ uri }: { uri: string }) => uri);
  const read = async (at: string, uri: string) =>
    (await server.ask(at, 'resources/read', { uri })).json.result?.contents[0].text ?? 'unknown';
  const shown = await listed(both);
  expect(shown).toHaveLength(6);
  const said = await Promise.all(shown.map((uri) => read(both, uri)));
  expect(new Set(said)).toEqual(
    new Set(URIS.flatMap((uri) => ['files', 'mail'].map((owner) => `${uri} of ${owner}`))),
  );
  const docs = await made(server, 'Docs', member(ids[0], { selected_resources: ['docs://**'] }));
  expect(await listed(docs)).toEqual(['docs://a/b', 'docs://c']);
  expect(await read(docs, 'docs://a/b')).toBe('docs://a/b of mail');
  expect(await read(docs, 'other://d')).toBe('unknown');
  const stream = await server.listen(docs, { resourceSubscriptions: ['docs://a/b', 'other://d'] });
  await eventually(() => expect(mail.watched()).toEqual(['docs://a/b']));
  expect(files.watched()).toEqual([]);
  await stream.close();
  const client = await server.client(docs, 'legacy');
  await client.subscribeResource({ uri: 'docs://c' });
  await expect(client.subscribeResource({ uri: 'other://d' })).rejects.toMatchObject({ code: -32602 });
  await eventually(() => expect(mail.watched()).toEqual(['docs://c']));
  await client.close();
  await eventually(() => expect(mail.watched()).toEqual([]));

  await server[Symbol.asyncDispose]();
  server = await startGatewayServer({ data: folder.path });
  expect(await server.names(both)).toEqual(names);
  const id = both.split('/')[1];
  const data = { connections: [member(ids[1]), member(ids[0])] };
  await server.manage('COLLECTION_VIRTUAL_MCP_UPDATE', { id, data });
  expect(await server.names(both)).toEqual(names);
  expect(await text(both, 'search')).toBe('search of mail');
  await server.manage('COLLECTION_VIRTUAL_MCP_UPDATE', { id, data: { connections: [member(ids[1])] } });
  expect(await server.names(both)).toEqual(['files_search', 'open']);
  expect(await listed(both)).toHaveLength(3);
});
