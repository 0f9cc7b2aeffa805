/** The documented ways to start the server: a signal to the command that was typed reaches the server behind it. */
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureBuilt, ROOT } from './build.ts';
import type { Running } from './parley.ts';
import { scratchFolder, spawnParley } from './parley.ts';

/** `npm start` builds, so it does that in a copy; the tests beside this one use the bundle of the checkout. */
const copy = scratchFolder();

beforeAll(async () => {
  await ensureBuilt();
  const isSource = (path: string) => !/[/\\](?:node_modules|dist)$/.test(path);
  for (const part of ['package.json', 'package-lock.json', 'tsconfig.json', 'scripts', 'apps', 'packages'])
    cpSync(join(ROOT, part), join(copy.path, part), { recursive: true, filter: isSource });
  symlinkSync(join(ROOT, 'node_modules'), join(copy.path, 'node_modules'));
});

afterAll(() => copy[Symbol.dispose]());

interface Way {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
}

const NPM_START: Way = { command: ['npm', 'start', '--'], cwd: copy.path };
const NPM_RUN: Way = { command: ['npm', 'run', 'parley', '--', 'start'], cwd: ROOT };
const NPX: Way = { command: ['npx', 'parley', 'start'], cwd: ROOT };

type Started = Running & { url: string } & AsyncDisposable;

async function start({ command: [node, program = '', ...args], cwd }: Way, data: string): Promise<Started> {
  const flags = ['--port', '0', '--data', data, '--json'];
  const running = spawnParley([...args, ...flags], { node, program, cwd, detached: true });
  const group = -running.child.pid!;
  const endGroup = async () => {
    try {
      process.kill(group, 'SIGKILL');
    } catch {
      // Nobody of the group is left, as it should be.
    }
  };
  try {
    const [, url = ''] = await running.until('stdout', /^\{"url":"([^"]+)"/m);
    return { ...running, url, [Symbol.asyncDispose]: endGroup };
  } catch (error) {
    await endGroup();
    throw error;
  }
}

/** The server has ended when nobody holds the output of the command any more. */
async function stopped({ url, ended, stderr }: Started): Promise<number | null> {
  const { code } = await ended;
  expect(stderr()).toMatch(/"msg":"stopped"/);
  await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed');
  return code;
}

const CTRL_C = 'Ctrl-C, to every process of the terminal';
const send: Record<string, (started: Started) => void> = {
  SIGTERM: ({ child }) => {
    child.kill('SIGTERM');
  },
  SIGINT: ({ child }) => {
    child.kill('SIGINT');
  },
  [CTRL_C]: ({ child }) => {
    process.kill(-child.pid!, 'SIGINT');
  },
};

describe.each([
  ['npm start', NPM_START],
  ['npm run parley -- start', NPM_RUN],
])('%s', (_name, way) => {
  test.each(Object.keys(send))('%s stops the server in order, with 0', async (signal) => {
    using folder = scratchFolder();
    await using started = await start(way, folder.path);
    expect((await fetch(`${started.url}/health`)).status).toBe(200);
    send[signal]!(started);
    expect(await stopped(started)).toBe(0);
  });
});

// npx puts a shell of its own between, which keeps a SIGINT that was sent to npx alone; no program can learn of it.
describe('npx parley start', () => {
  test.each(['SIGTERM', CTRL_C])('%s stops the server in order', async (signal) => {
    using folder = scratchFolder();
    await using started = await start(NPX, folder.path);
    send[signal]!(started);
    // npx reports its own end, by the signal or by a code that depends on its version.
    expect(await stopped(started)).not.toBe(1);
  });
});
