/** Every tool of the toolsets beside feedback by every kind of caller, compared with `deny-table.md`. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { message, post } from './mcp-messages.ts';
import type { Server } from './parley.ts';
import { scratchFolder, startParley } from './parley.ts';

const folder = scratchFolder();
let server: Server;

beforeAll(async () => {
  await ensureBuilt();
  server = await startParley(folder.path, { args: ['--api-rate', '10000'] });
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

interface Line {
  readonly tool: string;
  readonly toolset: string;
  readonly cells: ReadonlyMap<string, string>;
}

function linesOf(path: string): Line[] {
  const text = readFileSync(new URL(path, import.meta.url), 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith('Tools\n')) ?? '';
  const [head = [], , ...rows] = section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return rows.map((row) => {
    const cells = new Map(head.map((column, at) => [column, row[at] ?? '']));
    return { tool: cells.get('tool') ?? '', toolset: cells.get('toolset') ?? 'feedback', cells };
  });
}

const LINES = linesOf('deny-table.md');
const ALL = [...LINES, ...linesOf('../../packages/feedback/src/deny-table.md')];

type Grants = Record<string, string[]>;

/** Grants that name every tool but the given one. */
function namesBut(left: string): Grants {
  const kept = ALL.filter(({ tool }) => tool !== left);
  const toolsets = Object.groupBy(kept, ({ toolset }) => toolset);
  return Object.fromEntries(
    Object.entries(toolsets).map(([toolset, lines = []]) => [toolset, lines.map(({ tool }) => tool)]),
  );
}

async function keyFor(role: 'admin' | 'member' | 'user', grants: Grants): Promise<string> {
  const answer = await fetch(`${server.url}/api/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Table', role, grants }),
  });
  const { data } = (await answer.json()) as { data?: { key: string } };
  if (data === undefined) throw new Error(`No key was made: ${answer.status}.`);
  return data.key;
}

const EVERYTHING: Grants = { '*': ['*'] };

/** The key of somebody in a column; undefined without one. */
async function keyOf(column: string, { tool, toolset }: Line): Promise<string | undefined> {
  switch (column) {
    case 'no key':
      return undefined;
    case 'visitor':
      return keyFor('user', EVERYTHING);
    case 'member':
      return keyFor('member', EVERYTHING);
    case 'admin':
      return keyFor('admin', EVERYTHING);
    case 'owner':
      return server.key;
    case 'by name':
      return keyFor('admin', { [toolset]: [tool] });
    case 'member by name':
      return keyFor('member', { [toolset]: [tool] });
    case 'other grants':
      return keyFor('admin', namesBut(tool));
    default:
      throw new Error(`Nobody calls as ${column}.`);
  }
}

async function toolsOf(key: string | undefined): Promise<string[]> {
  const { body } = await post(server.mcp, key, message(1, 'tools/list'));
  return (body.result?.tools ?? []).map(({ name }) => name);
}

async function called(key: string | undefined, name: string): Promise<string> {
  const { status, text } = await post(server.mcp, key, message(1, 'tools/call', { name, arguments: {} }));
  return `${status} ${text.replaceAll(name, 'TOOL')}`;
}

/** What the table would say of somebody with this key. */
async function cellOf(key: string | undefined, tool: string): Promise<string> {
  if ((await toolsOf(key)).includes(tool)) return 'ok';
  const answer = await called(key, tool);
  if (answer.startsWith('401 ')) return '401';
  return answer === (await called(key, 'no_such_tool')) ? 'hidden' : answer;
}

test('every tool stands in a line of one of the tables, and no line is without its tool', async () => {
  const listed = await toolsOf(await keyFor('admin', namesBut('')));
  expect(listed.toSorted()).toEqual(ALL.map(({ tool }) => tool).toSorted());
});

test(
  'every tool is there for whoever the table says, and hidden from others',
  { timeout: 240_000 },
  async () => {
    const wrong: string[] = [];
    for (const line of LINES) {
      for (const [column, cell] of line.cells) {
        if (column === 'tool' || column === 'toolset') continue;
        const seen = await cellOf(await keyOf(column, line), line.tool);
        if (seen !== cell) wrong.push(`${line.tool} for ${column}: ${seen}`);
      }
    }
    expect(wrong).toEqual([]);
  },
);

test('no tool is there without a key, those of feedback neither', async () => {
  for (const { tool } of ALL) expect(await cellOf(undefined, tool)).toBe('401');
});
