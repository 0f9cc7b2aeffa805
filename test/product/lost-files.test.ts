/** Files that are lost, full, damaged or foreign under the product: what it refuses, what it says, and what /ready says. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { eventually } from '@parley/test-support/eventually';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { runParley, scratchFolder, spawnParley, startParley } from './parley.ts';
import type { Server } from './parley.ts';

let folder: ReturnType<typeof scratchFolder>;
let data: string;

beforeAll(ensureBuilt);
beforeEach(() => {
  folder = scratchFolder();
  data = join(folder.path, 'data');
});
afterEach(() => folder[Symbol.dispose]());

async function firstStart(): Promise<void> {
  expect((await runParley(['tools', '--data', data])).code).toBe(0);
}

async function createBoard(server: Server, name: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${server.url}/api/v1/boards`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, slug: name }),
  });
  return { status: answer.status, text: await answer.text() };
}

async function ready(server: Server): Promise<{ status: number; body: Record<string, string> }> {
  const answer = await fetch(`${server.url}/ready`);
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
}

const soon = <T>(check: () => Promise<T>): Promise<T> => eventually(check, 100);

/** Every command that works on the data folder. */
const COMMANDS = [
  ['start', '--port', '0'],
  ['mcp'],
  ['tools'],
  ['call', 'parley_whoami'],
  ['keys', 'list'],
  ['keys', 'recover'],
  ['feedback', 'publish', 'on'],
  ['migrate'],
  ['backup', 'BACKUP'],
];

test('a data folder that is deleted under a running server refuses writes, and /ready and the log say so', async () => {
  await using server = await startParley(data);
  expect(await createBoard(server, 'before')).toMatchObject({ status: 201 });
  expect(await ready(server)).toEqual({ status: 200, body: { status: 'ready' } });
  rmSync(data, { recursive: true });
  const refused = await soon(async () => {
    const answer = await createBoard(server, `late-${Date.now()}`);
    expect(answer.status).toBe(503);
    return answer;
  });
  expect(refused.text).toContain('moved or deleted while they were in use');
  expect(refused.text).not.toContain(data);
  const said = await soon(async () => {
    const answer = await ready(server);
    expect(answer.status).toBe(503);
    return answer;
  });
  expect(said.body).toMatchObject({ status: 'not_ready', reason: 'database' });
  expect(JSON.stringify(said.body)).not.toContain(data);
  expect(server.stderr()).toContain(join(data, 'parley.db'));
  expect(existsSync(data)).toBe(false);
});

const canMount = process.platform === 'linux' && process.getuid?.() === 0 && tryMount();

function tryMount(): boolean {
  const place = scratchFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', place.path], { stdio: 'ignore' });
    execFileSync('umount', [place.path], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    place[Symbol.dispose]();
  }
}

/** A disk that holds nothing more at a path, until the block ends. */
function fullDisk(path: string, size: string): Disposable {
  mkdirSync(path, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path]);
  return { [Symbol.dispose]: () => execFileSync('umount', ['-l', path]) };
}

// Only root can make a disk that is small enough to fill.
test.skipIf(!canMount)(
  'a backup and an export to a full disk name it and what to do, and leave nothing',
  async () => {
    await runParley(['tools', '--data', data]);
    const place = join(folder.path, 'small');
    using _disk = fullDisk(place, '64k');
    for (const target of [join(place, 'copy'), join(place, 'deep', 'er', 'copy'), place]) {
      const { code, stderr } = await runParley(['backup', target, '--data', data]);
      expect([target, code, stderr]).toEqual([
        target,
        1,
        `parley: The disk of the backup is full. Free some space there, or name a folder on another disk. The file is ${join(target, 'parley.db')}.\n`,
      ]);
      expect(readdirSync(place)).toEqual([]);
    }
    try {
      writeFileSync(join(place, 'stuffing'), Buffer.alloc(128 * 1024));
    } catch {
      // As full as it gets.
    }
    const file = join(place, 'all.jsonl');
    const { code, stderr } = await runParley(['feedback', 'export', file, '--data', data]);
    expect([code, stderr]).toEqual([
      2,
      `parley: ${file} cannot be written, since its disk is full. Free some space there, or name a file on another disk.\n`,
    ]);
    expect(readdirSync(place)).toEqual(['stuffing']);
  },
);

test.skipIf(!canMount)('the doctor says what helps when the disk of the data is full', async () => {
  using _disk = fullDisk(data, '8m');
  await runParley(['tools', '--data', data]);
  try {
    writeFileSync(join(data, 'stuffing'), Buffer.alloc(16 * 1024 * 1024));
  } catch {
    // As full as it gets.
  }
  const { code, stdout } = await runParley(['doctor', '--data', data, '--port', '0'], { cwd: folder.path });
  expect(code).toBe(1);
  expect(stdout).toContain('The disk of the database is full.');
  expect(stdout).toContain('Free some space on the disk of the data folder.');
  expect(stdout).not.toContain('Check that the database runs');
});

// Only root can make a disk that is small enough to fill.
test.skipIf(!canMount)(
  '/ready is 503 from the last MiB of the disk on, and 200 once there is space',
  async () => {
    mkdirSync(data);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', data]);
    try {
      await using server = await startParley(data);
      const stuffing = join(data, 'stuffing');
      const fill = () => {
        try {
          writeFileSync(stuffing, Buffer.alloc(16 * 1024 * 1024));
        } catch {
          // As full as it gets.
        }
      };
      for (const name of ['one', 'two', 'three'])
        expect(await createBoard(server, name)).toMatchObject({ status: 201 });
      expect(await ready(server)).toMatchObject({ status: 200 });
      // The row of the probe still fits, and what people write soon does not.
      fill();
      truncateSync(stuffing, statSync(stuffing).size - 600 * 1024);
      await soon(async () =>
        expect(await ready(server)).toMatchObject({
          status: 503,
          body: { detail: expect.stringContaining('full') },
        }),
      );
      fill();
      await soon(async () => {
        expect(await createBoard(server, `b-${Date.now()}`)).toMatchObject({ status: 503 });
        expect(await ready(server)).toMatchObject({
          status: 503,
          body: { detail: expect.stringContaining('full') },
        });
      });
      rmSync(stuffing);
      await soon(async () => expect(await ready(server)).toMatchObject({ status: 200 }));
      expect(await createBoard(server, 'after')).toMatchObject({ status: 201 });
    } finally {
      execFileSync('umount', ['-l', data]);
    }
  },
);

test.each([
  ['missing', () => rmSync(join(data, 'parley.db'))],
  ['empty', () => truncateSync(join(data, 'parley.db'))],
])(
  'a database that is %s beside an owner key is no new server, and no key is overwritten',
  async (_name, lose) => {
    await firstStart();
    const key = readFileSync(join(data, 'owner.key'), 'utf8');
    for (const side of ['-wal', '-shm']) rmSync(join(data, `parley.db${side}`), { force: true });
    lose();
    const files = readdirSync(data);
    for (const command of COMMANDS) {
      const args = command.map((arg) => (arg === 'BACKUP' ? join(folder.path, 'backup') : arg));
      const { code, stdout, stderr } = await runParley([...args, '--data', data]);
      expect({ command, code, stdout }).toEqual({ command, code: 1, stdout: '' });
      expect(stderr.trim().split('\n')).toHaveLength(1);
      expect(stderr).toContain(join(data, 'owner.key'));
      expect(stderr).toContain('Restore parley.db from a backup');
      expect(stderr).toContain('move owner.key away');
    }
    const doctor = await runParley(['doctor', '--data', data, '--port', '0', '--json']);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain('Restore parley.db from a backup');
    expect(readFileSync(join(data, 'owner.key'), 'utf8')).toBe(key);
    expect(readdirSync(data)).toEqual(files);
    renameSync(join(data, 'owner.key'), join(folder.path, 'owner.key'));
    await firstStart();
    expect(readFileSync(join(data, 'owner.key'), 'utf8')).not.toBe(key);
  },
);

test('a first start that ended before its key was in place is finished by the next one', async () => {
  await firstStart();
  const key = readFileSync(join(data, 'owner.key'), 'utf8');
  writeFileSync(join(data, 'owner.key.000000000000'), `parley_${'a'.repeat(12)}_${'b'.repeat(43)}\n`);
  renameSync(join(data, 'owner.key'), join(data, 'owner.key.0123456789ab'));
  await firstStart();
  expect(readFileSync(join(data, 'owner.key'), 'utf8')).toBe(key);
  expect(existsSync(join(data, 'owner.key.0123456789ab'))).toBe(false);
});

test('a start that fails after the port was opened ends and keeps no port', async () => {
  await (await startParley(data)).stop();
  writeFileSync(join(data, 'secret.key'), `${Buffer.alloc(32, 7).toString('base64url')}\n`);
  const running = spawnParley(['start', '--port', '0', '--data', data, '--json']);
  const { code, stdout, stderr } = await running.ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(
    'cannot be opened with the present key. Put back the secret.key that the data was made with, or set PARLEY_SECRET_KEY to it.',
  );
  const port = Number(/"url":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(stderr)?.[1]);
  if (!Number.isNaN(port)) await expect(connect(port)).rejects.toThrow('ECONNREFUSED');
});

function connect(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ port, host: '127.0.0.1' }, () => {
      socket.destroy();
      resolve();
    });
    socket.on('error', reject);
  });
}

test('a damaged database is named by every command, with what to do', async () => {
  await firstStart();
  const handle = await open(join(data, 'parley.db'), 'r+');
  await handle.write(Buffer.alloc(2000, 0x5a), 0, 2000, 0);
  await handle.close();
  for (const command of [['start', '--port', '0'], ['mcp'], ['tools'], ['keys', 'recover'], ['migrate']]) {
    const { code, stderr } = await runParley([...command, '--data', data]);
    expect({ command, code }).toEqual({ command, code: 1 });
    expect(stderr).toMatch(/^parley: The file of the database is damaged\. [^\n]* backup [^\n]*\n$/);
    expect(stderr).toContain(`The file is ${join(data, 'parley.db')}.`);
    expect(stderr).not.toContain('malformed');
  }
  const doctor = await runParley(['doctor', '--data', data, '--port', '0']);
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toMatch(/fail {2}files +.*parley\.db is damaged/);
});

test('damaged call records are found by the doctor, and put aside by the next call', async () => {
  await firstStart();
  expect((await runParley(['call', 'parley_whoami', '--data', data])).code).toBe(0);
  const handle = await open(join(data, 'records.db'), 'r+');
  await handle.write(Buffer.alloc(200, 0x5a), 0, 200, 0);
  await handle.close();
  const sick = await runParley(['doctor', '--data', data, '--port', '0']);
  expect([sick.code, sick.stdout]).toEqual([
    1,
    expect.stringMatching(/fail {2}files +.*records\.db is damaged/),
  ]);
  const { code, stderr } = await runParley(['call', 'parley_whoami', '--data', data]);
  expect(code).toBe(0);
  expect(stderr).toContain('The file of the call records is damaged.');
  expect(readdirSync(data).filter((name) => name.startsWith('records.db.corrupt-'))).toHaveLength(1);
  expect((await runParley(['doctor', '--data', data, '--port', '0'])).code).toBe(0);
});

test.skipIf(process.platform !== 'linux').each([
  ['where no folder can be made', () => '/proc/nope'],
  ['below a place where no folder can be made', () => '/proc/nope/data'],
  [
    'below a file',
    () => {
      writeFileSync(join(folder.path, 'file'), '');
      return join(folder.path, 'file/data');
    },
  ],
])('a data folder %s ends the start with what to do', async (_name, place) => {
  const path = place();
  const running = spawnParley(['start', '--port', '0', '--data', path]);
  const tooLate = setTimeout(() => running.child.kill('SIGKILL'), 20_000);
  const { code, stdout, stderr } = await running.ended;
  clearTimeout(tooLate);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^parley: The folder [^\n]+ cannot be made \(E[A-Z]+\)\. [^\n]+\n$/);
  expect(stderr).toContain(path);
});

test('a data folder several levels below an existing one is made, closed to others', async () => {
  data = join(folder.path, 'one/two/data');
  await firstStart();
  expect(statSync(data).mode & 0o777).toBe(0o700);
});

test('the folder and the files are closed to others, whatever their modes were', async () => {
  mkdirSync(data, { mode: 0o755 });
  chmodSync(data, 0o755);
  await firstStart();
  const modes = () =>
    [data, ...['owner.key', 'secret.key', 'parley.db'].map((name) => join(data, name))].map(
      (path) => statSync(path).mode & 0o777,
    );
  expect(modes()).toEqual([0o700, 0o600, 0o600, 0o600]);
  for (const name of ['owner.key', 'secret.key', 'parley.db']) chmodSync(join(data, name), 0o644);
  chmodSync(data, 0o755);
  await firstStart();
  expect(modes()).toEqual([0o700, 0o600, 0o600, 0o600]);
});

test('a folder with other things in it keeps its mode, and the files in it are closed', async () => {
  mkdirSync(data);
  chmodSync(data, 0o755);
  cpSync(new URL(import.meta.url).pathname, join(data, 'something.ts'));
  await firstStart();
  expect(statSync(data).mode & 0o777).toBe(0o755);
  expect(statSync(join(data, 'owner.key')).mode & 0o777).toBe(0o600);
});
