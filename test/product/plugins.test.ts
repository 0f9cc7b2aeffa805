/** Plugins of the built product: loaded from the command line, called by an agent over HTTP and stdio, held back after a restart where they changed. */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import { ensureBuilt, ROOT } from './build.ts';
import { callTool, stdioClient } from './mcp-messages.ts';
import { runParley, scratchFolder, spawnParley, startParley } from './parley.ts';

const NOW = 'corvid_plugin_clock_now';

test('an owner loads the example, an agent calls it, nobody else manages plugins, and one that changed is loaded again', async () => {
  await ensureBuilt();
  using folder = scratchFolder();
  const data = folder.path;
  cpSync(join(ROOT, 'examples/plugin-clock'), join(data, 'plugins/clock'), { recursive: true });
  const plugins = (...args: string[]) => runParley(['plugins', ...args, '--data', data]);
  const api = async (url: string, key: string, path: string, body?: object) => {
    const answer = await fetch(`${url}/api/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as { data: Record<string, unknown> } };
  };
  const call = async (mcp: string, key: string) =>
    (await callTool({ mcp: `${mcp}/agent`, key }, NOW, { timezone: 'Europe/Berlin' })).body;
  let owner = '';
  let agent = '';
  {
    await using server = await startParley(data);
    owner = server.key;
    const loaded = await plugins('load', 'clock');
    expect([loaded.code, loaded.stdout]).toEqual([
      0,
      `The plugin clock 1.0.0 is loaded.\nIts tools: ${NOW}\n`,
    ]);
    const made = await api(server.url, owner, 'agents', { name: 'Ada', tools: [NOW] });
    agent = String(made.body.data['key']);
    await eventually(async () => {
      expect(await call(server.mcp, agent)).toMatchObject({
        result: { structuredContent: { timezone: 'Europe/Berlin' } },
      });
    });
    expect(await api(server.url, owner, 'plugins')).toMatchObject({
      status: 200,
      body: { data: { loaded: [{ name: 'clock' }], all: [{ name: 'clock', status: 'active' }] } },
    });
    expect((await api(server.url, agent, 'plugins')).status).toBe(403);
    const status = async (path: string, body: object) => (await api(server.url, owner, path, body)).status;
    expect(await status('plugins/load', { package_name: '../clock' })).toBe(400);
    expect(await status('plugins/load', { package_name: 'clock' })).toBe(409);
    expect(await status('plugins/load', { package_name: 'nowhere' })).toBe(404);
    expect(await status('plugins/clock/grant', { capability: 'db:read' })).toBe(400);
    expect(await status('plugins/never/unload', {})).toBe(404);
  }
  writeFileSync(join(data, 'plugins/clock/more.js'), '');
  await using again = await startParley(data);
  expect(await call(again.mcp, agent)).toMatchObject({ error: { message: `Unknown tool: ${NOW}` } });
  const list = await plugins('list');
  expect(list.stdout).toMatch(/^clock +1\.0\.0 +changed /m);
  expect(list.stdout).toContain(
    'clock: Its files changed since it was loaded. Load it again with: parley plugins load clock',
  );
  expect((await plugins('load', 'clock')).code).toBe(0);
  await eventually(async () => {
    expect(await call(again.mcp, agent)).toMatchObject({
      result: { structuredContent: { timezone: 'Europe/Berlin' } },
    });
  });
  expect((await plugins('unload', 'clock')).stdout).toContain('is unloaded');
  await eventually(async () => {
    expect(await call(again.mcp, agent)).toMatchObject({ error: { message: `Unknown tool: ${NOW}` } });
  });
  expect((await plugins('list', '--json')).stdout).toContain('"status":"disabled"');
}, 120_000);

test('a process on stdio lists and calls plugins from its first request on, for agents that have them', async () => {
  await ensureBuilt();
  using folder = scratchFolder();
  const data = ['--data', folder.path];
  cpSync(join(ROOT, 'examples/plugin-clock'), join(folder.path, 'plugins/clock'), { recursive: true });
  const made = await runParley(['agents', 'create', 'Ada', '--tools', NOW, '--json', ...data]);
  await runParley(['agents', 'create', 'Ben', ...data]);
  expect((await runParley(['plugins', 'load', 'clock', ...data])).code).toBe(0);
  const { key } = JSON.parse(made.stdout) as { key: string };
  const ways = [
    { args: ['agent', '--agent', 'Ada'], env: {}, has: true },
    { args: [], env: { PARLEY_KEY: key }, has: true },
    { args: ['agent', '--agent', 'Ben'], env: {}, has: false },
  ];
  for (const { args, env, has } of ways) {
    const program = spawnParley(['mcp', ...args, ...data], { env });
    const client = stdioClient(program);
    const [tools, called] = await Promise.all([
      client.tools(),
      client.call(NOW, { timezone: 'Europe/Berlin' }),
    ]);
    expect([args, tools.includes(NOW)]).toEqual([args, has]);
    expect(called).toMatchObject(
      has
        ? { result: { structuredContent: { timezone: 'Europe/Berlin' } } }
        : { error: { message: `Unknown tool: ${NOW}` } },
    );
    program.child.stdin.end();
    expect((await program.ended).code).toBe(0);
  }
  writeFileSync(join(folder.path, 'plugins/clock/more.js'), '');
  const late = await runParley(['call', NOW, '{}', ...data], { env: { PARLEY_KEY: key } });
  expect(late).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'parley: plugin clock: The plugin changed since it was loaded, so it does not run. An owner loads it again.\n' +
      `Error: Unknown tool: ${NOW}\n`,
  });
});
