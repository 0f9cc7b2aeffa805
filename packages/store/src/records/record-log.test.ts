/** What the call-record log promises on both engines: constant-time appends, every row arrives, retention, paging. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import type { NewCallRecord } from './record-table.ts';
import { onBothEngines } from '../testing/index.ts';

const NOW = 1_793_000_000_000;

const record = (fields: Partial<NewCallRecord> = {}): NewCallRecord => ({
  at: NOW,
  organizationId: 'org_a',
  callerId: 'key_1',
  source: 'key',
  toolset: 'annotations',
  tool: 'annotation_list',
  method: 'tools/call',
  outcome: 'ok',
  code: null,
  durationUs: 40,
  era: '2026-07-28',
  client: null,
  requestId: null,
  ...fields,
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
      { ...full, id: expect.any(Number) },
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
    for (let index = 0; index < 5_003; index += 1) records.append(record({ requestId: String(index) }));
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 0);
    await records.flush();
    clearInterval(counting);
    expect(await records.count()).toBe(5_003);
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
      const client = randomBytes(index < 2_000 ? 6 : 1_500).toString('base64');
      records.append(record({ requestId: String(index), client }));
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
