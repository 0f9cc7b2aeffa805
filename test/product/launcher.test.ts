/** The launcher on a Node that is too old: it goes on with the Node that was installed with the project. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { runParley, scratchFolder, startParley } from './parley.ts';

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

// Without a Node older than 22.13 on the machine there is nothing that has to hand over.
test.skipIf(oldNode === undefined)(
  'an old Node hands over to the installed one: arguments, signals, exit codes',
  async () => {
    const node = oldNode!;
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
  },
);
