/** Every management tool by every kind of caller, compared with the table that is written down in `deny-table.md`. */
import { readFileSync } from 'node:fs';
import type { Caller } from '@parley/kit';
import { createEngine, install, requestInfo, toolsetSource } from '@parley/kit';
import { scratchStore } from '@parley/store/testing';
import { expect, test } from 'vitest';
import type { BedPerson } from '../test/bed-people.ts';
import type { MeshBed } from '../test/mesh-bed.ts';
import { openMesh } from '../test/mesh-bed.ts';
import { MANAGEMENT } from './name.ts';
import { meshToolset } from './toolset.ts';
import { meshTools } from './tools/index.ts';

const COLUMNS = [
  'visitor',
  'member',
  'curator',
  'admin',
  'owner',
  'member by name',
  'owner by name',
  'other grants',
  'unattended',
];

/** The cells of each tool by the heads of their columns. */
function readTable(): Map<string, Map<string, string>> {
  const text = readFileSync(new URL('deny-table.md', import.meta.url), 'utf8');
  const [head = [], , ...rows] = text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return new Map(
    rows.map(([tool = '', ...cells]) => [tool, new Map(cells.map((cell, at) => [head[at + 1] ?? '', cell]))]),
  );
}

const TABLE = readTable();
const NAMES: string[] = meshTools.map(({ name }) => name);

/** The same caller with one more look at their grants: only those that are among these names. */
function narrowed(caller: Caller, names: readonly string[]): Caller {
  const held = caller.grants[MANAGEMENT] ?? [];
  return { ...caller, grants: { [MANAGEMENT]: held.filter((name) => names.includes(name)) } };
}

/** Somebody of each column, for one tool. */
async function createCallers(bed: MeshBed): Promise<(column: string, tool: string) => Caller> {
  const { owner, admin, member, curator } = bed.acme;
  // A key that names every tool, whatever its owner has: what they lack is cut when it is used.
  const naming = ({ userId }: BedPerson) =>
    bed.callerWith({ ...owner, caller: { ...owner.caller, userId } }, { [MANAGEMENT]: NAMES });
  const [ofOwner, ofMember] = [await naming(owner), await naming(member)];
  return (column, tool) => {
    switch (column) {
      case 'visitor':
        return bed.visitor;
      case 'member':
        return member.caller;
      case 'curator':
        return curator.caller;
      case 'admin':
        return admin.caller;
      case 'owner':
        return owner.caller;
      case 'member by name':
        return narrowed(ofMember, [tool]);
      case 'owner by name':
        return narrowed(ofOwner, [tool]);
      case 'other grants':
        return narrowed(
          ofOwner,
          NAMES.filter((name) => name !== tool),
        );
      case 'unattended':
        return { ...narrowed(ofOwner, [tool]), unattended: true };
      default:
        throw new Error(`Nobody calls as ${column}.`);
    }
  };
}

/** What the table would say of callers, by the engine that every surface asks. */
function createCells({ services }: MeshBed): (as: Caller, tool: string) => Promise<string> {
  const denials: string[] = [];
  const engine = createEngine({
    sources: [toolsetSource(install(meshToolset, services))],
    observe: ({ name, outcome }) => {
      if (outcome === 'denied') denials.push(name);
    },
  });
  const exchange = {
    info: requestInfo({ id: 1, era: 'local', client: null }),
    signal: () => AbortSignal.any([]),
  };
  const refusalOf = (as: Caller, name: string) =>
    engine.call(as, name, {}, exchange).then(
      (answer) => JSON.stringify(answer),
      (error: Error) => error.message.replaceAll(name, 'TOOL'),
    );
  return async (as, tool) => {
    if (engine.list(as).tools.some(({ name }) => name === tool)) return 'ok';
    const refusal = await refusalOf(as, tool);
    if (denials.at(-1) !== tool) return 'no record';
    return refusal === (await refusalOf(as, 'NO_SUCH_TOOL')) ? 'hidden' : refusal;
  };
}

test('the table has a line for every management tool', () => {
  expect(NAMES.filter((name) => !TABLE.has(name))).toEqual([]);
});

// Who may have a tool is decided before any database is asked, so one of them is enough.
test('management tools are there for whoever the table says, and hidden from others, with a record', async () => {
  await using store = await scratchStore();
  const bed = await openMesh(store);
  const callerOf = await createCallers(bed);
  const cellOf = createCells(bed);
  const before = await bed.content();
  const wrong: string[] = [];
  for (const tool of NAMES)
    for (const column of COLUMNS) {
      const seen = await cellOf(callerOf(column, tool), tool);
      if (seen !== TABLE.get(tool)?.get(column)) wrong.push(`${tool} for ${column}: ${seen}`);
    }
  expect(wrong).toEqual([]);
  expect(await bed.content()).toBe(before);
  await bed.close();
});
