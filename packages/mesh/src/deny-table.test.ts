/** Every management tool by every kind of caller, compared with the table that is written down in `deny-table.md`. */
import { readFileSync } from 'node:fs';
import type { Caller } from '@parley/kit';
import { connect } from '@parley/kit/testing';
import { expect, test } from 'vitest';
import type { MeshBed } from '../test/mesh-bed.ts';
import { onBothMeshes } from '../test/mesh-bed.ts';
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

/** A key that names these tools, whatever its owner has: what they lack is cut when it is used. */
async function named(bed: MeshBed, person: 'owner' | 'member', names: readonly string[]): Promise<Caller> {
  const by = bed.acme[person];
  return bed.callerWith({ ...by, caller: { ...bed.acme.owner.caller, userId: by.userId } }, { self: names });
}

async function callerOf(bed: MeshBed, column: string, tool: string): Promise<Caller> {
  const { owner, admin, member, curator } = bed.acme;
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
      return named(bed, 'member', [tool]);
    case 'owner by name':
      return named(bed, 'owner', [tool]);
    case 'other grants':
      return named(
        bed,
        'owner',
        NAMES.filter((name) => name !== tool),
      );
    case 'unattended':
      return { ...(await named(bed, 'owner', [tool])), unattended: true };
    default:
      throw new Error(`Nobody calls as ${column}.`);
  }
}

/** What the table would say of the caller. */
async function cellOf({ services }: MeshBed, as: Caller, tool: string): Promise<string> {
  await using client = await connect(meshToolset, { services, as });
  if ((await client.toolNames()).includes(tool)) return 'ok';
  const answer = (name: string) =>
    client.raw.callTool({ name, arguments: {} }).then(
      (result) => JSON.stringify(result),
      (error: Error) => error.message.replaceAll(name, 'TOOL'),
    );
  const denied = await answer(tool);
  if (!client.records.some(({ name, outcome }) => name === tool && outcome === 'denied')) return 'no record';
  return denied === (await answer('NO_SUCH_TOOL')) ? 'hidden' : denied;
}

test('the table has a line for every management tool', () => {
  expect(NAMES.filter((name) => !TABLE.has(name))).toEqual([]);
});

onBothMeshes('management tools', (bed) => {
  test('are there for whoever the table says, and hidden from others, with a record', async () => {
    const before = await bed().content();
    const wrong: string[] = [];
    for (const tool of NAMES)
      for (const column of COLUMNS) {
        const seen = await cellOf(bed(), await callerOf(bed(), column, tool), tool);
        if (seen !== TABLE.get(tool)?.get(column)) wrong.push(`${tool} for ${column}: ${seen}`);
      }
    expect(wrong).toEqual([]);
    const withoutKeys = (content: string) =>
      content
        .split('\n')
        .filter((line) => !line.includes('"public_id"'))
        .join('\n');
    expect(withoutKeys(await bed().content())).toBe(withoutKeys(before));
  });
});
