/** `parley logs`: the log in a terminal, as JSON lines, followed and exported, for keys that may read it. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callTool } from './mcp-messages.ts';
import type { Server } from './parley.ts';
import { runParley, scratchFolder, spawnParley, startParley } from './parley.ts';

const program = join(import.meta.dirname, 'notes-program.ts');
const folder = scratchFolder();
let server: Server;

const logs = (...args: string[]) => runParley(['logs', ...args, '--data', folder.path], { program });
const entriesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map(
      (line) => JSON.parse(line) as { toolName: string; input: string; isError: boolean; callerId: string },
    );

beforeAll(async () => {
  server = await startParley(folder.path, { program });
  await callTool(server, 'note_add', { text: '=1+1;@x' });
  await callTool(server, 'note_add', { text: 7 });
  await callTool(server, 'absent_tool');
  await fetch(`${server.url}/api/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: '{"type":"order.paid"}',
  });
  await callTool(server, 'parley_whoami');
  // Records are written every 100 ms; the follower below shows when they are there.
  const following = spawnParley(['logs', '--follow', '--data', folder.path], { program });
  await following.until('stdout', /parley_whoami/);
  await callTool(server, 'note_add', { text: 'followed' });
  await following.until('stdout', /parley_whoami[\s\S]*note_add/);
  following.child.kill('SIGINT');
  const { code, stdout, stderr } = await following.ended;
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.match(/note_add/g)).toHaveLength(3);
});

afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

test('shows the last calls, oldest first, with caller, outcome and what went wrong', async () => {
  const { stdout, code } = await logs();
  expect(code).toBe(0);
  const [header, ...lines] = stdout.trimEnd().split('\n');
  expect(header).toMatch(/^TIME +OUTCOME +MS +CALLER +TOOL$/);
  expect(lines).toHaveLength(6);
  expect(lines[0]).toMatch(/^\d{4}-\S+Z +ok +\d+\.\d  .* note_add$/);
  expect(lines[1]).toMatch(/ invalid .* note_add  .*text/);
  expect(lines[2]).toMatch(/ unknown .* absent_tool$/);
});

test('filters by tool, caller, error and time, and prints JSON lines', async () => {
  const byTool = entriesOf((await logs('--json', '--tool', 'note_add', '--error')).stdout);
  expect(byTool).toMatchObject([{ toolName: 'note_add', isError: true, input: '{"text":7}' }]);
  const caller = byTool[0]?.callerId ?? '';
  expect(
    entriesOf((await logs('--json', '--caller', caller, '--since', '1h', '--limit', '2')).stdout),
  ).toMatchObject([{ toolName: 'parley_whoami' }, { toolName: 'note_add', input: '{"text":"followed"}' }]);
  const published = await logs('--json', '--tool', 'POST /api/events');
  expect(entriesOf(published.stdout)).toMatchObject([{ toolName: 'POST /api/events', isError: false }]);
  const [known, nobody] = [await logs('--caller', 'Owner key'), await logs('--json', '--caller', 'nobody')];
  expect([known.code, known.stderr]).toEqual([0, '']);
  const said = 'No key that you may list has the name or id "nobody".\n';
  expect(nobody).toEqual({ code: 0, stdout: '', stderr: said });
  expect((await logs('--json', '--since', '2999-01-01T00:00:00Z')).stdout).toBe('');
});

test('exports JSON lines and CSV that no spreadsheet runs, into a new file of its owner', async () => {
  const [lines, csv] = [join(folder.path, 'calls.jsonl'), join(folder.path, 'calls.csv')];
  expect((await logs('export', lines)).stdout).toBe(`Exported 6 records to ${lines}.\n`);
  expect(entriesOf(readFileSync(lines, 'utf8')).map(({ toolName }) => toolName)).toEqual([
    'note_add',
    'parley_whoami',
    'POST /api/events',
    'absent_tool',
    'note_add',
    'note_add',
  ]);
  expect((await logs('export', csv, '--tool', 'note_add', '--json')).stdout).toContain('"records":3');
  expect(statSync(csv).mode & 0o777).toBe(0o600);
  const text = readFileSync(csv, 'utf8');
  expect(text.split('\r\n')[0]).toMatch(/^timestamp,id,connectionId,.*,input,output$/);
  expect(text).toContain(`"{""text"":""=1+1;'@x""}"`);
  const again = await logs('export', csv);
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('exists already')]);
});

test('a key without the tool reads nothing, and wrong options are named', async () => {
  const made = await runParley(
    ['keys', 'create', 'narrow', '--grant', 'parley:parley_whoami', '--json', '--data', folder.path],
    { program },
  );
  const { key } = JSON.parse(made.stdout) as { key: string };
  const refused = await logs('--key', key);
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toContain('MONITORING_LOGS_LIST');
  for (const [args, words] of [
    [['--since', 'soon'], '--since'],
    [['--limit', '-1'], 'parley: --limit: needs a value after it.'],
    [['--bogus'], 'parley: Unknown option --bogus. --help lists those that there are.\n'],
    [['export', 'calls.txt'], '.jsonl'],
    [['what'], 'Usage'],
  ] as const) {
    const { code, stderr } = await logs(...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  }
});
