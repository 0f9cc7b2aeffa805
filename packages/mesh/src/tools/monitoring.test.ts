/** The monitoring tools on both databases: what they answer, refuse and leave alone, and what nobody else sees. */
import type { CallDetail, Store } from '@parley/store';
import { describe, expect, test } from 'vitest';
import { onBothMeshes } from '../../test/mesh-bed.ts';
import { MACHINE_CLOCK } from '../../test/mesh-process.ts';
import { newScene } from '../../test/scene.ts';
import { compilePath, faultOfPath } from '../services/monitoring/json-path.ts';
import { isLike } from '../services/monitoring/properties.ts';
import { meshToolset } from '../toolset.ts';

const NOW = Date.now() - 60_000;
const NOTHING: CallDetail = {
  input: null,
  output: null,
  message: null,
  bytesIn: null,
  bytesOut: null,
  upstreamUs: null,
  traceId: null,
  properties: null,
};

interface Call {
  readonly organizationId: string;
  readonly tool?: string;
  readonly toolset?: string;
  readonly outcome?: 'ok' | 'error' | 'denied' | 'cancelled';
  readonly at?: number;
  readonly durationUs?: number;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly era?: string;
  readonly properties?: Readonly<Record<string, string>>;
}

function record(store: Store, calls: readonly Call[]): Promise<void> {
  for (const [index, call] of calls.entries()) {
    const { organizationId, tool = 'pay', toolset = 'conn_1', outcome = 'ok' } = call;
    const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
    store.records.append(
      {
        at: call.at ?? NOW + index,
        organizationId,
        callerId: 'key_1',
        userId: 'usr_1',
        source: 'key',
        toolset,
        tool,
        method: 'tools/call',
        effect: 'run',
        outcome,
        code: outcome === 'ok' ? null : 'failed',
        durationUs: call.durationUs ?? 2_000,
        era: call.era ?? 'modern',
        client: 'test',
        requestId: String(index),
      },
      {
        weightBytes: 1,
        make: () => ({
          ...NOTHING,
          input: json(call.input ?? {}),
          output: json(call.output),
          properties: json(call.properties),
        }),
      },
    );
  }
  return store.records.flush();
}

const widget = (
  id: string,
  path: string,
  fn: 'sum' | 'avg' | 'min' | 'max' | 'count' | 'last',
  more: object = {},
) => ({
  id,
  name: id,
  type: 'metric' as const,
  source: { path, from: 'output' as const },
  aggregation: { fn },
  ...more,
});

onBothMeshes(
  'monitoring tools',
  (bed) => {
    const opened = async () => {
      const { store, own, foreign, as } = await newScene(bed());
      /** Puts calls on record, of this organization unless they say another. */
      const recorded = (calls: readonly Partial<Call>[]) =>
        record(
          store,
          calls.map((call) => ({ organizationId: own, ...call })),
        );
      return {
        own,
        foreign,
        as,
        recorded,
        owner: await as({ userId: 'usr_1' }),
        stranger: await as({ organizationId: foreign }),
      };
    };

    test('a call that was cancelled is neither a success nor a failure', async () => {
      const { recorded, owner } = await opened();
      await recorded([{ tool: 'pay', outcome: 'cancelled' }]);
      const { logs } = await owner.call('MONITORING_LOGS_LIST', {});
      expect(logs).toMatchObject([{ toolName: 'pay', isError: false, errorCode: 'cancelled' }]);
    });

    test('a record has the title of what was called, and none of what is foreign or gone', async () => {
      const { recorded, owner, stranger } = await opened();
      const title = async (client: typeof owner) =>
        (await client.call('COLLECTION_VIRTUAL_MCP_CREATE', { data: { title: 'Reading', connections: [] } }))
          .item.id;
      const [mine, foreign] = [await title(owner), await title(stranger)];
      await recorded([mine, foreign, 'conn_gone', ''].map((toolset) => ({ toolset })));
      const titles = async (client: typeof owner) =>
        (await client.call('MONITORING_LOGS_LIST', {})).logs
          .toReversed()
          .map(({ connectionId, connectionTitle }) => [connectionId, connectionTitle]);
      expect(await titles(owner)).toEqual([
        [mine, 'Reading'],
        [foreign, null],
        ['conn_gone', null],
        ['', null],
      ]);
      await owner.call('COLLECTION_VIRTUAL_MCP_DELETE', { id: mine });
      expect((await titles(owner))[0]).toEqual([mine, null]);
      expect(await titles(stranger)).toEqual([]);
    });

    test('logs: newest first, by every filter, in pages, and none of another organization', async () => {
      const { own, foreign, recorded, owner, stranger } = await opened();
      await recorded([
        { tool: 'pay', properties: { team: 'web', user_tags: 'gold,early' } },
        { tool: 'refund', outcome: 'error', toolset: 'conn_2' },
        { tool: 'pay', outcome: 'denied', at: NOW + 10_000 },
        { tool: 'TAGS_LIST', toolset: 'self', properties: { team: 'Webmasters' }, at: NOW + 20_000 },
        { organizationId: foreign, tool: 'foreign' },
      ]);
      const tools = async (query: object) => {
        const { logs, total } = await owner.call('MONITORING_LOGS_LIST', query);
        expect(total).toBe(logs.length);
        return logs.map(({ toolName }) => toolName);
      };
      expect(await tools({})).toEqual(['TAGS_LIST', 'pay', 'refund', 'pay']);
      expect(await tools({ connectionId: 'conn_2' })).toEqual(['refund']);
      expect(await tools({ connectionId: `${own}_self` })).toEqual(['TAGS_LIST']);
      expect(await tools({ connectionId: `${foreign}_self` })).toEqual([]);
      expect(await tools({ excludeConnectionIds: ['conn_1', `${own}_self`] })).toEqual(['refund']);
      expect(await tools({ toolName: 'pay' })).toEqual(['pay', 'pay']);
      expect(await tools({ toolName: 'foreign' })).toEqual([]);
      expect(await tools({ isError: true })).toEqual(['pay', 'refund']);
      expect(await tools({ isError: false })).toEqual(['TAGS_LIST', 'pay']);
      expect(await tools({ virtualMcpId: 'vir_1' })).toEqual([]);
      expect(await tools({ startDate: new Date(NOW + 15_000).toISOString() })).toEqual(['TAGS_LIST']);
      expect(await tools({ endDate: new Date(NOW + 500).toISOString() })).toEqual(['refund', 'pay']);
      expect(await tools({ properties: { team: 'web' } })).toEqual(['pay']);
      expect(await tools({ propertyKeys: ['team'] })).toEqual(['TAGS_LIST', 'pay']);
      expect(await tools({ propertyPatterns: { team: 'WEB%' } })).toEqual(['TAGS_LIST', 'pay']);
      expect(await tools({ propertyInValues: { user_tags: 'early' } })).toEqual(['pay']);
      expect(await tools({ propertyInValues: { user_tags: 'earl' } })).toEqual([]);

      const page = await owner.call('MONITORING_LOGS_LIST', { limit: 1, offset: 2 });
      expect(page).toMatchObject({ total: 4, limit: 1, offset: 2, logs: [{ toolName: 'refund' }] });
      expect(page.logs[0]).toEqual({
        id: expect.any(String),
        organizationId: own,
        connectionId: 'conn_2',
        connectionTitle: null,
        toolName: 'refund',
        effect: 'run',
        input: '{}',
        output: null,
        isError: true,
        errorCode: 'failed',
        errorMessage: null,
        durationMs: 2,
        upstreamMs: null,
        timestamp: new Date(NOW + 1).toISOString(),
        userId: 'usr_1',
        callerId: 'key_1',
        callerSource: 'key',
        requestId: '1',
        traceId: null,
        userAgent: 'test',
        virtualMcpId: null,
        protocolVersion: '2026-07-28',
        bytesIn: null,
        bytesOut: null,
        properties: null,
      });
      const labelled = { propertyKeys: ['team'], limit: 1, offset: 1 };
      expect(await owner.call('MONITORING_LOGS_LIST', labelled)).toMatchObject({
        total: 2,
        logs: [{ toolName: 'pay' }],
      });
      expect((await stranger.call('MONITORING_LOGS_LIST', {})).logs).toMatchObject([{ toolName: 'foreign' }]);
    });

    test('a record shows the revision that its client spoke, and none where no client spoke MCP', async () => {
      const { recorded, owner } = await opened();
      const eras = ['modern', '2025-06-18', '2024-11-05', 'legacy', 'rest', 'local'];
      await recorded(eras.map((era) => ({ era })));
      const { logs } = await owner.call('MONITORING_LOGS_LIST', {});
      expect(logs.map(({ protocolVersion }) => protocolVersion).toReversed()).toEqual([
        '2026-07-28',
        '2025-06-18',
        '2024-11-05',
        null,
        null,
        null,
      ]);
    });

    test('a page of long bodies fits into one answer', async () => {
      const { recorded, owner } = await opened();
      const input = { text: 'x'.repeat(15_000) };
      await recorded(Array.from({ length: 1_000 }, () => ({ input, output: input })));
      const { logs } = await owner.call('MONITORING_LOGS_LIST', { limit: 1_000 });
      expect(logs).toHaveLength(1_000);
      const few = await owner.call('MONITORING_LOGS_LIST', { limit: 2 });
      expect(few.logs[0]?.input).toHaveLength(1_001);
    });

    test('stats: counts, rate and times, of this organization and this time alone', async () => {
      const { foreign, recorded, owner } = await opened();
      expect(await owner.call('MONITORING_STATS', {})).toEqual({
        totalCalls: 0,
        errorRate: 0,
        avgDurationMs: 0,
        errorRatePercent: '0.00',
        p50Ms: 0,
        p95Ms: 0,
        p99Ms: 0,
      });
      await recorded([{}, {}, { outcome: 'error' }, { organizationId: foreign }]);
      const stats = await owner.call('MONITORING_STATS', {});
      expect(stats).toMatchObject({ totalCalls: 3, avgDurationMs: 2, errorRatePercent: '33.33' });
      expect(stats.errorRate).toBeCloseTo(1 / 3);
      expect(stats.p99Ms).toBeCloseTo(2, 0);
      const later = { startDate: new Date(NOW + 600_000).toISOString() };
      expect(await owner.call('MONITORING_STATS', later)).toMatchObject({ totalCalls: 0 });
    });

    test('dashboards are made, read, changed and deleted; a foreign id is an unknown id', async () => {
      const { owner, stranger } = await opened();
      const data = { name: 'Sales', widgets: [widget('w1', '$.total', 'sum')] };
      const { dashboard } = await owner.call('MONITORING_DASHBOARD_CREATE', data);
      expect(dashboard).toMatchObject({ ...data, description: null, filters: {}, createdBy: 'usr_1' });
      const { id } = dashboard;
      expect(await owner.call('MONITORING_DASHBOARD_GET', { id })).toEqual({ dashboard });
      expect(await owner.call('MONITORING_DASHBOARD_LIST', {})).toEqual({
        dashboards: [dashboard],
        total: 1,
      });

      const change = { id, name: 'Sold', filters: { toolNames: ['pay'] } };
      const once = await owner.call('MONITORING_DASHBOARD_UPDATE', change);
      const twice = await owner.call('MONITORING_DASHBOARD_UPDATE', change);
      expect(once.dashboard).toMatchObject({
        name: 'Sold',
        filters: { toolNames: ['pay'] },
        widgets: data.widgets,
      });
      expect({ ...twice.dashboard, updatedAt: '' }).toEqual({ ...once.dashboard, updatedAt: '' });

      for (const [tool, input] of [
        ['MONITORING_DASHBOARD_GET', { id }],
        ['MONITORING_DASHBOARD_UPDATE', { id, name: 'Mine' }],
        ['MONITORING_DASHBOARD_DELETE', { id }],
        ['MONITORING_DASHBOARD_QUERY', { dashboardId: id }],
      ] as const) {
        const unknown = JSON.parse(JSON.stringify(input).replaceAll(id, 'dash_unknown')) as typeof input;
        const answers = [await stranger.raw.callTool({ name: tool, arguments: input })];
        answers.push(await stranger.raw.callTool({ name: tool, arguments: unknown }));
        const [foreign, absent] = answers.map((answer) => JSON.stringify(answer));
        expect(foreign?.replaceAll(id, 'dash_unknown')).toBe(absent);
      }
      expect((await stranger.call('MONITORING_DASHBOARD_LIST', {})).total).toBe(0);
      expect((await owner.call('MONITORING_DASHBOARD_GET', { id })).dashboard?.name).toBe('Sold');

      const before = await bed().content();
      await owner.call('MONITORING_DASHBOARD_LIST', {});
      await owner.call('MONITORING_DASHBOARD_QUERY', { dashboardId: id });
      await owner.call('MONITORING_WIDGET_PREVIEW', { widget: data.widgets[0]! });
      await owner.call('MONITORING_LOGS_LIST', {});
      await owner.call('MONITORING_STATS', {});
      expect(await bed().content()).toBe(before);

      expect(await owner.call('MONITORING_DASHBOARD_DELETE', { id })).toEqual({
        success: true,
        id,
        deleted: true,
      });
      expect(await owner.call('MONITORING_DASHBOARD_DELETE', { id })).toEqual({
        success: true,
        id,
        deleted: false,
      });
      expect(await owner.call('MONITORING_DASHBOARD_GET', { id })).toEqual({ dashboard: null });
    });

    test.each<[string, object, string]>([
      ['no JSONPath', { widgets: [widget('w', 'total', 'sum')] }, 'widgets'],
      ['a path that could take long', { widgets: [widget('w', '$..[?@..a]', 'sum')] }, 'widgets'],
      ['a pattern in a path', { widgets: [widget('w', "$[?match(@.a, '(a+)+')]", 'count')] }, 'widgets'],
      [
        'no interval',
        { widgets: [widget('w', '$', 'count', { aggregation: { fn: 'count', interval: '5s' } })] },
        'interval',
      ],
      ['no widgets', { widgets: [] }, 'widgets'],
      [
        'too many widgets',
        { widgets: Array.from({ length: 51 }, () => widget('w', '$', 'count')) },
        'widgets',
      ],
      ['a long name', { name: 'x'.repeat(256), widgets: [widget('w', '$', 'count')] }, 'name'],
    ])('%s is invalid, and names the field', async (_name, input, field) => {
      const { owner } = await opened();
      const answer = await owner.attempt('MONITORING_DASHBOARD_CREATE', { name: 'D', ...input } as never);
      expect(answer).toMatchObject({ ok: false, code: 'invalid' });
      expect(answer.ok ? '' : answer.message).toContain(field);
      expect((await owner.call('MONITORING_DASHBOARD_LIST', {})).total).toBe(0);
    });

    test('check 34: a broken widget is null with its error and the good one answers; last is the newest, not the largest', async () => {
      const { foreign, recorded, owner } = await opened();
      await recorded([
        { output: { total: 50, who: 'ann', note: 'text' }, at: NOW - 3_600_000 },
        { output: { total: 900, who: 'bob', note: 'text' }, at: NOW },
        { output: { total: 7, who: 'ann', note: 'text' }, at: NOW + 1_000 },
        { output: { total: 1_000_000 }, tool: 'refund' },
        { output: { total: 5 }, organizationId: foreign },
        { outcome: 'error' },
      ]);
      const { dashboard } = await owner.call('MONITORING_DASHBOARD_CREATE', {
        name: 'D',
        filters: { toolNames: ['pay'] },
        widgets: [
          widget('broken', '$.note', 'sum'),
          widget('last', '$.total', 'last'),
          widget('sum', '$.total', 'sum'),
          widget('avg', '$.total', 'avg'),
          widget('min', '$.total', 'min'),
          widget('max', '$.total', 'max'),
          widget('count', '$.total', 'count'),
          widget('none', '$.absent', 'sum'),
          widget('other', '$.total', 'max', { filter: { toolNames: ['refund'] } }),
          widget('groups', '$.total', 'sum', { aggregation: { fn: 'sum', groupBy: '$.who' } }),
          widget('series', '$.total', 'sum', {
            type: 'timeseries',
            aggregation: { fn: 'sum', interval: '1h' },
          }),
        ],
      });
      const answer = await owner.call('MONITORING_DASHBOARD_QUERY', { dashboardId: dashboard.id });
      const values = Object.fromEntries(answer.results.map(({ widgetId, value }) => [widgetId, value]));
      expect(values).toEqual({
        broken: null,
        last: 7,
        sum: 957,
        avg: 319,
        min: 7,
        max: 900,
        count: 3,
        none: null,
        other: 1_000_000,
        groups: 957,
        series: 957,
      });
      expect(
        answer.results.filter(({ error }) => error !== undefined).map(({ widgetId }) => widgetId),
      ).toEqual(['broken']);
      expect(answer.results[0]?.error).toContain('no numbers');
      expect(answer.results.find(({ widgetId }) => widgetId === 'groups')?.groups).toEqual([
        { key: 'ann', value: 57 },
        { key: 'bob', value: 900 },
      ]);
      const series = answer.results.find(({ widgetId }) => widgetId === 'series');
      const points = series?.timeseries as { value: number }[];
      expect(points.reduce((sum, { value }) => sum + value, 0)).toBe(957);
      expect(points.length).toBeGreaterThan(1);
      const early = {
        startDate: new Date(NOW - 7_200_000).toISOString(),
        endDate: new Date(NOW - 1_000).toISOString(),
      };
      const then = await owner.call('MONITORING_DASHBOARD_QUERY', {
        dashboardId: dashboard.id,
        timeRange: early,
      });
      expect(then.results.find(({ widgetId }) => widgetId === 'sum')?.value).toBe(50);
      expect(then.timeRange).toEqual(early);
    });

    test('a preview tells how many records it looked at, by labels, and groups are bounded', async () => {
      const { recorded, owner } = await opened();
      await recorded(
        Array.from({ length: 150 }, (_, index) => ({
          output: { n: 1, key: `k${index}` },
          properties: { team: index < 120 ? 'web' : 'app' },
        })),
      );
      const grouped = widget('w', '$.n', 'sum', {
        type: 'table',
        aggregation: { fn: 'sum', groupBy: '$.key' },
      });
      const all = await owner.call('MONITORING_WIDGET_PREVIEW', { widget: grouped });
      expect(all).toMatchObject({ value: 150, matchedRecords: 150, partial: true });
      expect(all.groups).toHaveLength(100);
      const web = { widget: widget('w', '$.n', 'sum'), propertyFilters: { team: 'web' } };
      expect(await owner.call('MONITORING_WIDGET_PREVIEW', web)).toMatchObject({
        value: 120,
        matchedRecords: 120,
      });
      const broken = await owner.attempt('MONITORING_WIDGET_PREVIEW', {
        widget: widget('w', '$.key', 'avg'),
      });
      expect(broken).toMatchObject({ ok: false, code: 'invalid' });
    });

    test('check 33: a member without grants has no monitoring tool, and each answers as an unknown one', async () => {
      const { as } = await opened();
      const member = await as({ roles: ['member'], grants: { self: ['USER_GET'] } });
      expect(await member.toolNames()).toEqual(['USER_GET']);
      const tools = meshToolset.tools
        .map(({ name }) => name)
        .filter((name) => name.startsWith('MONITORING_'));
      expect(tools).toHaveLength(9);
      for (const name of tools) {
        const refused = await member.raw
          .callTool({ name, arguments: {} })
          .catch((error: unknown) => String(error));
        expect(refused).toContain(`Unknown tool: ${name}`);
      }
    });
  },
  () => ({ clock: MACHINE_CLOCK }),
);

describe('paths and patterns', () => {
  test.each(['$.a', "$['a b'][0]", '$..total', '$.items[?@.price > 10].price', '$'])(
    '%s is a path',
    (path) => {
      expect(faultOfPath(path)).toBeUndefined();
    },
  );

  test('a path selects at most a thousand values', () => {
    expect(compilePath('$.*').valuesIn(Array.from({ length: 5_000 }, () => 1))).toHaveLength(1_000);
  });

  test.each([
    ['web', 'web', true],
    ['web', 'WE%', true],
    ['web', '_e_', true],
    ['web', 'we', false],
    ['web', '%e', false],
    ['a%b', 'a_b', true],
    ['', '%', true],
    ['aaaa', '%a%a%a%a%b', false],
  ])('%j like %j: %s', (text, pattern, expected) => {
    expect(isLike(text, pattern)).toBe(expected);
  });
});
