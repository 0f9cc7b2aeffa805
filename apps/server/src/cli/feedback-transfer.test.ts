/** `parley feedback import` and `export`, as they are typed. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { feedback } from './feedback.ts';

let folder = '';
let out = '';
let told = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-cli-'));
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    told += String(text);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

async function run(...args: string[]): Promise<{ code: number; out: string; told: string }> {
  out = '';
  told = '';
  const listeners = process.listenerCount('SIGINT');
  const code = await feedback([...args, '--data', join(folder, 'data'), '--init'], []);
  expect(process.listenerCount('SIGINT')).toBe(listeners);
  return { code, out, told };
}

function file(name: string, content: string): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

test('an import names bad rows, sums up, and ends with 1; a good one ends with 0', async () => {
  const path = file('posts.csv', 'title,board,stars\nOne,Ideas,1\n,Ideas,2\nTwo,Ideas,3\n');
  const dry = await run('import', path, '--create-boards', '--dry-run');
  expect(dry).toEqual({
    code: 1,
    told: 'row 3: title: is required\n3 of 3\n',
    out: 'Ignored columns: stars\nWould make boards: Ideas\nDry run: 2 of 3 rows can be imported; 1 cannot. Nothing was written.\n',
  });
  expect(await run('import', path, '--create-boards')).toEqual({
    code: 1,
    told: 'row 3: title: is required\n3 of 3\n',
    out: 'Ignored columns: stars\nMade boards: Ideas\nImported 2 of 3 rows; 1 failed.\n',
  });
  const again = await run('import', path, '--create-boards', '--json');
  expect(again.told).toBe('');
  expect(JSON.parse(again.out)).toMatchObject({ rows: 3, imported: 0, skipped: 2, failed: 1 });
  const good = await run('import', file('good.json', '[{"title":"Three"}]'), '--board', 'ideas');
  expect([good.code, good.out]).toEqual([0, 'Imported 1 of 1 rows.\n']);
});

test('an export is a new file that only its owner reads, and can be imported elsewhere', async () => {
  await run('import', file('posts.csv', 'title,board,votes\nOne,Ideas,7\n'), '--create-boards');
  const archive = join(folder, 'all.jsonl');
  expect((await run('export', archive)).out).toBe(
    `Exported 1 posts to ${archive}. The file holds e-mail addresses: keep it safe.\n`,
  );
  expect(statSync(archive).mode & 0o777).toBe(0o600);
  await expect(run('export', archive)).rejects.toThrow(`${archive} exists already. Give another name.`);
  await expect(run('import', archive)).rejects.toThrow('into an empty organization only');
  const stdout = await run('export');
  const withoutTime = (text: string) => text.replace(/"exportedAt":"[^"]*"/, '');
  expect(withoutTime(stdout.out)).toBe(withoutTime(readFileSync(archive, 'utf8')));
  const csv = join(folder, 'posts.csv');
  rmSync(csv);
  expect(JSON.parse((await run('export', csv, '--posts-csv', '--json')).out)).toEqual({
    file: csv,
    lines: 2,
    posts: 1,
  });
  expect(readFileSync(csv, 'utf8')).toMatch(/,7,0,[^,]+\r\n$/);

  rmSync(join(folder, 'data'), { recursive: true });
  expect((await run('import', archive)).code).toBe(0);
  // Whoever imports as the owner is the owner of the archive, with an id and a time of their own.
  const contents = (text: string) =>
    text.replaceAll(/"(member|user)_[0-9a-z]{26}"/g, '"$1"').replace(/"(exportedAt|joinedAt)":"[^"]*"/g, '');
  expect(contents((await run('export')).out)).toBe(contents(readFileSync(archive, 'utf8')));
});

test.each([
  [[], 'Usage: parley feedback publish on|off'],
  [['constructor'], 'Usage: parley feedback publish on|off'],
  [['import'], 'Usage: parley feedback import FILE'],
  [['import', 'a.csv', 'b.csv'], 'Usage: parley feedback import FILE'],
  [['import', 'a.csv', '--posts-csv'], 'Unknown option --posts-csv. --help'],
  [['export', 'a.csv'], 'An archive must have a name that ends in .jsonl'],
  [['export', 'a.jsonl', '--posts-csv'], 'The CSV of posts must have a name that ends in .csv'],
  [['import', 'notes.txt'], 'The name of notes.txt does not tell its form. Use .csv, .json or .jsonl.'],
])('%j is refused', async (args, message) => {
  await expect(run(...args)).rejects.toThrow(message);
});
