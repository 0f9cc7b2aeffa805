import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkBoundaries } from '../../scripts/check/boundaries.ts';
import { readSourceTree } from '../../scripts/check/source-tree.ts';
import { checkWalks, readWalks, WALKS_PAGE } from '../../scripts/check/walks.ts';
import { checkWorkspace, manifest } from './workspace.ts';
import type { Files } from './workspace.ts';

const root = join(import.meta.dirname, '../..');
const walks = readWalks(readFileSync(join(root, WALKS_PAGE), 'utf8'));

/** The most files that a reader of the hot call shall have to open. */
const MOST_HOT = 22;
/** What only hands the record down when the server starts. */
const HANDED_DOWN = new Set(['packages/gateway/src/calls/call-parts.ts', 'packages/store/src/store.ts']);

test('every walk of the architecture page is true', () => {
  expect(checkWalks(readSourceTree(root))).toEqual([]);
});

test('all seven walks are there, and the hot call is short', () => {
  expect(walks.map(({ title }) => title)).toEqual([
    'A hot call',
    'The record of a call',
    'A call of the 2025 era',
    'There, in the page',
    'There, in the server',
    'There, to the agent',
    'Back, from the agent',
    'Back, in the page',
    'By REST',
    'By MCP',
    'In the services',
    'Made and run',
    'Followed',
    'Who the agent is',
    'What it asks',
    'What a person answers',
    'What it does while nobody watches',
    'There, to the upstream',
    'Back, with a question',
  ]);
  const entered = walks
    .slice(0, 2)
    .flatMap(({ steps }) => steps.filter(({ path }) => !HANDED_DOWN.has(path)));
  expect(entered.length).toBeLessThanOrEqual(MOST_HOT);
  expect(walks.every(({ steps }) => steps.length > 4)).toBe(true);
});

const rows = (...paths: string[]) => paths.map((path) => `| [a](../${path}) | it works |`).join('\n');
const page = (...paths: string[]) =>
  `# A\n\n## A walk\n\n| file | what happens there |\n|---|---|\n${rows(...paths)}\n`;

const FIRST = 'apps/server/src/first.ts';
const DOOR = 'packages/gateway/src/door.ts';
const RATE = 'packages/gateway/src/rate.ts';
const INDEX = 'packages/gateway/src/index.ts';

/** The server imports the door behind the entry of the gateway, and the door loads the rate late. */
const house: Files = {
  'packages/gateway/package.json': manifest('gateway'),
  [INDEX]: `export type { Door } from './door.ts';\nexport { rate } from './rate.ts';\n`,
  [DOOR]: `export interface Door { open(): void }\nexport const late = () => import('./rate.ts');\n`,
  [RATE]: `export const rate = 1;\n`,
  [FIRST]: `import type { Door } from '@parley/gateway';\nexport type Opened = Door;\n`,
};

function findingsIn(text: string): string[] {
  const check = (folder: string) => ({ findings: checkWalks(readSourceTree(folder)), notes: [] });
  const { findings } = checkWorkspace({ ...house, [WALKS_PAGE]: text }, check);
  return findings.map(({ rule, line, message }) => `${rule}:${line} ${message}`);
}

test('files in the order of their imports pass, behind the entry of a package and loaded late', () => {
  expect(findingsIn(page(FIRST, DOOR, RATE))).toEqual([]);
});

test('a walk may begin anywhere, and each heading begins another', () => {
  expect(findingsIn(`${page(RATE)}\n### On\n${rows(DOOR, RATE)}`)).toEqual([]);
});

test('the boundaries check names them too', () => {
  const { findings } = checkWorkspace({ ...house, [WALKS_PAGE]: page(FIRST, RATE) }, checkBoundaries);
  expect(findings.map(({ rule, file }) => `${rule} ${file}`)).toContain(`walk ${WALKS_PAGE}`);
});

const broken: [what: string, text: string, found: RegExp[]][] = [
  [
    'two steps in the wrong order',
    page(FIRST, RATE, DOOR),
    [/^walk:8 no earlier file .* imports .*rate\.ts/],
  ],
  ['a name that the entry has, and nobody asked for', page(FIRST, RATE), [/^walk:8 .*rate\.ts/]],
  ['a walk against its imports', page(RATE, DOOR, FIRST), [/^walk:8 .*door\.ts/, /^walk:9 .*first\.ts/]],
  ['a file that is gone', page(FIRST, 'apps/server/src/gone.ts'), [/^walk:8 .*gone\.ts is no file/]],
  [
    'what an earlier walk has reached',
    `${page(FIRST, DOOR)}\n### On\n${rows(FIRST, RATE)}`,
    [/^walk:12 .*'On'.*rate\.ts/],
  ],
  [
    'a function that is not there',
    page(FIRST, DOOR).replace(/it works \|\n$/, '`open()` and `shut()` |\n'),
    [/^walk-name:8 .*'shut'/],
  ],
];

test.each(broken)('%s is named', (_what, text, found) => {
  const findings = findingsIn(text);
  expect(findings).toHaveLength(found.length);
  for (const [index, pattern] of found.entries()) expect(findings[index]).toMatch(pattern);
});
