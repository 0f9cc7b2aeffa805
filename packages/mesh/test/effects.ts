/** What the effect of a management tool promises, tried on each: tables of calls that the tests of all nouns share. */
import { expect, test } from 'vitest';
import { meshTools } from '../src/tools/index.ts';
import type { MeshBed } from './mesh-bed.ts';

type Input = Record<string, unknown>;

/** A call; its input may need things that are made for it first. */
export interface TriedCall {
  readonly tool: string;
  readonly input: (bed: MeshBed) => Input | Promise<Input>;
}

/** A call that names something of an organization by an id. */
export interface NamedThing {
  readonly tool: string;
  /** Makes or finds the thing in the organization `acme`. */
  readonly id: (bed: MeshBed) => string | Promise<string>;
  readonly input: (id: string, bed: MeshBed) => Input;
}

/** The fields by which a delete tells whether there was something. */
const MARKERS = ['deleted', 'removed', 'cancelled'];
/** What may differ between the two answers of an update: times, and counts of what changed. */
const VOLATILE = new Set(['updated_at', 'updatedAt', 'created', 'updated', 'acknowledged']);

/** Every delete and update of the table twice, as the owner: the idempotence table that `verify:annotations` looks for. */
export function idempotence(bed: () => MeshBed, rows: readonly TriedCall[]): void {
  const run = async ({ tool, input }: TriedCall) => {
    const asked = await input(bed());
    const owner = bed().acme.owner.caller;
    return [await bed().call(owner, tool, asked), await bed().call(owner, tool, asked)] as const;
  };
  const deletes = rows.filter(({ tool }) => effectOf(tool) === 'delete');
  const updates = rows.filter(({ tool }) => effectOf(tool) !== 'delete');
  for (const row of deletes)
    test(`check 4: ${row.tool} twice succeeds, and tells that the second found nothing`, async () => {
      const [first, second] = await run(row);
      expect(Object.keys(second).toSorted()).toEqual(Object.keys(first).toSorted());
      const marker = MARKERS.find((name) => typeof first[name] === 'boolean');
      if (marker === undefined) expect(second).toMatchObject({ created: 0, updated: 0, deleted: 0 });
      else expect([first[marker], second[marker]]).toEqual([true, false]);
    });
  for (const row of updates)
    test(`check 5: ${row.tool} twice leaves and answers what once does`, async () => {
      expect(effectOf(row.tool)).toBe('update');
      const [first, second] = await run(row);
      expect(lasting(second)).toEqual(lasting(first));
    });
}

/** Every read of the table: it succeeds, and the database is as it was. */
export function readsOnly(bed: () => MeshBed, rows: readonly TriedCall[]): void {
  for (const { tool, input } of rows)
    test(`${tool} leaves the database as it was`, async () => {
      expect(effectOf(tool)).toBe('read');
      const asked = await input(bed());
      const before = await bed().content();
      await bed().call(bed().acme.owner.caller, tool, asked);
      expect(await bed().content()).toBe(before);
    });
}

const NOBODYS_ID = 'nobody_000000000000000000000';

/** Every call of the table by the owner of another organization: as for an id that nobody has, and nothing changes. */
export function foreignIds(bed: () => MeshBed, rows: readonly NamedThing[]): void {
  for (const { tool, id, input } of rows)
    test(`check 9: ${tool} answers for a foreign id as for a random one`, async () => {
      const foreign = await id(bed());
      const before = await bed().content();
      const answer = async (asked: string) => {
        const { raw } = await bed().ask(bed().rival.owner.caller, tool, input(asked, bed()));
        return raw.replaceAll(asked, 'ID');
      };
      expect(await answer(foreign)).toBe(await answer(NOBODYS_ID));
      expect(await bed().content()).toBe(before);
    });
}

function effectOf(tool: string): string | undefined {
  return meshTools.find(({ name }) => name === tool)?.effect;
}

/** The value without what may differ, at any depth. */
function lasting(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lasting);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !VOLATILE.has(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, lasting(inner)]));
}
