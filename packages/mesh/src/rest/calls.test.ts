/** The routes of recorded calls: filters, pages, one in full with what it called, rates, errors and files. */
import { expect, test } from 'vitest';
import { onBothMeshes } from '../../test/mesh-bed.ts';
import { MACHINE_CLOCK } from '../../test/mesh-process.ts';
import { newScene } from '../../test/scene.ts';
import { serveRoutes } from '../../test/serve-routes.ts';

async function ask(url: string, key: string, path = '') {
  const answer = await fetch(`${url}/api/calls${path}`, { headers: { authorization: `Bearer ${key}` } });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  const { data } = (isJson ? JSON.parse(text) : {}) as { data?: any };
  return { status: answer.status, text, data };
}

const DETAIL = {
  input: '{"a":1}',
  output: '{"b":2}',
  message: null,
  bytesIn: 7,
  bytesOut: 7,
  upstreamUs: 1_500,
  traceId: 'trace1',
  properties: null,
};

onBothMeshes(
  'the routes of calls',
  (bed) => {
    async function stage() {
      const { url } = await serveRoutes(bed());
      const scene = await newScene(bed());
      const { owner, own, store } = scene;
      // At the beginning of an hour that is over.
      const startMs = (Math.floor(Date.now() / 3_600_000) - 1) * 3_600_000;
      const add = (more: object, message: string | null = null) =>
        store.records.append(
          {
            at: startMs,
            organizationId: own,
            callerId: owner.keyId,
            userId: owner.userId,
            source: 'key',
            toolset: 'self',
            tool: 'TAGS_LIST',
            method: 'tools/call',
            effect: 'read',
            outcome: 'ok',
            code: null,
            durationUs: 1_000,
            era: 'modern',
            client: 'test/1',
            requestId: null,
            ...more,
          },
          { weightBytes: 10, make: () => ({ ...DETAIL, message }) },
        );
      const read = async (path: string) => (await ask(url, owner.key, path)).data;
      const tools = async (query: string) =>
        (await read(`?${query}`)).calls.map(({ toolName }: { toolName: string }) => toolName);
      return { ...scene, url, startMs, add, read, tools };
    }

    test('filter by whatever a record says, and page to the end', async () => {
      const { url, owner, stranger, store, startMs, add, read, tools } = await stage();
      add({});
      add({ tool: 'note_add', toolset: 'conn_1', effect: 'create', at: startMs + 1000, requestId: 'r' });
      add({ tool: 'note_del', outcome: 'error', code: 'conflict', at: startMs + 2000 }, 'Taken.');
      add({ tool: 'secret', outcome: 'denied', code: 'no_grant', callerId: 'agent_x', userId: null });
      add({ tool: 'slow', durationUs: 5_000_000, source: 'schedule', virtualMcpId: 'vir_1' });
      await store.records.flush();
      for (const [query, found] of [
        ['', ['slow', 'secret', 'note_del', 'note_add', 'TAGS_LIST']],
        ['connection=conn_1', ['note_add']],
        [`connection=${scene(owner)}`, ['slow', 'secret', 'note_del', 'TAGS_LIST']],
        ['tool=note_add', ['note_add']],
        ['text=NOTE', ['note_del', 'note_add']],
        ['caller=agent_x', ['secret']],
        [`user=${owner.userId}&outcome=failed`, ['note_del']],
        ['outcome=failed', ['secret', 'note_del']],
        ['outcome=denied', ['secret']],
        ['code=conflict', ['note_del']],
        ['effect=create', ['note_add']],
        ['source=schedule', ['slow']],
        ['virtualMcp=vir_1', ['slow']],
        ['request=r', ['note_add']],
        ['minMs=1000', ['slow']],
        [`since=${new Date(startMs + 1500).toISOString()}`, ['note_del']],
        [`until=${new Date(startMs + 500).toISOString()}&tool=TAGS_LIST`, ['TAGS_LIST']],
      ] as const)
        expect([query, await tools(query)]).toEqual([query, found]);
      const first = await read('?limit=3');
      expect(first).toMatchObject({ hasMore: true, calls: [{}, {}, { errorMessage: 'Taken.' }] });
      expect(first.calls[0]).toMatchObject({ callerName: 'Key', userName: expect.any(String) });
      const second = await read(`?limit=3&before=${first.calls[2].id}`);
      expect([second.calls.length, second.hasMore]).toEqual([2, false]);
      const oldest = await read('?limit=3&order=asc');
      expect(oldest).toMatchObject({
        hasMore: true,
        calls: [{ toolName: 'TAGS_LIST' }, { toolName: 'note_add' }, { toolName: 'note_del' }],
      });
      expect(await tools(`limit=3&order=asc&before=${oldest.calls[2].id}`)).toEqual(['secret', 'slow']);
      expect(await tools('order=asc&text=note')).toEqual(['note_add', 'note_del']);
      expect((await ask(url, stranger.key)).data.calls).toEqual([]);
      for (const [query, field] of [
        ['?minMs=x', 'minMs'],
        ['?effect=all', 'effect'],
        ['?since=now', 'since'],
        ['?organization=x', 'organization'],
        ['/export', 'format'],
      ] as const) {
        const { status, text } = await ask(url, owner.key, query);
        expect([query, status, text]).toEqual([query, 400, expect.stringContaining(field)]);
      }

      function scene({ caller }: typeof owner): string {
        return `${caller.organizationId}_self`;
      }
    });

    test('show one call with its grant, the calls inside it, and nothing to others', async () => {
      const { url, owner, stranger, store, startMs, add, read } = await stage();
      const inside = { requestId: '7', at: startMs + 20 };
      add({ ...inside, tool: 'inner', at: startMs + 10, durationUs: 2_000 });
      add({ ...inside, tool: 'deep', at: startMs + 30, durationUs: 1_000 });
      add({ ...inside, tool: 'code', effect: 'run', at: startMs + 40, durationUs: 20_000 });
      add({ ...inside, tool: 'beside', client: 'other/1' });
      add({ ...inside, tool: 'RUN', effect: 'run', at: startMs + 50, durationUs: 50_000 });
      add({ tool: 'later', at: startMs + 60 });
      await store.records.flush();
      const { calls } = await read('?tool=RUN');
      const run = await read(`/${calls[0].id}`);
      expect(run).toMatchObject({
        toolName: 'RUN',
        input: '{"a":1}',
        output: '{"b":2}',
        upstreamMs: 1.5,
        traceId: 'trace1',
        grant: { resource: '*', name: '*', roles: ['owner'] },
        madeBy: null,
        calls: [
          { toolName: 'inner', startMs: 8, calls: [] },
          { toolName: 'code', calls: [{ toolName: 'deep' }] },
        ],
      });
      const deep = await read(`/${run.calls[1].calls[0].id}`);
      expect(deep).toMatchObject({ toolName: 'deep', madeBy: { toolName: 'code' }, calls: [] });
      const nothing = await ask(url, stranger.key, '/999999999');
      expect(nothing.status).toBe(404);
      expect(await ask(url, stranger.key, `/${run.id}`)).toEqual(nothing);
      expect((await ask(url, owner.key, '/-1')).status).toBe(404);
    });

    test('count part by part, from rollups or by a walk, alike', async () => {
      const { store, startMs, add, read } = await stage();
      for (let index = 0; index < 20; index += 1) add({ at: startMs + index * 60_000, durationUs: 8_000 });
      add({ at: startMs, tool: 'other', outcome: 'error', code: 'invalid', durationUs: 100_000 });
      await store.records.flush();
      const rolled = await read('/rates?parts=24');
      expect(rolled).toMatchObject({ partial: false, stepMs: 3_600_000, stats: { calls: 21, errors: 1 } });
      expect(rolled.tools).toMatchObject([
        { toolName: 'TAGS_LIST', calls: 20, errors: 0 },
        { toolName: 'other', calls: 1, errors: 1 },
      ]);
      const walked = await read('/rates?parts=24&source=key');
      expect(walked).toEqual({ ...rolled, since: walked.since, until: walked.until });
      const hour = [startMs, startMs + 3_600_000].map((at) => new Date(at).toISOString());
      const fine = await read(`/rates?parts=60&since=${hour[0]}&until=${hour[1]}`);
      expect(fine.points).toHaveLength(20);
      expect((await read('/rates?source=nobody')).stats.calls).toBe(0);
    });

    test('put alike errors together', async () => {
      const { store, startMs, add, read } = await stage();
      for (let index = 0; index < 3; index += 1)
        add({ outcome: 'error', code: 'invalid', at: startMs + index }, `Field ${index}.`);
      add({ outcome: 'denied', code: 'no_grant', tool: 'hidden' });
      add({});
      await store.records.flush();
      expect(await read('/errors')).toMatchObject({
        partial: false,
        groups: [
          { toolName: 'TAGS_LIST', code: 'invalid', count: 3, callers: 1, message: 'Field 2.' },
          { toolName: 'hidden', outcome: 'denied', code: 'no_grant', count: 1 },
        ],
      });
    });

    test('are a file of all that fit, without a formula', async () => {
      const { url, owner, stranger, store, add } = await stage();
      for (let index = 0; index < 1_100; index += 1) add({ tool: `t${index}` });
      add({ tool: '=SUM(A1)', outcome: 'error', code: 'invalid' }, 'Wrong, "very"');
      await store.records.flush();
      const lines = (await ask(url, owner.key, '/export?format=jsonl')).text.trim().split('\n');
      expect(lines).toHaveLength(1_101);
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({ toolName: '=SUM(A1)', input: '{"a":1}' });
      const csv = (await ask(url, owner.key, '/export?format=csv&outcome=error')).text.split('\r\n');
      expect(csv[0]).toMatch(/^timestamp,id,connectionId/);
      expect(csv[1]).toContain(`,'=SUM(A1),read,true,invalid,"Wrong, ""very""",`);
      expect((await ask(url, stranger.key, '/export?format=jsonl')).text).toBe('');
    });
  },
  () => ({ clock: MACHINE_CLOCK }),
);
