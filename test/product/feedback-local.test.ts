/** Feedback of the data folder over stdio, beside a running server, in both eras. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { talkTo } from '../clients/remote-feedback.ts';
import { ensureBuilt } from './build.ts';
import type { Server } from './parley.ts';
import { runParley, scratchFolder, spawnParley, startParley } from './parley.ts';

const folder = scratchFolder();
const data = join(folder.path, 'data');
let server: Server;
let boardId = '';

beforeAll(async () => {
  await ensureBuilt();
  server = await startParley(data);
  const answer = await fetch(`${server.url}/api/v1/boards`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Ideas' }),
  });
  const made = (await answer.json()) as { data: { id: string } };
  boardId = made.data.id;
});

afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

test.each(['modern', 'legacy'] as const)('each everyday tool and list works for a %s client', async (era) => {
  const running = spawnParley(['mcp', 'feedback', '--data', data]);
  onTestFinished(async () => {
    running.child.stdin.end();
    await running.ended;
  });
  const client = talkTo(running, era);
  const opened = await client.open();
  expect(opened.capabilities.resources).toMatchObject({ subscribe: true });
  const call = async (name: string, args: Record<string, unknown>) => {
    const { result } = await client.ask('tools/call', { name, arguments: args });
    expect(result, name).not.toHaveProperty('isError');
    return result.structuredContent;
  };
  const { id: postId } = await call('create_post', { boardId, title: `Dark mode (${era})` });
  expect(await call('add_comment', { postId, content: 'Yes.' })).toMatchObject({ postId });
  expect(await call('triage_post', { postId, officialResponse: 'Soon.' })).toMatchObject({ id: postId });
  expect(await call('get_post', { postId })).toMatchObject({ comments: [{ content: 'Yes.' }] });
  expect(await call('search_feedback', { query: era })).toMatchObject({ posts: [{ id: postId }], total: 1 });
  expect(await call('create_changelog', { title: 'News', content: 'Dark.' })).toMatchObject({
    state: 'draft',
  });
  const { resources } = (await client.ask('resources/list')).result;
  expect(resources).toHaveLength(5);
  for (const { uri } of resources) {
    const { result } = await client.ask('resources/read', { uri });
    expect(Array.isArray(JSON.parse(result.contents[0].text)), uri).toBe(true);
  }
  expect(running.stderr()).toBe('');
});

const EVERYDAY = 'add_comment create_changelog create_post get_post search_feedback triage_post'.split(' ');

test('the owner sees six tools, and all of them with --extended or with a key that names them', async () => {
  const listed = async (...flags: string[]) => {
    const { stdout } = await runParley(['tools', 'feedback', '--data', data, '--json', ...flags]);
    return (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name);
  };
  expect(await listed()).toEqual(EVERYDAY);
  expect(await listed('--extended')).toHaveLength(22);
  const created = await runParley([
    'keys',
    'create',
    'triage',
    '--grant',
    'feedback:*,merge_post',
    '--data',
    data,
  ]);
  const [key = ''] = /parley_\w{12}_[\w-]+/.exec(created.stdout) ?? [];
  expect(await listed('--key', key)).toEqual([...EVERYDAY, 'merge_post'].toSorted());
  const call = (...args: string[]) => runParley(['call', ...args, '--data', data]);
  expect((await call('find_feedback')).stderr).toBe('Error: Unknown tool: find_feedback\n');
  expect((await call('find_feedback', '--extended')).code).toBe(0);
});

test('the second tier is listed over stdio when it is asked for', async () => {
  for (const [flags, tools] of [
    [[], 6],
    [['--extended'], 22],
  ] as const) {
    const running = spawnParley(['mcp', 'feedback', '--data', data, ...flags]);
    const client = talkTo(running, 'modern');
    await client.open();
    expect((await client.ask('tools/list')).result.tools).toHaveLength(tools);
    running.child.stdin.end();
    expect((await running.ended).code).toBe(0);
  }
});
