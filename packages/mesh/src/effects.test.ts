/** What the effect of every management tool promises, tried by the tables of `test/effects`, which are written by hand. */
import { beforeAll, describe, expect, test } from 'vitest';
import { CREATES, RUNS } from '../test/effects/creates.ts';
import { DELETES } from '../test/effects/deletes.ts';
import { READS } from '../test/effects/reads.ts';
import type { Input } from '../test/effects/things.ts';
import { UPDATES } from '../test/effects/updates.ts';
import type { BedTables } from '../test/bed-content.ts';
import type { MeshBed } from '../test/mesh-bed.ts';
import { onBothMeshes } from '../test/mesh-bed.ts';
import { meshTools } from './tools/index.ts';

const TABLES = { read: READS, create: CREATES, update: UPDATES, delete: DELETES, run: RUNS };

/** What may differ between the two answers of an update: times, and counts of what changed. */
const VOLATILE = new Set(['updated_at', 'updatedAt', 'acknowledged']);

test('every management tool has one row, in the table of its effect', () => {
  const rows = Object.entries(TABLES).flatMap(([effect, table]) =>
    table.map(({ tool }) => `${tool} ${effect}`),
  );
  const served = meshTools.map(({ name, effect }) => `${name} ${effect}`);
  expect(rows.toSorted()).toEqual(served.toSorted());
  expect(Object.values(TABLES).map(({ length }) => length)).toEqual([30, 10, 15, 13, 2]);
});

/** The value without what may differ, at any depth. */
function lasting(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lasting);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !VOLATILE.has(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, lasting(inner)]));
}

function lastingRows(tables: BedTables): unknown {
  const rows = Object.entries(tables).map(([name, texts]) => [
    name,
    texts.map((text) => JSON.stringify(lasting(JSON.parse(text)))).toSorted(),
  ]);
  return Object.fromEntries(rows) as unknown;
}

onBothMeshes('the effect', (bed) => {
  const call = (tool: string, input: Input) => bed().call(bed().acme.owner.caller, tool, input);

  /** The same call twice, a minute apart, with all that the database holds before, between and after. */
  const twice = async (tool: string, makeInput: (bed: MeshBed) => Promise<Input>) => {
    const input = await makeInput(bed());
    const before = await bed().tables();
    const first = await call(tool, input);
    const between = await bed().tables();
    bed().clock.nowMs += 60_000;
    const second = await call(tool, input);
    return { first, second, before, between, after: await bed().tables() };
  };

  describe('read', () => {
    const asked = new Map<string, readonly [input: Input, shows: string]>();
    let before: BedTables;
    beforeAll(async () => {
      for (const { tool, ask } of READS) asked.set(tool, await ask(bed()));
      before = await bed().tables();
    });
    test.each(READS)('$tool finds what is there, and leaves everything as it was', async ({ tool }) => {
      const [input, shows] = asked.get(tool) ?? [{}, ''];
      expect(shows).not.toBe('');
      expect(JSON.stringify(await call(tool, input))).toContain(shows);
      expect(await bed().tables()).toEqual(before);
    });
  });

  describe('create', () => {
    test.each(CREATES)('$tool makes something, and again: $again', async ({ tool, again, id, ...row }) => {
      const input = await row.input(bed());
      const made = id(await call(tool, input));
      expect(JSON.stringify(await call(...row.seen(bed(), made, input)))).toContain(made);
      const between = await bed().tables();
      const { end } = await bed().ask(bed().acme.owner.caller, tool, input);
      if (again === 'conflict') expect(end).toMatchObject({ ok: false, code: 'conflict' });
      else {
        const other = 'ok' in end && end.ok ? id(end.value) : expect.fail(JSON.stringify(end));
        expect(other === made).toBe(again === 'the same');
        expect(JSON.stringify(await call(...row.seen(bed(), other, input)))).toContain(other);
      }
      if (again === 'another') expect(await bed().tables()).not.toEqual(between);
      else expect(await bed().tables()).toEqual(between);
    });
  });

  describe('run', () => {
    test.each(RUNS)('$tool does it, and does it again', async ({ tool, input, seen }) => {
      const looks = [await seen(bed())];
      for (let calls = 0; calls < 2; calls += 1) {
        await call(tool, input);
        looks.push(await seen(bed()));
      }
      expect(new Set(looks).size).toBe(3);
    });
  });

  describe('delete', () => {
    test.each(DELETES)(
      'check 4: $tool twice succeeds, and tells that the second found nothing',
      async (row) => {
        const { first, second, before, between, after } = await twice(row.tool, row.input);
        expect(between).not.toEqual(before);
        expect(after).toEqual(between);
        expect(Object.keys(second).toSorted()).toEqual(Object.keys(first).toSorted());
        if (row.marker !== 'counts') expect([first[row.marker], second[row.marker]]).toEqual([true, false]);
        else {
          expect(first).toMatchObject({ created: 1, updated: 0, deleted: 1, unchanged: 0 });
          expect(second).toMatchObject({ created: 0, updated: 0, deleted: 0, unchanged: 1 });
        }
      },
    );
  });

  describe('update', () => {
    test.each(UPDATES)('check 5: $tool twice leaves and answers what once does', async ({ tool, input }) => {
      const { first, second, before, between, after } = await twice(tool, input);
      expect(lastingRows(between)).not.toEqual(lastingRows(before));
      expect(lasting(second)).toEqual(lasting(first));
      expect(lastingRows(after)).toEqual(lastingRows(between));
    });
  });
});
