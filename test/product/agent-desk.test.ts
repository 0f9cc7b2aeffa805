/** The desk of an owner on the command line: questions are answered, executions approved and channels set, beside a server that runs. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { App } from '../../apps/server/src/index.ts';
import { createApp, loadConfig } from '../../apps/server/src/index.ts';
import { ensureBuilt } from './build.ts';
import { callTool } from './mcp-messages.ts';
import { runParley, scratchFolder } from './parley.ts';

const folder = scratchFolder();
let app: App;
let url: string;
let agent: { readonly id: string; readonly key: string };

beforeAll(async () => {
  await ensureBuilt();
  const flags = ['--port', '0', '--log-level', 'silent', '--data', folder.path];
  app = await createApp({ config: loadConfig(flags, { env: {} }).config });
  ({ url } = await app.listen());
  const owner = (await readFile(join(folder.path, 'owner.key'), 'utf8')).trim();
  const made = await fetch(`${url}/api/agents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Ada' }),
  });
  agent = ((await made.json()) as { data: typeof agent }).data;
});
afterAll(async () => {
  await app.close();
  folder[Symbol.dispose]();
});

const parley = (args: readonly string[], env = {}) => runParley([...args, '--data', folder.path], { env });

async function json(...args: string[]) {
  const { code, stdout, stderr } = await parley([...args, '--json']);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(stdout);
}

const call = (name: string, input: object) =>
  callTool({ mcp: `${url}/mcp/agent`, key: agent.key }, name, { ...input });

test('a question is listed and answered, and the agent that waits has the answer', async () => {
  const asked = call('corvid_ask_owner', {
    question: 'Ship it?',
    options: ['yes', 'no'],
    timeout_minutes: 5,
  });
  await expect.poll(async () => (await json('questions', 'list')).length, { timeout: 20_000 }).toBe(1);
  const [{ id }] = await json('questions', 'list');
  const listed = await parley(['questions', 'list']);
  expect(listed.stdout).toMatch(
    new RegExp(`^${id.slice(0, 8)}\\s+Ada\\s+open .*Ship it\\?  1\\) yes  2\\) no`, 'm'),
  );
  for (const odd of [[], ['yes', '--option', '1']])
    expect((await parley(['questions', 'answer', id, ...odd])).code).toBe(2);
  expect(await json('questions', 'answer', id.slice(0, 8), '--option', '2')).toMatchObject({ answer: 'no' });
  expect((await asked).body.result?.structuredContent).toMatchObject({
    answered: true,
    answer: 'no',
    option_index: 2,
  });
  const late = await parley(['questions', 'decline', id]);
  expect(late).toMatchObject({ code: 1, stderr: expect.stringMatching(/answered|closed|over|too late/i) });
  expect(await json('questions', 'list')).toEqual([]);
});

test('an execution that waits is listed and decided on; an agent has no say', async () => {
  const WORK = { type: 'work_task', description: 'Mend it.' };
  const made = await call('corvid_manage_schedule', {
    action: 'create',
    name: 'Nightly',
    interval_minutes: 60,
    schedule_actions: [WORK],
  });
  const schedule_id = (made.body.result?.structuredContent as { id?: string } | undefined)?.id;
  const start = () => call('corvid_manage_schedule', { action: 'run_now', schedule_id });
  await start();
  const [{ id }] = await json('executions', 'list');
  const asAgent = await parley(['executions', 'approve', id], { PARLEY_KEY: agent.key });
  expect(asAgent).toMatchObject({ code: 1, stderr: expect.stringContaining('agent:executions_approve') });
  expect(await parley(['executions', 'deny', id])).toMatchObject({
    code: 0,
    stdout: 'Nightly is denied and never runs.\n',
  });
  expect((await parley(['executions', 'approve', id])).code).toBe(1);
  await start();
  const [{ id: second }] = await json('executions', 'list');
  expect(await json('executions', 'approve', second)).toMatchObject({ approvals: 1 });
  // The server carries out what the command approved.
  await expect
    .poll(async () => (await json('executions', 'list', '--all'))[0]?.result, { timeout: 20_000 })
    .toContain('work_task: ');
});

test('channels are set from stdin, switched and removed; no command shows their settings', async () => {
  const SECRET = 'xoxb-very-secret';
  const set = await runParley(['agents', 'channels', 'ada', 'set', 'slack', '-', '--data', folder.path], {
    input: JSON.stringify({ botToken: SECRET, channel: 'C1' }),
  });
  expect(set).toMatchObject({ code: 0, stdout: expect.stringMatching(/^slack\s+on\s+botToken, channel$/m) });
  expect(await json('agents', 'channels', 'Ada', 'disable', 'slack')).toMatchObject([
    { type: 'slack', enabled: false },
  ]);
  const odd = await parley(['agents', 'channels', 'Ada', 'set', 'pigeon', '{}']);
  expect(odd).toMatchObject({ code: 2, stderr: expect.stringContaining('webhook, slack') });
  const broken = await parley(['agents', 'channels', 'Ada', 'set', 'slack', SECRET]);
  expect(broken.code).toBe(2);
  expect(set.stdout + broken.stderr).not.toContain(SECRET);
  expect(await json('agents', 'channels', 'Ada', 'remove', 'slack')).toEqual([]);
});
