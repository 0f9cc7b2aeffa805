/** What agents have started does not outlive a server that is killed: plugins, runners and their keys end, and no worktree is left over. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { detach } from '@parley/kit';
import { expect, test } from 'vitest';
import { ensureBuilt } from '../product/build.ts';
import { callTool } from '../product/mcp-messages.ts';
import { runParley, scratchFolder, startParley } from '../product/parley.ts';

const SPIN = 'corvid_plugin_spinner_spin';
const PLUGIN = `export const plugin = {
  manifest: { name: 'spinner', version: '1.0.0', description: 'Spins.', author: 'Somebody', capabilities: [] },
  tools: [{ name: 'spin', description: 'Spins.', effect: 'read', inputSchema: { type: 'object' },
    handler: () => { for (;;); } }],
};`;
// Neither it nor what it starts listens to a polite word.
const RUNNER = `
  const { spawn } = require('node:child_process');
  const idle = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
  process.on('SIGTERM', () => {});
  spawn(process.execPath, ['-e', idle], { stdio: 'inherit' });
  setInterval(() => {}, 1000);
`;

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly args: string;
}

/** All that run now; one that has ended and is only not collected yet does not. */
function processes(): Process[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,pgid=,stat=,args='], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [pid, parent, group, state = 'Z', ...args] = line.trim().split(/\s+/);
    if (state.startsWith('Z')) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), args: args.join(' ') }];
  });
}

/** What a server has started, with all that those have started in their turn. */
function startedBy(server: number): Process[] {
  const all = processes();
  const groups = new Set(all.filter(({ parent }) => parent === server).map(({ pid }) => pid));
  return all.filter(({ group }) => groups.has(group));
}

test('a plugin that spins and a runner with a child end with a server that is killed; a leftover worktree goes at the next start', async () => {
  await ensureBuilt();
  using folder = scratchFolder();
  const top = realpathSync(folder.path);
  const [data, code] = [join(top, 'data'), join(top, 'code', 'app')];
  const plugin = join(data, 'plugins', 'spinner');
  for (const path of [plugin, code]) mkdirSync(path, { recursive: true });
  writeFileSync(join(plugin, 'package.json'), '{ "type": "module", "main": "index.js" }');
  writeFileSync(join(plugin, 'index.js'), PLUGIN);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@t.invalid', '-C', code, ...args]);
  git('init', '--quiet', '--initial-branch=main');
  git('commit', '--quiet', '--allow-empty', '--message=First');

  const command = JSON.stringify([process.execPath, '-e', RUNNER]);
  const args = ['--project-root', join(top, 'code'), '--runner', 'command', '--runner-command', command];
  await using server = await startParley(data, { args });
  const api = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${server.url}/api/${path}`, {
      method,
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    expect([answer.ok, text]).toEqual([true, text]);
    return JSON.parse(text).data;
  };
  const { projects } = await api('GET', 'projects');
  await api('PUT', `projects/${projects[0].id}/code`, { folder: code });
  await api('POST', 'plugins/load', { package_name: 'spinner' });
  const tools = [SPIN, 'corvid_create_work_task'];
  const { key } = await api('POST', 'agents', { name: 'Ada', tools, default_project_id: projects[0].id });
  const call = (name: string, input = {}) => callTool({ mcp: `${server.mcp}/agent`, key }, name, input);
  const spinning = call(SPIN);
  detach(spinning, () => undefined); // its server is killed
  const made = await call('corvid_create_work_task', { description: 'Never ends.' });
  expect(made.body.result?.structuredContent).toMatchObject({ status: expect.any(String) });
  const pid = server.child.pid ?? 0;
  // The runner and its child; then the plugin, and the watches of both groups.
  const isOfRunner = ({ args: words }: Process) => words.startsWith(`${process.execPath} -e `);
  await expect.poll(() => startedBy(pid).filter(isOfRunner).length, { timeout: 20_000 }).toBe(2);
  const started = startedBy(pid);
  expect(started.length).toBeGreaterThanOrEqual(3);
  expect(started.some(({ args: words }) => words.includes('plugin-program'))).toBe(true);

  await server.stop('SIGKILL');
  const left = () => processes().filter(({ pid: one }) => started.some((each) => each.pid === one));
  await expect.poll(left, { timeout: 20_000 }).toEqual([]);
  // Nobody revoked the key that the runner had; it ends by itself.
  const keys = await runParley(['keys', 'list', '--json', '--data', data]);
  const ends = (JSON.parse(keys.stdout) as { name: string; expiresAt: string | null }[])
    .filter(({ name }) => name === 'Run of Ada')
    .map(({ expiresAt }) => new Date(expiresAt ?? Infinity).getTime());
  expect(ends).toHaveLength(1);
  expect(ends[0]).toBeLessThanOrEqual(Date.now() + 60_000);

  const stray = join(data, 'work', 'work_stray');
  mkdirSync(stray);
  await using again = await startParley(data, { args });
  expect(existsSync(stray)).toBe(false);
  expect((await again.stop()).code).toBe(0);
}, 60_000);
