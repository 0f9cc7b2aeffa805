/** Connections at a glance and servers of clients' files, over HTTP and on both databases. */
import { expect, test } from 'vitest';
import { onBothMeshes } from '../../test/mesh-bed.ts';
import { http, made, newScene } from '../../test/scene.ts';
import { serveRoutes } from '../../test/serve-routes.ts';
import { upstreamTool } from '../../test/stand-ins.ts';

const reset: string[] = [];
const parts = {
  connectionHealth: {
    breakerOf: (id: string) => {
      if (id.startsWith('broken')) return 'open' as const;
      return id.startsWith('tried') ? ('half-open' as const) : ('closed' as const);
    },
    resetBreaker: (id: string) => {
      reset.push(id);
    },
    programWords: () => 'a last word',
  },
};

onBothMeshes(
  'routes of connections',
  (bed) => {
    async function stage() {
      const scene = await newScene(bed());
      const { url } = await serveRoutes(bed());
      const ask = async (key: string, path: string, body?: unknown) => {
        const answer = await fetch(`${url}/api/${path}`, {
          method: body === undefined ? 'GET' : 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        const text = await answer.text();
        // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
        const { data, error, pagination } = (text === '' ? {} : JSON.parse(text)) as Record<string, any>;
        return { status: answer.status, text, data, error, pagination };
      };
      return { ...scene, client: await scene.as(), ask };
    }

    test('come page by page, and only those that are asked for', async () => {
      const { client, ask, owner, upstream } = await stage();
      upstream.answer = { ok: false, status: 'unreachable', message: 'It could not be reached.' };
      const down = await made(client, http('Alpha down'));
      upstream.answer = { ok: true, tools: [upstreamTool('ONE')] };
      await made(client, http('Beta'));
      await made(client, http('Gamma', { connection_headers: { headers: { 'X-Api-Key': 'hush-123456' } } }));
      const titlesOf = (data: { title: string }[]) => data.map(({ title }) => title);
      const seen: string[] = [];
      let cursor: string | null = '';
      do {
        const { data, pagination } = await ask(
          owner.key,
          `connections?limit=2${cursor && `&cursor=${cursor}`}`,
        );
        expect(pagination.total).toBe(4);
        seen.push(...titlesOf(data));
        cursor = pagination.cursor as string | null;
      } while (cursor !== null);
      expect(seen.filter((title) => /^(Alpha|Beta|Gamma)/.test(title))).toEqual([
        'Alpha down',
        'Beta',
        'Gamma',
      ]);
      expect(seen).toHaveLength(4);
      for (const [query, titles] of [
        ['text=ALPHA%20reached', ['Alpha down']],
        ['health=error', ['Alpha down']],
        ['health=attention&type=HTTP&limit=1', ['Alpha down']],
        [`ids=${down.id},conn_of_nobody`, ['Alpha down']],
        ['text=hush', []],
        ['ids=', []],
      ] as const)
        expect(titlesOf((await ask(owner.key, `connections?${query}`)).data), query).toEqual(titles);
      const nextOf = async (path: string) => (await ask(owner.key, path)).pagination;
      const first = await nextOf('connections?text=upstream&limit=2');
      const second = await nextOf(`connections?text=upstream&limit=2&cursor=${first.cursor}`);
      expect([first.total, second.total, second.cursor]).toEqual([3, 3, null]);
      for (const bad of ['x', 'W10', Buffer.from('["a\\u0000","b",1]').toString('base64url')])
        expect((await ask(owner.key, `connections?cursor=${bad}`)).status, bad).toBe(400);
    });

    test('tell how each does and why, what waits, what it costs, and who uses it', async () => {
      const { client, ask, owner, stranger, upstream } = await stage();
      const headers = { headers: { 'X-Api-Key': 'hush-hush-12345678' } };
      const web = await made(client, http('Web', { connection_headers: headers }));
      const broken = `broken-${web.id.slice(-8)}`;
      upstream.answer = { ok: false, status: 'unreachable', message: 'It could not be reached.' };
      await made(client, http('Down <b>', { id: broken }));
      upstream.answer = {
        ok: true,
        tools: [upstreamTool('ALPHA'), upstreamTool('BETA'), upstreamTool('GAMMA')],
      };
      expect((await ask(owner.key, `connections/${web.id}/refresh`, {})).status).toBe(200);
      const tried = `tried-${web.id.slice(-8)}`;
      await made(client, http('Tried again', { id: tried }));
      const { item: virtual } = await client.call('COLLECTION_VIRTUAL_MCP_CREATE', {
        data: { title: 'Both', connections: [{ connection_id: web.id, selected_tools: ['ALPHA', 'OMEGA'] }] },
      });

      const { status, data, text } = await ask(owner.key, 'connections');
      expect(status).toBe(200);
      const byId = new Map((data as { id: string }[]).map((each) => [each.id, each]));
      expect(byId.get(web.id)).toMatchObject({
        title: 'Web',
        status: 'active',
        reason: null,
        breaker: 'closed',
        tools: 3,
        held: 1,
        pinning: 'strict',
        place: 'https://upstream.example/mcp',
        usedBy: [{ id: virtual.id, title: 'Both' }],
        tokens: expect.any(Number),
      });
      expect(byId.get(broken)).toMatchObject({
        title: 'Down <b>',
        status: 'error',
        reason: 'It could not be reached.',
        failedWith: 'unreachable',
        breaker: 'open',
        tools: 0,
        tokens: 0,
      });
      expect(byId.get(tried)).toMatchObject({ status: 'degraded', reason: null, breaker: 'half-open' });
      expect([...byId.values()].filter((each) => 'isSelf' in each && each.isSelf)).toHaveLength(1);
      expect(text).not.toContain('hush');
      expect((await ask(stranger.key, 'connections')).text).not.toContain(web.id);

      const glances = await ask(owner.key, 'virtual-mcps');
      expect(glances.data).toEqual([
        expect.objectContaining({
          id: virtual.id,
          members: [{ id: web.id, title: 'Web' }],
          tools: 1,
          ownTools: 0,
          collisions: 0,
          notes: ['"Web" has no tool "OMEGA" now.'],
        }),
      ]);
      expect(glances.pagination).toEqual({ cursor: null, hasMore: false, total: 1 });
      for (const title of ['Able', 'Zoo'])
        await client.call('COLLECTION_VIRTUAL_MCP_CREATE', { data: { title, connections: [] } });
      const pages: string[][] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page = await ask(owner.key, `virtual-mcps?limit=2${cursor && `&cursor=${cursor}`}`);
        expect(page.pagination.total).toBe(3);
        pages.push(page.data.map(({ title }: { title: string }) => title));
        cursor = page.pagination.cursor as string | null;
      }
      expect(pages).toEqual([['Able', virtual.title], ['Zoo']]);
      const fitting = async (query: string, key = owner.key) => {
        const { data, pagination } = await ask(key, `virtual-mcps?${query}`);
        return [data.map(({ title }: { title: string }) => title), pagination.total];
      };
      expect(await fitting('text=WEB')).toEqual([[virtual.title], 1]);
      expect(await fitting('has=notes&limit=1')).toEqual([[virtual.title], 1]);
      expect(await fitting('state=inactive')).toEqual([[], 0]);
      expect(await fitting('state=active&limit=1')).toEqual([['Able'], 3]);
      expect(await fitting(`id=${virtual.id}`)).toEqual([[virtual.title], 1]);
      expect(await fitting(`id=${virtual.id}`, stranger.key)).toEqual([[], 0]);
      expect((await ask(owner.key, 'virtual-mcps?cursor=x')).status).toBe(400);
      const { data: described } = await ask(owner.key, `virtual-mcps/${virtual.id}/tools`);
      expect(described.members).toMatchObject([
        {
          title: 'Web',
          status: 'active',
          tools: [
            { name: 'ALPHA', isSelected: true, isHeld: false },
            { name: 'BETA', isSelected: false, isHeld: false },
            { name: 'GAMMA', isSelected: false, isHeld: true },
          ],
        },
      ]);
      expect((await ask(stranger.key, `virtual-mcps/${virtual.id}/tools`)).status).toBe(404);
      expect((await ask(owner.key, `virtual-mcps/${web.id}/tools`)).status).toBe(404);
    });

    test('show what a program wrote to administrators, and reset a breaker for whoever may change it', async () => {
      const { client, ask, owner, join } = await stage();
      const member = await join(['member']);
      const { id } = await made(client, http('Web'));
      expect((await ask(owner.key, `connections/${id}/log`)).data).toEqual({ text: 'a last word' });
      expect((await ask(member.key, `connections/${id}/log`)).status).toBe(403);
      expect((await ask(owner.key, 'connections/nobody/log')).status).toBe(404);
      reset.length = 0;
      expect((await ask(member.key, `connections/${id}/reset`, {})).status).toBe(403);
      expect((await ask(owner.key, 'connections/nobody/reset', {})).status).toBe(404);
      expect((await ask(owner.key, `connections/${id}/reset`, {})).status).toBe(204);
      expect(reset).toEqual([id]);
    });

    const TEXT = JSON.stringify({
      mcpServers: {
        plain: { url: 'https://plain.example/mcp', headers: { Authorization: 'Bearer ${TOKEN}' } },
        open: { url: 'https://open.example/mcp' },
        program: { command: 'node', args: ['x.js'], env: { KEY: '${TOKEN}' } },
        off: { url: 'https://off.example', disabled: true },
        odd: { type: 'ws', url: 'wss://odd.example' },
      },
    });

    test('make connections of the servers in the JSON of a client, and start no program', async () => {
      const { ask, owner, join, upstream, client } = await stage();
      const outcomes = (data: { servers: { name: string; outcome: string }[] }) =>
        Object.fromEntries(data.servers.map(({ name, outcome }) => [name, outcome]));
      const dry = await ask(owner.key, 'connections/import', { text: TEXT, dryRun: true });
      expect(outcomes(dry.data)).toEqual({
        plain: 'needs_values',
        open: 'would_add',
        program: 'failed',
        off: 'skipped',
        odd: 'failed',
      });
      expect(dry.data.servers[0].needs).toEqual([
        { name: 'TOKEN', description: 'TOKEN', isSecret: true, fallback: null },
      ]);
      expect(dry.data.servers[2].reason).toContain('This server starts no programs.');
      expect(upstream.asked).toEqual([]);
      const inner = { text: JSON.stringify({ mcpServers: { inner: { url: 'http://10.0.0.7:81/mcp' } } }) };
      const allowed = await ask(owner.key, 'connections/import', { ...inner, allowPrivate: true });
      expect(outcomes(allowed.data)).toEqual({ inner: 'added' });
      expect(upstream.asked.at(-1)?.target.allow).toEqual(['10.0.0.7:81']);
      await client.call('COLLECTION_CONNECTIONS_DELETE', { id: allowed.data.servers[0].id });
      upstream.asked.length = 0;

      const values = { TOKEN: 'typed-by-hand-123456' };
      const done = await ask(owner.key, 'connections/import', { text: TEXT, values });
      expect(outcomes(done.data)).toEqual({
        plain: 'added',
        open: 'added',
        program: 'failed',
        off: 'skipped',
        odd: 'failed',
      });
      expect(done.text).not.toContain('typed-by-hand');
      expect(done.data.servers[2].reason).toContain('This server starts no programs.');
      expect(done.data.servers[0]).toMatchObject({ tools: 2, place: 'https://plain.example/mcp' });
      const asked = upstream.asked.find(({ target }) => target.url === 'https://plain.example/mcp');
      expect(asked?.target.headers).toEqual({ Authorization: 'Bearer typed-by-hand-123456' });
      expect(upstream.asked.every(({ target }) => target.type === 'HTTP')).toBe(true);

      // A variable of this server is nobody's business, whatever the text asks for.
      const path = { mcpServers: { spy: { url: 'https://spy.example/${PATH}' } } };
      const spy = await ask(owner.key, 'connections/import', { text: JSON.stringify(path) });
      expect(spy.data.servers[0]).toMatchObject({ outcome: 'needs_values' });

      const only = ['open'];
      const again = await ask(owner.key, 'connections/import', { text: TEXT, only });
      expect(again.data.servers).toMatchObject([{ outcome: 'skipped' }]);
      const replaced = await ask(owner.key, 'connections/import', { text: TEXT, only, replace: true });
      expect(replaced.data.servers).toMatchObject([{ outcome: 'replaced' }]);
      const { totalCount } = await client.call('COLLECTION_CONNECTIONS_LIST', {});
      expect(totalCount).toBe(2);

      upstream.isStdioAllowed = true;
      upstream.commands = ['npx'];
      const program = { text: TEXT, values, only: ['program'] };
      for (const more of [{ dryRun: true }, {}]) {
        const named = await ask(owner.key, 'connections/import', { ...program, ...more });
        expect(named.data.servers).toMatchObject([{ outcome: 'failed' }]);
        expect(named.data.servers[0].reason).toContain('--allow-command (PARLEY_ALLOW_COMMAND)');
      }
      expect(upstream.asked.every(({ target }) => target.type === 'HTTP')).toBe(true);

      const member = await join(['member']);
      expect((await ask(member.key, 'connections/import', { text: TEXT, dryRun: true })).status).toBe(403);
      for (const text of ['{"mcpServers":', '[]', '{"theme":"dark"}']) {
        const refused = await ask(owner.key, 'connections/import', { text });
        expect([refused.status, refused.error.message.startsWith('The text ')]).toEqual([400, true]);
      }
    });
  },
  () => ({ parts }),
);
