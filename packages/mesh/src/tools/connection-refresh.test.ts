/** How connections are kept fresh: what replaces a catalog, when upstreams are asked, and that one process does it, on both databases. */
import type { Discovery, Refresher } from '@parley/connections';
import {
  askConnection,
  CONNECTIONS_CHANGED,
  createRefresher,
  keepPersonalToken,
  saveToken,
  servedConnections,
} from '@parley/connections';
import { eventually } from '@parley/test-support/eventually';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { MeshBed } from '../../test/mesh-bed.ts';
import { onBothMeshes } from '../../test/mesh-bed.ts';
import type { MeshProcess } from '../../test/mesh-process.ts';
import { http, made, newScene } from '../../test/scene.ts';
import { upstreamTool } from '../../test/stand-ins.ts';

const SKILL = {
  uri: 'skill://s/SKILL.md',
  frontmatter: { name: 's', description: 'Does s.' },
  resources: 'dynamic' as const,
};

const MINUTE = 60_000;
const DOWN = { ok: false, status: 'unreachable', message: 'The server is unreachable.' } as const;
const tools = (...names: string[]) => ({ ok: true as const, tools: names.map((name) => upstreamTool(name)) });

/** A refresher of one process that asks only the connections of one organization. */
function refresherOf(
  bed: MeshBed,
  organizationId: string,
  changes: { process?: MeshProcess; discover?: (id: string) => Promise<Discovery | undefined> } = {},
) {
  const { store, events, host } = changes.process ?? bed;
  const asked: string[] = [];
  const faults: unknown[] = [];
  const ask = (id: string) =>
    askConnection({ store, upstream: host.upstream }, { organizationId, userId: null }, id);
  const refresher = createRefresher({
    store,
    events,
    now: () => bed.clock.nowMs,
    random: () => 0.5,
    onFault: (error) => faults.push(error),
    async discover(organization, id) {
      if (organization !== organizationId) return undefined;
      asked.push(id);
      return (changes.discover ?? ask)(id);
    },
  });
  onTestFinished(() => refresher.stop());
  return { refresher, asked, faults };
}

onBothMeshes('the refresh of connections', (bed, replica) => {
  const pass = (ms: number) => {
    bed().clock.nowMs += ms;
  };

  async function stage(data: object = {}, first: Discovery = tools('ALPHA', 'BETA')) {
    const scene = await newScene(bed());
    scene.upstream.answer = first;
    const client = await scene.as();
    const { id } = await made(client, http('Web', data));
    const served = async () => {
      const [first] = await servedConnections(scene.store, scene.own);
      return first!;
    };
    const names = async () => (await served()).tools.map(({ definition }) => definition.name);
    /** Lets the time pass after which everything is due, and asks. */
    const look = async (refresher: Refresher, ms = 6 * MINUTE) => {
      pass(ms);
      await refresher.look();
    };
    return { ...scene, client, id, served, names, look };
  }

  test.each<[string, Discovery]>([
    ['is down', DOWN],
    ['answers 401', { ok: false, status: 'auth_required', message: 'The server answered 401.' }],
    ['answers no JSON', { ok: false, status: 'invalid_protocol', message: 'It is no MCP server.' }],
    ['takes too long', { ok: false, status: 'timeout', message: 'It did not answer in time.' }],
  ])('check 12: an upstream that %s leaves what is known, until it is back', async (_name, failure) => {
    const { upstream, own, served, names, look, id } = await stage();
    const { refresher } = refresherOf(bed(), own);
    const before = await served();
    expect(before).toMatchObject({ status: 'active', degraded: null, isKnown: true });
    upstream.answer = failure;
    await look(refresher);
    const since = new Date(bed().clock.nowMs).toISOString();
    const status = failure.ok || failure.status !== 'auth_required' ? 'degraded' : 'needs_reauth';
    const message = failure.ok ? '' : failure.message;
    expect(await served()).toMatchObject({ id, status, degraded: { reason: message, since } });
    expect(await names()).toEqual(['ALPHA', 'BETA']);
    await look(refresher);
    // It goes on for as long as it has failed, not since the last time.
    expect((await served()).degraded).toEqual({ reason: message, since });
    upstream.answer = tools('ALPHA', 'BETA');
    await look(refresher);
    const { version: _before, ...known } = before;
    const { version: _after, ...back } = await served();
    expect(back).toEqual(known);
  });

  test('check 12: a list that lost all its tools is believed when it is seen again after 30 s', async () => {
    const { upstream, own, served, names, look, client, id } = await stage();
    const { refresher } = refresherOf(bed(), own);
    upstream.answer = tools();
    await look(refresher);
    expect(await names()).toEqual(['ALPHA', 'BETA']);
    expect(await served()).toMatchObject({
      status: 'degraded',
      degraded: { reason: expect.stringContaining('no tools') as unknown },
    });
    // Once is a mishap.
    upstream.answer = tools('ALPHA', 'BETA');
    await look(refresher, 40_000);
    expect(await served()).toMatchObject({ status: 'active', degraded: null });
    upstream.answer = tools();
    await look(refresher);
    // Asked for by hand too early, it counts as the same mishap.
    pass(10_000);
    await client.call('COLLECTION_CONNECTIONS_UPDATE', { id, data: { title: 'Asked again' } });
    expect(await names()).toEqual(['ALPHA', 'BETA']);
    await look(refresher, 35_000);
    expect(await names()).toEqual([]);
    expect(await served()).toMatchObject({ status: 'active', degraded: null });
  });

  test('all kinds are kept, and what was not asked for stays as it is', async () => {
    const { upstream, own, served, look } = await stage();
    const { refresher } = refresherOf(bed(), own);
    const server = {
      era: 'modern',
      protocolVersion: '2026-07-28',
      capabilities: { tools: {} },
      info: null,
      instructions: 'Use it well.',
    } as const;
    upstream.answer = {
      ...tools('ALPHA', 'BETA'),
      resources: [{ uri: 'docs://a', name: 'a' }],
      templates: [{ uriTemplate: 'docs://{id}', name: 't' }],
      prompts: [{ name: 'P' }],
      skills: [SKILL],
      server,
      dropped: [{ kind: 'tools', name: 'X', reason: 'No schema.' }],
      ttlMs: null,
    };
    const whole = {
      era: 'modern',
      instructions: 'Use it well.',
      capabilities: { tools: {} },
      resources: [{ uri: 'docs://a', name: 'a' }],
      templates: [{ uriTemplate: 'docs://{id}', name: 't' }],
      prompts: [{ name: 'P' }],
      skills: [{ definition: SKILL, state: 'held' }],
    };
    await look(refresher);
    expect(await served()).toMatchObject(whole);
    upstream.answer = tools('ALPHA', 'BETA');
    await look(refresher);
    expect(await served()).toMatchObject(whole);
  });

  test('an equal answer is no news: the same version, the same object, and no signal', async () => {
    const { store, own, served, look, upstream } = await stage();
    const { refresher, asked } = refresherOf(bed(), own);
    const before = await served();
    const told: (string | null)[] = [];
    onTestFinished(store.signal.subscribe(CONNECTIONS_CHANGED, ({ payload }) => told.push(payload)));
    await look(refresher);
    expect(asked).toHaveLength(1);
    expect(await servedConnections(store, own, [before])).toEqual([before]);
    expect((await servedConnections(store, own, [before]))[0]).toBe(before);
    expect(told.filter((payload) => payload === own)).toEqual([]);
    upstream.answer = tools('ALPHA');
    await look(refresher);
    await eventually(() => expect(told).toContain(own));
    const [after] = await servedConnections(store, own, [before]);
    expect(after?.version).not.toBe(before.version);
  });

  test.each<[string, Discovery, number, number]>([
    ['that answers', tools('ALPHA', 'BETA'), 4 * MINUTE, 6 * MINUTE],
    ['that says how long it holds', { ...tools('ALPHA', 'BETA'), ttlMs: 90_000 }, 25_000, 100_000],
    ['that is down', DOWN, 25_000, 35_000],
    ['that has to be authorised', { ...DOWN, status: 'auth_required' }, 4 * MINUTE, 6 * MINUTE],
  ])('an upstream %s is asked again in its time', async (_name, answer, tooEarly, due) => {
    const { upstream, own, look } = await stage();
    upstream.answer = answer;
    const { refresher, asked } = refresherOf(bed(), own);
    // Whoever made it has asked already.
    await refresher.look();
    expect(asked).toHaveLength(0);
    await look(refresher);
    expect(asked).toHaveLength(1);
    await look(refresher, tooEarly);
    expect(asked).toHaveLength(1);
    await look(refresher, due - tooEarly);
    expect(asked).toHaveLength(2);
  });

  test('one that is switched off is not asked, until it is switched on again', async () => {
    const { own, client, id, look, served } = await stage();
    const { refresher, asked } = refresherOf(bed(), own);
    await client.call('COLLECTION_CONNECTIONS_UPDATE', { id, data: { status: 'inactive' } });
    await look(refresher);
    expect(asked).toEqual([]);
    expect(await served()).toMatchObject({ status: 'inactive' });
    await client.call('COLLECTION_CONNECTIONS_UPDATE', { id, data: { status: 'active' } });
    await refresher.look();
    expect(asked).toEqual([id]);
    expect(await served()).toMatchObject({ status: 'active' });
  });

  test('one that is switched off is asked by nobody: not by its change, by hand, or by what it announced before', async () => {
    const { own, client, id, look, served, upstream } = await stage();
    const gate = Promise.withResolvers<Discovery>();
    const { refresher, asked } = refresherOf(bed(), own, { discover: () => gate.promise });
    const discovered = () => upstream.asked.filter(({ what }) => what === 'discover').length;
    pass(2_000);
    refresher.start();
    refresher.announce(id);
    await eventually(() => expect(asked).toEqual([id]));
    // It is told in the middle of the reading, and waits for its turn.
    refresher.announce(id);
    const before = discovered();
    await client.call('COLLECTION_CONNECTIONS_UPDATE', { id, data: { status: 'inactive' } });
    gate.resolve(DOWN);
    await eventually(async () => expect((await served()).degraded).not.toBeNull());
    await look(refresher);
    // It could not be read just now, and its address is another: both are looked at when it is on again.
    const data = { connection_url: 'https://moved.example/mcp' };
    await client.call('COLLECTION_CONNECTIONS_UPDATE', { id, data });
    await look(refresher);
    expect(asked).toEqual([id]);
    expect(discovered()).toBe(before);
    const { store, host } = bed();
    expect(
      await askConnection({ store, upstream: host.upstream }, { organizationId: own, userId: null }, id),
    ).toBe(undefined);
    expect(discovered()).toBe(before);
    expect(await served()).toMatchObject({ status: 'inactive' });
    upstream.answer = tools('ALPHA', 'MOVED');
    await client.call('COLLECTION_CONNECTIONS_UPDATE', { id, data: { status: 'active' } });
    const after = refresherOf(bed(), own);
    await after.refresher.look();
    expect(await served()).toMatchObject({ status: 'active', degraded: null });
    expect((await served()).tools.map(({ definition }) => definition.name)).toEqual(['ALPHA', 'MOVED']);
  });

  test('where there is nobody in whose name it could be asked, everything stays', async () => {
    const { own, look, served, upstream } = await stage({ metadata: { gateway: { oauth: 'personal' } } });
    const { refresher, asked } = refresherOf(bed(), own);
    upstream.answer = DOWN;
    const before = upstream.asked.length;
    await look(refresher);
    expect(asked).toHaveLength(1);
    expect(upstream.asked).toHaveLength(before);
    expect(await served()).toMatchObject({ status: 'active', degraded: null });
    await refresher.look();
    expect(asked).toHaveLength(1);
  });

  test("tokens of users: the maker's is asked with, nobody else's, and what is refused to one says nothing of others", async () => {
    const { own, look, served, upstream, id, client, owner, store } = await stage();
    const { refresher } = refresherOf(bed(), own);
    const now = () => bed().clock.nowMs;
    const give = (userId: string, access: string) =>
      saveToken({ store, now }, { organizationId: own, connectionId: id, userId }, { access });
    await give('usr_other', 'token-of-another');
    const before = upstream.asked.length;
    await look(refresher);
    expect(upstream.asked).toHaveLength(before);
    upstream.answer = { ...DOWN, status: 'auth_required' };
    const data = { connection_url: 'https://upstream.example/other' };
    await client.call('COLLECTION_CONNECTIONS_UPDATE', { id, data });
    expect(upstream.asked.at(-1)?.target).toMatchObject({ token: null, principal: '' });
    expect(await served()).toMatchObject({ status: 'active', degraded: null });
    upstream.answer = tools('ALPHA', 'BETA', 'MINE');
    await give(owner.userId, 'token-of-the-maker');
    await look(refresher);
    expect(upstream.asked.at(-1)?.target).toMatchObject({ token: 'token-of-the-maker' });
    expect((await served()).tools).toHaveLength(3);
  });

  describe('what a server says back of the credentials that it was asked with', () => {
    const personal = {
      metadata: { gateway: { personalToken: { header: 'X-Api-Key', template: '{token}' } } },
    };

    /** A connection that a member with a token of their own asks. */
    async function asking(token: string, first?: Discovery) {
      const place = await stage(personal, first);
      const { own: organizationId, store, id, upstream, served } = place;
      const now = bed().clock.nowMs;
      const owner = { organizationId, connectionId: id, userId: 'usr_member' };
      await store.transaction((tx) => keepPersonalToken(tx, store.secrets, owner, { token, now }));
      const ask = () =>
        askConnection({ store, upstream: bed().host.upstream }, { organizationId, userId: 'usr_member' }, id);
      const { refresher, faults } = refresherOf(bed(), organizationId, { discover: ask });
      return {
        async read(answer: Discovery) {
          upstream.answer = answer;
          await place.look(refresher);
          expect(faults).toEqual([]);
          expect(upstream.asked.at(-1)?.target.headers).toEqual({ 'X-Api-Key': token });
          return served();
        },
      };
    }

    const known = (): Discovery => ({ ...tools('ALPHA', 'BETA'), server: SERVER, dropped: [] });
    const SERVER = {
      era: 'legacy',
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      info: { name: 'server', version: '1' },
      instructions: 'Use it well.',
    } as const;

    test.each([
      'A',
      'true',
      '1',
      '12345',
      '"',
      'ALPHA',
      'Does ALPHA',
      'object',
      'inputSchema',
      'legacy',
      'server',
    ])('the token %s of a member changes nothing of what all are shown', async (token) => {
      const { read } = await asking(token);
      const { tools: first, ...rest } = await read(known());
      expect(first.map(({ definition, state }) => [definition, state])).toEqual(
        ['ALPHA', 'BETA'].map((name) => [upstreamTool(name), 'approved']),
      );
      expect(rest).toMatchObject({ era: 'legacy', status: 'active', degraded: null });
      expect((await read(known())).tools).toEqual(first);
    });

    test('is cut out of texts, and what has it in its name is left out with the reason', async () => {
      const token = 'search_docs_12';
      const { read } = await asking(token);
      const schema = {
        type: 'object',
        properties: { a: { type: 'string', description: `a ${token}`, maxLength: 12, const: [token] } },
      };
      const argument = { type: 'object', properties: { [token]: {} } };
      const words = { title: `x${token}`, description: `${token}: ${token}` };
      const {
        tools: served,
        resources,
        instructions,
        dropped,
      } = await read({
        ok: true,
        tools: [
          ...tools('ALPHA', `my_${token}`).tools,
          upstreamTool('BETA', { ...words, inputSchema: schema, _meta: { [token]: 1, a: 2 } }),
          upstreamTool('GAMMA', { inputSchema: argument }),
        ],
        server: { ...SERVER, instructions: `You are ${token}.` },
        resources: [
          { uri: 'doc://a', name: 'a', description: token },
          { uri: `doc://${token}`, name: 'b' },
        ],
        dropped: [{ kind: 'prompts', name: token, reason: `${token} is none` }],
      });
      expect(served.map(({ definition }) => definition)).toEqual([
        upstreamTool('ALPHA'),
        {
          name: 'BETA',
          title: 'x[secret]',
          description: '[secret]: [secret]',
          inputSchema: {
            type: 'object',
            properties: {
              a: { type: 'string', description: 'a [secret]', maxLength: 12, const: ['[secret]'] },
            },
          },
          _meta: { a: 2 },
        },
      ]);
      expect(instructions).toBe('You are [secret].');
      expect(resources).toEqual([{ uri: 'doc://a', name: 'a', description: '[secret]' }]);
      const reason = expect.stringContaining('a credential of') as string;
      expect(dropped).toEqual([
        { kind: 'tools', name: 'my_[secret]', reason },
        { kind: 'tools', name: 'GAMMA', reason },
        { kind: 'resources', name: 'doc://[secret]', reason },
        { kind: 'prompts', name: '[secret]', reason: '[secret] is none' },
      ]);
    });

    test('a tool that has the token of a member in its name stays where all were shown it before', async () => {
      const { read } = await asking('tool_of_all', tools('tool_of_all'));
      const { tools: served } = await read(tools('ALPHA', 'tool_of_all', 'tool_of_all_2'));
      expect(served.map(({ definition }) => definition.name)).toEqual(['ALPHA', 'tool_of_all']);
    });

    test('a failure keeps its kind', async () => {
      const { read } = await asking('timeout');
      const failure = { ok: false, status: 'timeout', message: 'A timeout of 10 s.' } as const;
      expect(await read(failure)).toMatchObject({
        failedWith: 'timeout',
        degraded: { reason: 'A [secret] of 10 s.' },
      });
    });
  });

  test('one that could never be read is an error, until it can be', async () => {
    const { own, client, upstream, store, look } = await stage();
    const { refresher } = refresherOf(bed(), own);
    upstream.answer = DOWN;
    const { id } = await made(client, http('Never seen'));
    const find = async () => (await servedConnections(store, own)).find((each) => each.id === id);
    const since = new Date(bed().clock.nowMs).toISOString();
    expect(await find()).toMatchObject({
      status: 'error',
      isKnown: false,
      tools: [],
      era: null,
      degraded: { reason: DOWN.message, since },
    });
    upstream.answer = { ...DOWN, status: 'auth_required' };
    await look(refresher);
    expect(await find()).toMatchObject({ status: 'needs_reauth', isKnown: false });
    upstream.answer = tools('ALPHA');
    await look(refresher);
    expect(await find()).toMatchObject({ status: 'active', isKnown: true, degraded: null });
  });

  test.each<[string, number]>([
    ['an hour', 60 * MINUTE],
    ['a year', 365 * 24 * 60 * MINUTE],
  ])('a clock that is set back by %s keeps nothing from being asked', async (_name, backMs) => {
    const { own, look, names, upstream, id } = await stage();
    const gate = Promise.withResolvers<Discovery>();
    const slow = refresherOf(bed(), own, { discover: () => gate.promise });
    pass(6 * MINUTE);
    const asking = slow.refresher.look();
    await eventually(() => expect(slow.asked).toEqual([id]));
    const { refresher, asked } = refresherOf(bed(), own);
    pass(-backMs);
    upstream.answer = tools('ALPHA');
    await refresher.look();
    expect(asked).toEqual([id]);
    expect(await names()).toEqual(['ALPHA']);
    await refresher.look();
    expect(asked).toEqual([id]);
    pass(30 * MINUTE);
    await look(refresher);
    expect(asked).toEqual([id, id]);
    pass(-backMs);
    await refresher.look();
    expect(asked).toEqual([id, id, id]);
    gate.resolve(tools('LATE'));
    await asking;
    expect(await names()).toEqual(['ALPHA']);
  });

  test('a fault of ours is told, and leaves what is known', async () => {
    const { own, look, served, names } = await stage();
    const discover = async () => Promise.reject(new Error('ours'));
    const { refresher, faults } = refresherOf(bed(), own, { discover });
    await look(refresher);
    expect(faults).toEqual([new Error('ours')]);
    expect(await names()).toEqual(['ALPHA', 'BETA']);
    expect((await served()).status).toBe('degraded');
  });

  test('two processes ask once; what one finds after its lease is over counts for nothing', async () => {
    const { own, id, names } = await stage();
    const gates = [Promise.withResolvers<Discovery>(), Promise.withResolvers<Discovery>()];
    let calls = 0;
    const discover = () => gates[calls++]!.promise;
    const first = refresherOf(bed(), own, { discover });
    const second = refresherOf(bed(), own, { discover, process: await replica() });
    pass(6 * MINUTE);
    const slow = first.refresher.look();
    await eventually(() => expect(first.asked).toEqual([id]));
    await second.refresher.look();
    expect(second.asked).toEqual([]);
    // The first one seems to have died.
    pass(2 * MINUTE);
    const taken = second.refresher.look();
    await eventually(() => expect(second.asked).toEqual([id]));
    gates[1]!.resolve(tools('ALPHA', 'TAKEN'));
    await taken;
    gates[0]!.resolve(tools('ALPHA', 'LATE'));
    await slow;
    expect(await names()).toEqual(['ALPHA', 'TAKEN']);
  });

  test('a connection that is changed while it is asked is read anew by whoever changed it', async () => {
    const { own, id, names, client, upstream } = await stage();
    const gate = Promise.withResolvers<Discovery>();
    const { refresher, asked } = refresherOf(bed(), own, { discover: () => gate.promise });
    pass(6 * MINUTE);
    const slow = refresher.look();
    await eventually(() => expect(asked).toEqual([id]));
    upstream.answer = tools('ALPHA', 'MOVED');
    const data = { connection_url: 'https://moved.example/mcp' };
    await client.call('COLLECTION_CONNECTIONS_UPDATE', { id, data });
    gate.resolve(tools('ALPHA', 'OLD'));
    await slow;
    expect(await names()).toEqual(['ALPHA', 'MOVED']);
  });

  test('check 13: an announced change is read at once, and waited for in every process', async () => {
    const { own, id, store } = await stage({ metadata: { gateway: { pinning: 'flag' } } });
    const gate = Promise.withResolvers<Discovery>();
    const here = refresherOf(bed(), own, { discover: () => gate.promise });
    const process = await replica();
    const there = refresherOf(bed(), own, { process });
    pass(2_000);
    here.refresher.start();
    there.refresher.start();
    expect(here.refresher.settled(id)).toBe(undefined);
    here.refresher.announce(id);
    const waits = here.refresher.settled(id);
    expect(waits).toBeInstanceOf(Promise);
    const waitsThere = await eventually(() => {
      const found = there.refresher.settled(id);
      expect(found).toBeInstanceOf(Promise);
      return { found };
    });
    gate.resolve(tools('ALPHA', 'BETA', 'NEW'));
    await waits;
    await waitsThere.found;
    expect(here.refresher.settled(id)).toBe(undefined);
    for (const from of [store, process.store]) {
      const [served] = await servedConnections(from, own);
      expect(served?.tools.map(({ definition, state }) => [definition.name, state])).toEqual([
        ['ALPHA', 'approved'],
        ['BETA', 'approved'],
        ['NEW', 'new'],
      ]);
    }
    expect([...here.asked, ...there.asked]).toEqual([id]);
  });

  test('what is announced while an upstream is asked is read after that, once, however often it is announced', async () => {
    const { own, id, names } = await stage();
    const gate = Promise.withResolvers<Discovery>();
    const answers = [gate.promise, Promise.resolve(tools('ALPHA', 'SECOND'))];
    let calls = 0;
    const { refresher, asked } = refresherOf(bed(), own, { discover: () => answers[calls++]! });
    pass(2_000);
    refresher.start();
    refresher.announce(id);
    await eventually(() => expect(asked).toEqual([id]));
    for (let count = 0; count < 100; count += 1) refresher.announce(id);
    const waits = refresher.settled(id);
    // The second announcement has been written down before the first reading ends.
    await eventually(async () => {
      const row = await bed()
        .store.db<{ connection_refreshes: { connection_id: string; wanted: number } }>()
        .selectFrom('connection_refreshes')
        .select('wanted')
        .where('connection_id', '=', id)
        .executeTakeFirst();
      expect(row?.wanted).toBe(2);
    });
    gate.resolve(tools('ALPHA', 'FIRST'));
    await eventually(async () => expect(await names()).toEqual(['ALPHA', 'FIRST']));
    pass(2_000);
    await eventually(async () => {
      await refresher.look();
      expect(await names()).toEqual(['ALPHA', 'SECOND']);
    });
    await waits;
    expect(asked).toEqual([id, id]);
    expect(refresher.settled(id)).toBe(undefined);
  });

  test('an announcement of nobody holds nobody', async () => {
    const { own } = await stage();
    const { refresher, asked } = refresherOf(bed(), own);
    refresher.announce('conn_none');
    expect(refresher.settled('conn_none')).toBe(undefined);
    refresher.start();
    refresher.announce('conn_none');
    await refresher.settled('conn_none');
    expect(asked).toEqual([]);
  });
});
