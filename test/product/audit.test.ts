/** `parley audit`: the audit log in a terminal, as JSON lines and followed, for keys that may read it. */
import { eventually } from '@parley/test-support/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { message, post } from './mcp-messages.ts';
import type { Server } from './parley.ts';
import { runParley, scratchFolder, spawnParley, startParley } from './parley.ts';

const folder = scratchFolder();
let server: Server;
let agent: { id: string; key: string };

interface Entry {
  readonly action: string;
  readonly target: string;
  readonly outcome: string;
  readonly callerId: string;
  readonly userId: string;
  readonly changed: Record<string, unknown>;
}

const parley = (...args: string[]) => runParley([...args, '--data', folder.path]);
const audit = (...args: string[]) => parley('audit', ...args);
const entriesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry);
const listed = async (...args: string[]) => entriesOf((await audit('--json', ...args)).stdout);

/** What somebody planted where it does not belong: a key as the name of a tool. */
let planted: string;

beforeAll(async () => {
  await ensureBuilt();
  server = await startParley(folder.path);
  const made = await parley('agents', 'create', 'Ada', '--tools', 'corvid_list_agents', '--json');
  agent = JSON.parse(made.stdout) as typeof agent;
  planted = agent.key;
  const call = (name: string) =>
    post(server.mcp, agent.key, message(1, 'tools/call', { name, arguments: {} }));
  await call('corvid_save_memory');
  await call(`x${planted}`);
  await parley('keys', 'create', 'CI', '--grant', 'parley:parley_whoami');
  // Denials are written after their answers.
  await eventually(async () => expect(await listed('--denied')).toHaveLength(2));
});

afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

test('shows the last entries, newest first, with who, what and how it ended, and no key in any of them', async () => {
  const { stdout, code } = await audit();
  expect(code).toBe(0);
  const [header, ...lines] = stdout.trimEnd().split('\n');
  expect(header).toMatch(/^TIME +OUTCOME +ACTOR +ACTION +TARGET$/);
  const times = lines.map((line) => line.slice(0, 24));
  expect(times).toEqual(times.toSorted().toReversed());
  expect(stdout).toMatch(/Z +ok +Owner key +key\.created +key_\w+ \(CI\) +\{"name":"CI"/);
  expect(stdout).toMatch(/Z +denied +Agent Ada +call\.denied +corvid_save_memory +\{.*"reason":"not_in_set"/);

  const all = (await audit('--json', '--limit', '1000')).stdout;
  expect(entriesOf(all)).toHaveLength(lines.length);
  const headers = { authorization: `Bearer ${server.key}` };
  const answer = await fetch(`${server.url}/api/audit?limit=100`, { headers });
  const body = await answer.text();
  // Over both ways an entry looks the same.
  expect((JSON.parse(body) as { data: { entries: Entry[] } }).data.entries).toEqual(entriesOf(all));
  for (const text of [stdout, all, body]) {
    expect(text).toContain('x[REDACTED:key]');
    for (const secret of [planted, server.key]) expect(text).not.toContain(secret.slice(-43));
  }
});

test('filters by actor, action, target and time', async () => {
  const [created] = await listed('--action', 'key.created', '--limit', '1');
  expect(created).toMatchObject({ action: 'key.created', outcome: 'ok', changed: { name: 'CI' } });
  expect(await listed('--target', created?.target ?? '', '--since', '1h')).toEqual([created]);
  expect((await listed('--actor', 'Ada')).map(({ outcome }) => outcome)).toEqual(['denied', 'denied']);
  expect(await listed('--actor', 'Owner key', '--action', 'key.created')).toContainEqual(created);
  expect(await listed('--until', '1h')).toEqual([]);
});

test('followed, the oldest comes first, and what is added comes once until Ctrl-C', async () => {
  const following = spawnParley(['audit', '--follow', '--limit', '2', '--json', '--data', folder.path]);
  await following.until('stdout', /\n.*\n/);
  await parley('keys', 'create', 'Followed', '--grant', 'parley:parley_whoami');
  await following.until('stdout', /"Followed".*\n/);
  following.child.kill('SIGINT');
  const { code, stdout, stderr } = await following.ended;
  expect([code, stderr]).toEqual([0, '']);
  expect(entriesOf(stdout)).toEqual((await listed('--limit', '3')).toReversed());
});

test('a key without the right reads nothing, nor does an agent, and wrong options are named', async () => {
  const made = await parley('keys', 'create', 'narrow', '--grant', 'self:MONITORING_LOGS_LIST', '--json');
  const { key } = JSON.parse(made.stdout) as { key: string };
  for (const given of [key, agent.key]) {
    const refused = await audit('--key', given);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('self:audit_read');
  }
  for (const [args, words] of [
    [['--until', 'later'], '--until: must look like'],
    [['what'], 'Usage'],
  ] as const) {
    const { code, stderr } = await audit(...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  }
});

test('an agent that was deleted is found by its name and id, in both logs; a name that nobody has is told', async () => {
  const name = `Ben, who ${'waits and '.repeat(4)}waits`;
  const made = await parley('agents', 'create', name, '--tools', 'corvid_list_agents', '--json');
  const { id, key } = JSON.parse(made.stdout) as typeof agent;
  for (const tool of ['corvid_save_memory', 'corvid_list_agents'])
    await post(server.mcp, key, message(1, 'tools/call', { name: tool, arguments: {} }));
  const denied = { action: 'call.denied', target: 'corvid_save_memory' };
  await eventually(async () => expect(await listed('--actor', name)).toMatchObject([denied]));
  expect((await parley('agents', 'delete', name)).code).toBe(0);
  for (const wanted of [name.toUpperCase(), id]) {
    const found = await audit('--json', '--actor', wanted);
    expect([found.code, entriesOf(found.stdout)]).toMatchObject([0, [denied]]);
    expect(found.stderr).toBe(`The agent "${name}" was deleted; its id was ${id}.\n`);
    const calls = await parley('logs', '--agent', wanted);
    expect([calls.code, calls.stdout]).toEqual([
      0,
      expect.stringMatching(/save_memory[\s\S]*list_agents\n$/),
    ]);
  }
  const nobody = await audit('--json', '--actor', 'Nobody');
  expect(nobody).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'No key, agent or member has the name or id "Nobody".\n',
  });
  // However long a name is, the columns after it stay where they are.
  for (const [column, words] of [
    ['ACTION', ['audit', '--actor', id]],
    ['TOOL', ['logs', '--agent', id]],
  ] as const) {
    const [header = '', ...lines] = (await parley(...words)).stdout.trimEnd().split('\n');
    const starts = lines.map((line) => line.slice(header.indexOf(column) - 5, header.indexOf(column)));
    expect(new Set(starts)).toEqual(new Set(['...  ']));
  }
});
