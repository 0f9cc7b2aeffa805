/** The launcher on a Node that is too old: it goes on with the Node that was installed with the project. */
import { execFileSync } from 'node:child_process';
import { request } from 'node:http';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { stdioClient } from './mcp-messages.ts';
import { runParley, scratchFolder, spawnParley, startParley } from './parley.ts';

beforeAll(ensureBuilt);

/** A Node of this machine that Parley cannot run on, if there is one outside the project. */
function findOldNode(): string | undefined {
  const folders = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'));
  return folders.map((folder) => join(folder, 'node')).find((path) => existsSync(path) && isOld(path));
}

function isOld(node: string): boolean {
  const [major = 0, minor = 0] = execFileSync(node, ['-p', 'process.versions.node'])
    .toString()
    .split('.')
    .map(Number);
  return major < 22 || (major === 22 && minor < 13);
}

const oldNode = findOldNode();

/** The command lines that everybody on the machine can read, by process id; Linux only. */
function commandLines(): Map<number, string> {
  const lines = readdirSync('/proc').flatMap((name): [number, string][] => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return [[Number(name), readFileSync(`/proc/${name}/cmdline`, 'utf8')]];
    } catch {
      return [];
    }
  });
  return new Map(lines);
}

function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
}

/** A request whose body is not there yet: the server does not end before it is answered. */
function beginRequest(url: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const sent = request(`${url}/mcp`, { method: 'POST', headers: { 'content-length': 2 } });
  sent.on('error', () => undefined);
  sent.write('{', () => resolve());
  return { sent: promise, finish: () => sent.end('}') };
}

const processesWith = (text: string) => [...commandLines().values()].filter((line) => line.includes(text));

// Without a Node older than 22.13 on the machine there is nothing that has to hand over.
describe.skipIf(oldNode === undefined)('an old Node hands over to the installed one', () => {
  const node = oldNode!;

  test('with arguments, signals and exit codes', async () => {
    using folder = scratchFolder();
    expect(await runParley(['call', 'nothing', '--data', folder.path], { node })).toMatchObject({ code: 1 });
    expect(await runParley(['dance'], { node })).toMatchObject({ code: 2 });
    const doctor = await runParley(['doctor', '--data', folder.path, '--port', '0'], {
      node,
      cwd: folder.path,
    });
    expect(doctor.stdout).toMatch(/^ok +runtime +Node 2[2-9]\./m);
    const server = await startParley(folder.path, { node });
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    expect((await server.stop('SIGTERM')).code).toBe(0);
    await expect(fetch(`${server.url}/health`)).rejects.toThrow('fetch failed');
  });

  test('and Ctrl-C, which both of them get, is one signal', async () => {
    using folder = scratchFolder();
    const server = await startParley(folder.path, { node, detached: true });
    process.kill(-server.child.pid!, 'SIGINT');
    expect((await server.ended).code).toBe(0);
    expect(server.stderr()).toMatch(/"msg":"stopped"/);
  });

  test('and it is one signal however late the launcher hears of it', async () => {
    using folder = scratchFolder();
    const server = await startParley(folder.path, { node });
    const { sent, finish } = beginRequest(server.url);
    await sent;
    process.kill(childOf(server.child.pid!), 'SIGINT');
    await expect.poll(() => fetch(`${server.url}/health`).catch(() => 'refused')).toBe('refused');
    // Longer than any echo of a terminal is waited for.
    await setTimeout(1200);
    server.child.kill('SIGINT');
    finish();
    expect((await server.ended).code).toBe(0);
    expect(server.stderr()).toMatch(/"msg":"stopped"/);
  });

  test('and a server does not outlive the one that started it', async () => {
    using folder = scratchFolder();
    const server = await startParley(folder.path, { node });
    server.child.kill('SIGKILL');
    // The output is open as long as anybody behind the launcher lives.
    await server.ended;
    expect(server.stderr()).toMatch(/"msg":"stopped"/);
    await expect(fetch(`${server.url}/health`)).rejects.toThrow('fetch failed');
  });

  test('and neither does parley mcp, whoever holds its stdin', async () => {
    using folder = scratchFolder();
    const running = spawnParley(['mcp', '--data', folder.path], { node });
    await stdioClient(running).call('parley_whoami');
    running.child.kill('SIGKILL');
    expect((await running.ended).stderr).toBe('');
  });
});

describe.skipIf(process.platform !== 'linux')('a key on the command line', () => {
  test.each([
    ['directly', process.execPath],
    ['handed over', oldNode],
  ])("is in nobody's list of processes once the server runs: %s", async (_name, node) => {
    if (node === undefined) return;
    using folder = scratchFolder();
    await runParley(['migrate', '--data', folder.path]);
    const key = `parley_${'k'.repeat(12)}_${'s'.repeat(43)}`;
    await using server = await startParley(folder.path, { node, args: ['--key', key] });
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    expect(processesWith(key)).toEqual([]);
  });
});
