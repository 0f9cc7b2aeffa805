/** `parley agents`, and `parley mcp agent` as one of them: the command line as its users have it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { stdioClient } from './mcp-messages.ts';
import { runParley, scratchFolder, spawnParley } from './parley.ts';

const LIST = 'corvid_list_agents';
const folder = scratchFolder();

beforeAll(() => ensureBuilt());
afterAll(() => folder[Symbol.dispose]());

const agents = (...args: string[]) => runParley(['agents', ...args, '--data', folder.path]);

/** What a command prints with --json, which is one line. */
async function json(...args: string[]) {
  const { code, stdout, stderr } = await agents(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  return JSON.parse(stdout);
}

test('makes an agent, shows and changes it, and names those that there are', async () => {
  const made = await json(
    'create',
    'Ada',
    '--tools',
    `${LIST},corvid_gone,ask_owner`,
    '--description',
    'Looks',
  );
  expect(made).toEqual({
    id: expect.stringMatching(/^agt_/),
    name: 'Ada',
    key: expect.stringMatching(/^parley_/),
    warnings: [
      'corvid_gone: no such tool now',
      'ask_owner: no such tool now; did you mean corvid_ask_owner?',
    ],
  });
  expect(await json('list')).toMatchObject([{ id: made.id, name: 'Ada', description: 'Looks' }]);
  expect(await json('tools', 'ada')).toMatchObject({ tools: [LIST], unknown: ['corvid_gone', 'ask_owner'] });
  expect(await json('update', 'ada', '--name', 'Bea', '--tools', 'none')).toMatchObject({
    name: 'Bea',
    tools: [],
  });
  const unknown = await agents('show', 'Ada');
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('There are: Bea.') });
  const lost = await agents('update', 'Bea', '--project', 'proj_nope');
  expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining('"parley projects list"') });
  const create = ['projects', 'create', 'garden', '--name', 'The garden', '--data', folder.path, '--json'];
  const { id: project } = JSON.parse((await runParley(create)).stdout);
  const moved = await agents('update', 'Bea', '--project', project);
  expect(moved.stdout).toBe('The agent Bea has no tools.\nIt works in the project The garden.\n');
  expect((await agents('update', 'Bea', '--project', 'none')).stdout).toContain(
    'It has no project of its own.',
  );
  const odd = await agents('tools', 'Bea', '--source', 'console');
  expect(odd).toMatchObject({ code: 2, stderr: expect.stringContaining('--source: must be one of web, ') });
  expect(await json('delete', 'Bea')).toMatchObject({ id: made.id, deleted: true });
});

test('serves stdio as an agent by its name, and with its key', async () => {
  const { id, key } = await json('create', 'Cem', '--tools', LIST);
  await json('create', 'Dora');
  const ways = [
    { args: ['--agent', 'cem'], env: {} },
    { args: [], env: { PARLEY_KEY: key } },
  ];
  for (const { args, env } of ways) {
    const program = spawnParley(['mcp', 'agent', ...args, '--data', folder.path], { env });
    const client = stdioClient(program);
    const { result } = await client.call(LIST);
    expect(result?.structuredContent).toMatchObject({ agents: [{ name: 'Dora' }] });
    expect(JSON.stringify(result)).not.toContain(id);
    expect((await client.call('corvid_nope')).error?.message).toMatch(/unknown tool/i);
    program.child.stdin.end();
    expect((await program.ended).code).toBe(0);
  }
  // By its name and with its key: both are what it did.
  const logs = (...args: string[]) => runParley(['logs', '--data', folder.path, ...args]);
  const did = (await logs('--agent', 'CEM')).stdout.trimEnd().split('\n').slice(1);
  expect(did.filter((line) => / ok .* Agent Cem .*corvid_list_agents$/.test(line))).toHaveLength(2);
  expect((await logs('--agent', 'Dora')).stdout).not.toContain(LIST);
  expect(await logs('--agent', 'Zoe')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There are: '),
  });
  const nobody = await runParley(['mcp', 'agent', '--agent', 'Zoe', '--data', folder.path]);
  expect(nobody).toMatchObject({ code: 2, stderr: expect.stringContaining('There are: Cem, Dora.') });
  const elsewhere = await runParley(['mcp', '--agent', 'Cem', '--data', folder.path]);
  expect(elsewhere).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('works with "parley mcp agent" only'),
  });
  const asAgent = await runParley(['mcp', 'agent', '--agent', 'Dora', '--data', folder.path], {
    env: { PARLEY_KEY: key },
  });
  expect(asAgent).toMatchObject({ code: 1, stderr: expect.stringContaining('agent:agents_manage') });
});
