import { expect, test } from 'vitest';
import { checkDocs } from '../../scripts/check/docs.ts';
import { checkWorkspace } from './workspace.ts';
import type { Files } from './workspace.ts';

const FENCE = '```';

function findingsIn(files: Files): string[] {
  const { findings } = checkWorkspace(files, checkDocs);
  return findings.map(({ rule, file, line }) => `${rule} ${file}:${line}`);
}

test('true pages pass', () => {
  const page = [
    '# A page',
    '[next](docs/next.md#two-words) [here](#a-page) [away](https://example.org/x) `[no](link)`',
    '<img src="docs/next.md">',
    `${FENCE}md\n[not](a-link.md)\n${FENCE}`,
    `${FENCE}json\n{ "a": 1 }\n${FENCE}`,
    `${FENCE}ts run\nconst a: number = 1;\nif (a !== 1) throw new Error();\n${FENCE}`,
    `${FENCE}ts\nthis is not run\n${FENCE}`,
  ].join('\n');
  expect(findingsIn({ 'README.md': page, 'docs/next.md': '## Two words\n[back](../README.md)\n' })).toEqual(
    [],
  );
});

test('a link that leads nowhere is named', () => {
  const files = { 'README.md': 'a\n[x](docs/gone.md)\n', 'docs/decisions/001-a.md': '[x]: ../gone.md\n' };
  expect(findingsIn(files)).toEqual(['link README.md:2', 'link docs/decisions/001-a.md:1']);
});

test('a link to a heading that is not there is named', () => {
  expect(findingsIn({ 'README.md': '# One\n\n[x](#two)\n' })).toEqual(['link README.md:3']);
});

test('an example that fails is named, with what it printed', () => {
  const page = `a\n${FENCE}ts run\nthrow new Error('the reason');\n${FENCE}\n`;
  const { findings } = checkWorkspace({ 'docs/page.md': page }, checkDocs);
  expect(findings.map(({ rule, file, line }) => `${rule} ${file}:${line}`)).toEqual([
    'example docs/page.md:2',
  ]);
  expect(findings[0]?.message).toContain('the reason');
});

test('JSON that does not parse is named', () => {
  expect(findingsIn({ 'README.md': `${FENCE}json\n{ a: 1 }\n${FENCE}\n` })).toEqual(['json README.md:1']);
});

test('pictures of screens that have other names now are to be taken anew', () => {
  const entry = (title: string) => `  { path: '/', title: '${title}', rail: 'home', keys: 'g h' },\n`;
  const files = (title: string) => ({
    'docs/images/shown.json': '["home: Home", "home /: Home"]',
    'apps/console/src/screens.ts': `${entry(title)}export const RAIL_TITLES = {\n  home: 'Home',\n};\n`,
  });
  expect(checkWorkspace(files('Home'), checkDocs).findings).toEqual([]);
  expect(checkWorkspace(files('Start'), checkDocs).findings).toEqual([
    expect.objectContaining({ rule: 'pictures', message: expect.stringContaining('npm run screenshots') }),
  ]);
});
