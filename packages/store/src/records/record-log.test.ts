/** What the call-record log promises on both engines: constant-time appends, every row arrives, retention, paging. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@parley/test-support/eventually';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { CallDetail, NewCallRecord, PendingDetail } from './record-table.ts';
import { onBothEngines } from '../testing/index.ts';

const NOW = 1_793_000_000_000;

const record = (fields: Partial<NewCallRecord> = {}): NewCallRecord => ({
  at: NOW,
  organizationId: 'org_a',
  callerId: 'key_1',
  userId: 'usr_1',
  source: 'key',
  toolset: 'annotations',
  tool: 'annotation_list',
  method: 'tools/call',
  effect: 'read',
  outcome: 'ok',
  code: null,
  durationUs: 40,
  era: '2026-07-28',
  client: null,
  requestId: null,
  ...fields,
});

const nothing: CallDetail = {
  input: null,
  output: null,
  message: null,
  bytesIn: null,
  bytesOut: null,
  upstreamUs: null,
  traceId: null,
  properties: null,
};

const pending = (fields: Partial<CallDetail>, weightBytes = 100): PendingDetail => ({
  weightBytes,
  make: () => ({ ...nothing, ...fields }),
});

onBothEngines('call records', (open, engine, where) => {
  const openMigrated = async (options: Parameters<typeof open>[0] = {}) => {
    const store = await open({ clock: () => NOW, ...options });
    await store.migrate([]);
    return store;
  };

  test('a record comes back as it was appended', async () => {
    const { records } = await openMigrated();
    const full = record({
      outcome: 'error',
      code: 'not_found',
      client: 'client "x" {1}, \\',
      requestId: 'NULL',
    });
    records.append(full);
    await records.flush();
    expect(await records.list({ organizationId: 'org_a', limit: 10 })).toEqual([
      { ...full, id: expect.any(Number), virtualMcpId: null },
    ]);
  });

  test('records are written without being asked', async () => {
    const { records } = await openMigrated();
    records.append(record());
    expect(records.pending).toBe(1);
    await eventually(async () => expect(await records.count()).toBe(1));
    await eventually(() => expect(records.pending).toBe(0));
  });

  test('every record of a long burst arrives, and others get their turn meanwhile', async () => {
    const { records } = await openMigrated();
    // The log begins small; what is in it when it grows begins somewhere in its middle.
    const early = Array.from({ length: 700 }, (_, index) => `early ${index}`);
    for (const requestId of early) records.append(record({ requestId }));
    await records.flush();
    const burst = Array.from({ length: 5_003 }, (_, index) => `burst ${index}`);
    for (const requestId of burst) records.append(record({ requestId }));
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 0);
    await records.flush();
    clearInterval(counting);
    expect(await records.count()).toBe(5_703);
    const newest = await records.list({ organizationId: 'org_a', limit: 5_003 });
    expect(newest.map(({ requestId }) => requestId).toReversed()).toEqual(burst);
    expect(turns).toBeGreaterThan(2);
    expect(records.dropped).toBe(0);
  });

  test('a full ring drops and counts, and works again after a flush', async () => {
    const { records } = await openMigrated();
    for (let index = 0; index < 65_536 + 7; index += 1) records.append(record());
    expect([records.pending, records.dropped]).toEqual([65_536, 7]);
    await records.flush();
    records.append(record());
    await records.flush();
    expect(await records.count()).toBe(65_537);
    expect(records.dropped).toBe(7);
  });

  test('a record that cannot be stored is counted and does not hold up the others', async () => {
    const { records } = await openMigrated();
    for (let index = 0; index < 25; index += 1) records.append(record());
    records.append(record({ durationUs: Number.NaN }));
    records.append(record({ client: 'zero\0character' }));
    await records.flush();
    expect(await records.count()).toBe(26);
    expect(records.dropped).toBe(1);
  });

  test('pages go from new to old without gaps or repeats', async () => {
    const { records } = await openMigrated();
    for (let index = 0; index < 25; index += 1) records.append(record({ requestId: String(index) }));
    await records.flush();
    const seen: Array<string | null> = [];
    for (let before: number | undefined; ;) {
      const page = await records.list({ organizationId: 'org_a', limit: 10, ...(before ? { before } : {}) });
      seen.push(...page.map(({ requestId }) => requestId));
      before = page.at(-1)?.id;
      if (page.length < 10) break;
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => String(24 - index)));
  });

  test('filters narrow the list, and another organization sees nothing', async () => {
    const { records } = await openMigrated();
    records.append(record({ tool: 'a', callerId: 'key_1', outcome: 'ok', at: NOW }));
    records.append(record({ tool: 'b', callerId: 'key_2', outcome: 'denied', at: NOW + 10 }));
    records.append(record({ tool: 'b', callerId: 'key_1', outcome: 'error', at: NOW + 20 }));
    records.append(record({ tool: 'b', organizationId: 'org_b' }));
    await records.flush();
    const tools = async (query: object) =>
      (await records.list({ organizationId: 'org_a', limit: 10, ...query })).map(
        ({ tool, at }) => `${tool}${at - NOW}`,
      );
    expect(await tools({})).toEqual(['b20', 'b10', 'a0']);
    expect(await tools({ tool: 'b' })).toEqual(['b20', 'b10']);
    expect(await tools({ tool: 'b', callerId: 'key_1' })).toEqual(['b20']);
    expect(await tools({ callerIds: ['key_2', 'key_3'] })).toEqual(['b10']);
    expect(await tools({ callerIds: [] })).toEqual([]);
    expect(await tools({ outcome: 'denied' })).toEqual(['b10']);
    expect(await tools({ since: NOW + 10 })).toEqual(['b20', 'b10']);
    expect(await tools({ until: NOW + 10 })).toEqual(['b10', 'a0']);
    expect(await tools({ limit: 1 })).toEqual(['b20']);
    expect(await tools({ organizationId: 'org_c' })).toEqual([]);
  });

  test('the oldest records go when there are too many', async () => {
    const { records } = await openMigrated({ recordRetention: { maxAgeMs: 1_000, maxRows: 1_200 } });
    for (let index = 0; index < 3_000; index += 1) records.append(record({ requestId: String(index) }));
    await records.flush();
    expect(await records.prune()).toBe(1_800);
    expect(await records.count()).toBe(1_200);
    const [newest] = await records.list({ organizationId: 'org_a', limit: 1 });
    expect(newest?.requestId).toBe('2999');
    expect(await records.prune()).toBe(0);
  });

  test('the oldest records go when all of them take too many bytes', async () => {
    const maxBytes = 1024 ** 2;
    const { records } = await openMigrated({
      recordRetention: { maxAgeMs: 1_000, maxRows: 1_000_000, maxBytes },
    });
    // Small ones first: what is left is larger than what went.
    for (let index = 0; index < 4_000; index += 1) {
      // Texts that cannot be compressed, which PostgreSQL would do.
      const input = randomBytes(index < 2_000 ? 6 : 1_500).toString('base64');
      records.append(record({ requestId: String(index) }), pending({ input }));
    }
    await records.flush();
    await records.prune();
    const left = await records.list({ organizationId: 'org_a', limit: 4_000 });
    expect(left.length * 2_000).toBeLessThanOrEqual(maxBytes);
    expect(left.length * 2_000).toBeGreaterThan(maxBytes / 4);
    expect(left[0]?.requestId).toBe('3999');
    expect(await records.prune()).toBe(0);
  });

  test('records go when they are too old, by the clock of the store', async () => {
    let time = NOW;
    const { records } = await openMigrated({
      recordRetention: { maxAgeMs: 1_000, maxRows: 1_000_000 },
      clock: () => time,
    });
    for (let index = 0; index < 1_500; index += 1)
      records.append(record({ at: NOW + (index < 700 ? 0 : 500) }));
    await records.flush();
    time = NOW + 1_200;
    expect(await records.prune()).toBe(700);
    expect(await records.count()).toBe(800);
  });

  test('a detail is made when its record is written, and comes back with it', async () => {
    const { records } = await openMigrated();
    let made = 0;
    const full: CallDetail = {
      input: '{"text":"hi"}',
      output: '{"ok":true}',
      message: 'No such note.',
      bytesIn: 13,
      bytesOut: 11,
      upstreamUs: 900,
      traceId: '0af7651916cd43dd8448eb211c80319c',
      properties: '{"team":"web"}',
    };
    records.append(record({ tool: 'bare' }));
    records.append(record({ tool: 'detailed' }), {
      weightBytes: 24,
      make() {
        made += 1;
        return full;
      },
    });
    expect(made).toBe(0);
    await records.flush();
    expect(made).toBe(1);
    const found = await records.listDetailed({ organizationId: 'org_a', limit: 10 });
    expect(found.map(({ tool, detail }) => [tool, detail])).toEqual([
      ['detailed', full],
      ['bare', null],
    ]);
    expect(await records.listDetailed({ organizationId: 'org_b', limit: 10 })).toEqual([]);
  });

  test('a detail that cannot be made is left out and counted, and its record is kept', async () => {
    const { records } = await openMigrated();
    records.append(record(), {
      weightBytes: 1,
      make() {
        throw new Error('unfit');
      },
    });
    await records.flush();
    const [found] = await records.listDetailed({ organizationId: 'org_a', limit: 1 });
    expect([found?.detail, records.dropped, records.droppedDetails]).toEqual([null, 0, 1]);
  });

  test('details that wait are bounded by number and by weight: the oldest go, their records stay', async () => {
    const { records } = await openMigrated();
    for (let index = 0; index < 10_003; index += 1) records.append(record(), pending({ input: '1' }));
    expect(records.droppedDetails).toBe(3);
    await records.flush();
    const mebibyte = 1024 ** 2;
    for (let index = 0; index < 70; index += 1)
      records.append(record({ requestId: String(index) }), pending({ input: '2' }, mebibyte));
    expect([records.dropped, records.droppedDetails]).toEqual([0, 3 + 6]);
    await records.flush();
    const found = await records.listDetailed({ organizationId: 'org_a', limit: 70 });
    expect(found.filter(({ detail }) => detail === null).map(({ requestId }) => requestId)).toEqual([
      '5',
      '4',
      '3',
      '2',
      '1',
      '0',
    ]);
    expect(await records.count()).toBe(10_073);
  });

  test('filters by connection, error and virtual MCP also count', async () => {
    const { records } = await openMigrated();
    records.append(record({ toolset: 'conn_1', outcome: 'ok', virtualMcpId: 'vir_1' }));
    records.append(record({ toolset: 'conn_2', outcome: 'error' }));
    records.append(record({ toolset: 'conn_3', outcome: 'denied' }));
    records.append(record({ toolset: 'conn_1', outcome: 'cancelled' }));
    await records.flush();
    const found = async (filter: object) => {
      const query = { organizationId: 'org_a', ...filter };
      const listed = await records.list({ ...query, limit: 10 });
      expect(await records.count(query)).toBe(listed.length);
      return listed.map(({ toolset, outcome }) => `${toolset} ${outcome}`);
    };
    expect(await found({ isError: true })).toEqual(['conn_3 denied', 'conn_2 error']);
    expect(await found({ isError: false })).toEqual(['conn_1 cancelled', 'conn_1 ok']);
    expect(await found({ toolset: 'conn_2' })).toEqual(['conn_2 error']);
    expect(await found({ toolsets: ['conn_2', 'conn_3'] })).toHaveLength(2);
    expect(await found({ exceptToolsets: ['conn_2', 'conn_1'] })).toEqual(['conn_3 denied']);
    expect(await found({ virtualMcpId: 'vir_1' })).toEqual(['conn_1 ok']);
    expect(await found({ virtualMcpIds: ['vir_1'], tools: ['annotation_list'] })).toEqual(['conn_1 ok']);
    expect(await found({ tools: ['another'] })).toEqual([]);
    records.append(
      record({
        toolset: 'conn_4',
        tool: 'Add_Note',
        source: 'schedule',
        effect: 'create',
        code: 'task',
        userId: 'usr_2',
        requestId: 'r1',
        durationUs: 2_000,
      }),
    );
    await records.flush();
    for (const filter of [
      { source: 'schedule' },
      { effect: 'create' },
      { code: 'task' },
      { userId: 'usr_2' },
      { requestId: 'r1' },
      { toolPart: 'd_NOTE' },
      { minDurationUs: 2_000 },
    ])
      expect([filter, await found(filter)]).toEqual([filter, ['conn_4 ok']]);
    expect(await found({ toolPart: '%' })).toEqual([]);
  });

  test('a word that hides another does not change whose record it is', async () => {
    const { records } = await openMigrated();
    const hidden = record({ tool: 'a', client: 'b\nc' });
    const plain = record({ tool: 'a\nb', client: 'c' });
    for (const each of [hidden, plain, hidden]) records.append(each);
    records.append(record({ tool: 'a', client: null }));
    records.append(record({ tool: 'a', client: 'null' }));
    await records.flush();
    const found = await records.list({ organizationId: 'org_a', limit: 10 });
    expect(found.map(({ tool, client }) => [tool, client]).toReversed()).toEqual([
      ['a', 'b\nc'],
      ['a\nb', 'c'],
      ['a', 'b\nc'],
      ['a', null],
      ['a', 'null'],
    ]);
  });

  test('figures come from rollups: by minute lately, by hour before, by tool and in all, also when records are gone', async () => {
    const day = 86_400_000;
    let time = NOW;
    const { records } = await openMigrated({
      recordRetention: { maxAgeMs: 1_000, maxRows: 1_000_000 },
      clock: () => time,
    });
    const hour = Math.floor(NOW / 3_600_000) * 3_600_000 - 3_600_000;
    for (let index = 1; index <= 100; index += 1)
      records.append(record({ at: hour + 60_000, durationUs: index * 1000 }));
    records.append(record({ at: hour + 120_000, outcome: 'error', tool: 'other' }));
    records.append(record({ at: hour + 120_000, outcome: 'denied', tool: 'whatever' }));
    records.append(record({ organizationId: 'org_b' }));
    await records.flush();
    const stats = (query: object = {}) => records.stats({ organizationId: 'org_a', ...query });
    const all = await stats();
    expect(all).toMatchObject({ calls: 102, errors: 2 });
    expect(all.averageMs).toBeCloseTo(5050 / 102, 1);
    for (const [got, exact] of [
      [all.p50Ms, 49],
      [all.p95Ms, 95],
      [all.p99Ms, 99],
    ] as const) {
      expect(got).toBeGreaterThan(exact * 0.9);
      expect(got).toBeLessThan(exact * 1.1);
    }
    const of = { toolset: 'annotations', tool: 'other' };
    expect(await stats(of)).toMatchObject({ calls: 1, errors: 1 });
    expect(await stats({ ...of, tool: 'whatever' })).toMatchObject({ calls: 0, p99Ms: 0, averageMs: 0 });
    expect(await stats({ since: hour + 120_000 })).toMatchObject({ calls: 2 });
    expect(await stats({ until: hour + 119_999 })).toMatchObject({ calls: 100 });
    expect(await stats({ since: hour, until: hour + 3_600_000 })).toMatchObject({ calls: 102 });
    expect(await records.stats({ organizationId: 'org_c' })).toMatchObject({ calls: 0 });

    // The same part by part, and tool by tool.
    const series = (query: object) =>
      records.series({ organizationId: 'org_a', since: hour, until: NOW, stepMs: 60_000, ...query });
    const parts = async (query: object = {}) =>
      (await series(query)).map(({ at, calls, errors }) => [(at - hour) / 60_000, calls, errors]);
    expect(await parts()).toEqual([
      [1, 100, 0],
      [2, 2, 2],
    ]);
    expect(await parts({ since: hour + 120_000 })).toEqual([[2, 2, 2]]);
    expect(await parts({ stepMs: 3_600_000 })).toEqual([[0, 102, 2]]);
    expect(await parts(of)).toEqual([[2, 1, 1]]);
    const byTool = await records.toolStats({ organizationId: 'org_a', since: hour, until: NOW });
    expect(byTool.map(({ toolset, tool, calls, errors }) => [toolset, tool, calls, errors])).toEqual([
      ['annotations', 'annotation_list', 100, 0],
      ['annotations', 'other', 1, 1],
    ]);
    expect(byTool[0]?.p95Ms).toBeCloseTo((await stats({ until: hour + 119_999 })).p95Ms, 5);

    // One that the flush began goes by the time before.
    await records.prune();
    time = NOW + 8 * day;
    await records.prune();
    expect(await records.count()).toBe(0);
    expect(await stats()).toMatchObject({ calls: 102, errors: 2 });
    // The minutes are gone: the hour counts as a whole.
    expect(await stats({ since: hour + 120_000 })).toMatchObject({ calls: 102 });
    time = NOW + 401 * day;
    await records.prune();
    expect(await stats()).toMatchObject({ calls: 0 });
  });

  test('what many records have in common goes with the last of them', async () => {
    let time = NOW;
    const retention = { maxAgeMs: 60 * 60_000, maxRows: 1_000_000 };
    const { records, db } = await openMigrated({ recordRetention: retention, clock: () => time });
    records.append(record({ tool: 'old' }));
    records.append(record({ tool: 'both' }));
    await records.flush();
    time = NOW + 3 * 60 * 60_000;
    records.append(record({ tool: 'both', at: time }));
    await records.flush();
    await records.prune();
    expect((await records.list({ organizationId: 'org_a', limit: 10 })).map(({ tool }) => tool)).toEqual([
      'both',
    ]);
    const names = async () => {
      if (engine === 'postgres') {
        const { rows } = await sql<{ tool: string }>`select tool from parley_call_kinds`.execute(db());
        return rows.map(({ tool }) => tool);
      }
      const file = new Database(join((await where()).dataDir, 'records.db'), { readonly: true });
      const found = file.prepare<[], string>('select tool from call_kinds').pluck().all();
      file.close();
      return found;
    };
    expect(await names()).toEqual(['both']);
    // The one that was forgotten can come back.
    records.append(record({ tool: 'old', at: time }));
    await records.flush();
    expect(await records.count({ organizationId: 'org_a', tool: 'old' })).toBe(1);
  });

  test('closing writes what waits; afterwards records are dropped and counted', async () => {
    const store = await openMigrated();
    store.records.append(record());
    await store.close();
    store.records.append(record());
    expect(store.records.dropped).toBe(1);
    const next = await openMigrated();
    expect(await next.records.count()).toBe(1);
  });

  test('two stores write to one log', async () => {
    const [one, two] = [await openMigrated(), await openMigrated()];
    for (let index = 0; index < 2_000; index += 1) (index % 2 ? one : two).records.append(record());
    await eventually(async () => expect(await one.records.count()).toBe(2_000));
  });

  test('the file of the records is not made before it is needed', async () => {
    const { records } = await openMigrated();
    const { dataDir } = await where();
    expect(await records.count()).toBe(0);
    expect(await records.list({ organizationId: 'org_a', limit: 1 })).toEqual([]);
    expect(await records.prune()).toBe(0);
    expect(existsSync(join(dataDir, 'records.db'))).toBe(false);
    records.append(record());
    await records.flush();
    expect(existsSync(join(dataDir, 'records.db'))).toBe(engine === 'sqlite');
  });
});
