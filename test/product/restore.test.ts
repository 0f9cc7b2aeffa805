/** `parley restore`, `hold` and `resume`: a copy answers and does nothing by itself until it is told to, and nothing that waits is lost. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore } from '@parley/store';
import { scratchDatabase } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { serveForTest } from '@parley/test-support/scripted-server';
import { modern, modernCall, sendModern } from '@parley/test-support/wire';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { callTool } from './mcp-messages.ts';
import type { Server } from './parley.ts';
import { runParley, scratchFolder, startParley } from './parley.ts';
import { ASKED, TASKS } from './tasks-lab.ts';

const PROGRAM = join(import.meta.dirname, 'tasks-program.ts');
const DUE_MS = 1_000;

beforeAll(ensureBuilt);

async function run(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runParley(args);
  expect({ args, code, stderr }).toMatchObject({ args, code: 0 });
  return stdout;
}

async function ready(server: Server): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${server.url}/ready`);
  return { status: answer.status, body: await answer.json() };
}

const portOf = ({ mcp }: Server) => Number(new URL(mcp).port);

/** An installation in which a task, a schedule and a delivery are due, and a server on its copy that is held. */
async function heldCopy(engine: 'sqlite' | 'postgres') {
  const database = await scratchDatabase(engine);
  onTestFinished(() => database.remove());
  const { dataDir, databaseUrl } = database.options;
  const original = join(dataDir, 'original');
  const heard: string[] = [];
  const { host } = await serveForTest(({ body }, response) => {
    heard.push((JSON.parse(body) as { type: string }).type);
    response.writeHead(204).end();
  });
  const where = databaseUrl === undefined ? [] : ['--database-url', databaseUrl];
  const args = ['--allow-egress', host, ...where];
  const first = await startParley(original, { program: PROGRAM, args });
  const { key } = first;
  const made = await sendModern(
    { port: portOf(first), key },
    modernCall('greets', {}, { capabilities: ASKED }),
  );
  const taskId = String(made.json.result?.taskId);
  await eventually(async () => {
    const get = modern('tasks/get', { taskId }, { capabilities: ASKED });
    const { json } = await sendModern({ port: portOf(first), key }, get);
    expect(json.result?.status).toBe('input_required');
  });
  await first.stop();
  const on = ['--data', original, ...args];
  await run(['webhooks', 'add', `http://${host}/hook`, '--events', 'order.*', ...on]);
  const publish = (event: object) =>
    run(['call', 'EVENT_PUBLISH', JSON.stringify(event), '--data', original, ...where]);
  await publish({ type: 'order.placed' });
  const dueAt = Date.now() + DUE_MS;
  await publish({ type: 'order.later', deliverAt: new Date(dueAt).toISOString() });
  let data = original;
  if (engine === 'sqlite') {
    data = join(dataDir, 'restored');
    const copy = join(dataDir, 'copy');
    await run(['backup', copy, '--data', original]);
    for (const name of ['secret.key', 'owner.key'])
      writeFileSync(join(copy, name), readFileSync(join(original, name)));
    const said = await run(['restore', copy, '--into', data]);
    expect(said).toContain('Held: its server answers');
    expect(said).toContain(`parley resume --data ${data}`);
  } else {
    expect(await run(['hold', '--data', data, ...where])).toContain('wait until "parley resume"');
    expect(await run(['hold', '--data', data, ...where])).toContain('It is held already.');
  }
  return { data, args, where, key, heard, taskId, dueAt };
}

test.each(['sqlite', 'postgres'] as const)(
  'a copy on %s answers and holds its work back until it may act, and then all of it happens once',
  { timeout: 300_000 },
  async (engine) => {
    const { data, args, where, key, heard, taskId, dueAt } = await heldCopy(engine);
    let server = await startParley(data, { program: PROGRAM, args });
    onTestFinished(async () => {
      await server.stop();
    });
    const ask = async (method: string, params: object = {}) =>
      (
        await sendModern(
          { port: portOf(server), key },
          modern(method, { taskId, ...params }, { capabilities: TASKS }),
        )
      ).json.result;
    const statusOf = async () => (await ask('tasks/get'))?.status;
    const text = expect.stringContaining('tasks, schedules and deliveries wait until "parley resume"');

    expect(JSON.parse(server.stdout())).toMatchObject({ held: text });
    expect(server.stderr()).toContain('deliveries wait until');
    expect(await ready(server)).toEqual({ status: 200, body: { status: 'ready', held: text } });
    const plain = await callTool({ ...server, key }, 'plain');
    expect(plain.body.result?.structuredContent).toEqual({ answer: 'plain' });
    const refused = await callTool({ ...server, key }, 'rest', { ms: 1 });
    expect(refused.body.result).toMatchObject({ isError: true, content: [{ text }] });
    const doctor = await runParley(['doctor', '--data', data, ...where]);
    expect(doctor.stdout).toMatch(/^warn {2}hold .*deliveries wait until/m);
    // A command on the same data holds back as well.
    expect((await runParley(['call', 'plain', '--data', data, ...where], { program: PROGRAM })).code).toBe(0);
    // An answer is taken; the task goes on with it later.
    const { inputRequests } = await ask('tasks/get');
    const said = { action: 'accept', content: { name: 'Ada' } };
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((name) => [name, said]));
    await ask('tasks/update', { inputResponses });
    await eventually(() => expect(Date.now()).toBeGreaterThan(dueAt + DUE_MS));
    expect([heard, await statusOf()]).toEqual([[], 'working']);

    if (engine === 'sqlite') {
      expect(await run(['resume', '--data', data])).toContain('Resumed: ');
    } else {
      await server.stop();
      server = await startParley(data, { program: PROGRAM, args: [...args, '--resume'] });
    }
    await eventually(async () => {
      expect(heard.toSorted()).toEqual(['order.later', 'order.placed']);
      expect(await statusOf()).toBe('completed');
    }, 200);
    expect((await ask('tasks/get')).result.structuredContent).toEqual({ answer: 'Hello, Ada' });
    expect(await ready(server)).toEqual({ status: 200, body: { status: 'ready' } });
    const again = await callTool({ ...server, key }, 'rest', { ms: 1 });
    expect(again.body.result?.structuredContent).toEqual({ answer: 'rested' });
    expect(await run(['resume', '--data', data, ...where])).toBe('Nothing is held.\n');
    expect((await runParley(['doctor', '--data', data, ...where])).stdout).not.toMatch(/^\w+ +hold /m);
    expect((await server.stop()).code).toBe(0);
    expect(heard).toHaveLength(2);
  },
);

describe('a restore that is refused', () => {
  interface Places {
    readonly original: string;
    readonly copy: string;
    readonly target: string;
  }
  const damage = async (path: string) => {
    const file = await open(path, 'r+');
    await file.write(Buffer.alloc(2_000, 0x5a), 0, 2_000, 4_096);
    await file.close();
  };
  const CASES: readonly [what: string, spoil: (places: Places) => void | Promise<void>, text: RegExp][] = [
    [
      'without a secret key',
      ({ copy }) => renameSync(join(copy, 'secret.key'), join(copy, '..', 'away.key')),
      /There is no secret key for this backup\. .*PARLEY_SECRET_KEY/,
    ],
    [
      'of nothing',
      ({ copy }) => renameSync(join(copy, 'parley.db'), join(copy, '..', 'away.db')),
      /There is no backup to restore\. .*"parley backup"/,
    ],
    ['of a damaged file', ({ copy }) => damage(join(copy, 'parley.db')), /The backup is damaged\./],
    [
      'of a database in use',
      ({ copy }) => writeFileSync(join(copy, 'parley.db-wal'), 'log'),
      /holds a database in use, not a backup: .*parley\.db-wal/,
    ],
    [
      'of a newer version',
      async ({ copy }) => {
        const store = await openStore({ dataDir: copy });
        const row = { set_name: 'identity', name: '999-tomorrow', applied_at: 1 };
        const db = store.db<{ parley_migrations: typeof row }>();
        await db.insertInto('parley_migrations').values(row).execute();
        await store.close();
      },
      /The database was written by a newer version/,
    ],
    [
      'into a folder that holds something',
      ({ target }) => {
        mkdirSync(target);
        writeFileSync(join(target, 'thesis.txt'), 'mine');
      },
      /The folder to restore into is not empty\. .*thesis\.txt/,
    ],
  ];

  test.each(CASES)('%s says why on one line and leaves nothing', async (_what, spoil, text) => {
    using folder = scratchFolder();
    const [original, copy, target] = ['original', 'copy', 'target'].map((name) =>
      join(folder.path, name),
    ) as [string, string, string];
    await run(['tools', '--data', original]);
    await run(['backup', copy, '--data', original]);
    writeFileSync(join(copy, 'secret.key'), readFileSync(join(original, 'secret.key')));
    await spoil({ original, copy, target });
    const before = existsSync(target) ? readdirSync(target) : undefined;
    const { code, stdout, stderr } = await runParley(['restore', copy, '--into', target]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^parley: [^\n]+\n$/);
    expect(stderr).toMatch(text);
    expect(existsSync(target) ? readdirSync(target) : undefined).toEqual(before);
  });

  test('names what to do on PostgreSQL and without a folder', async () => {
    const nothing = await runParley(['restore']);
    expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('Usage: parley restore')]);
    const postgres = await runParley(['restore', 'copy', '--database-url', 'postgres://localhost/nowhere']);
    expect([postgres.code, postgres.stderr]).toEqual([2, expect.stringContaining('pg_restore')]);
  });
});

test('the keys may lie in the folder already; files of connections come along, and all is closed to others', async () => {
  using folder = scratchFolder();
  const [original, copy, target] = ['original', 'copy', 'target'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  await run(['tools', '--data', original]);
  await run(['backup', copy, '--data', original]);
  mkdirSync(join(copy, 'databases'));
  writeFileSync(join(copy, 'databases', 'one.db'), readFileSync(join(copy, 'parley.db')));
  mkdirSync(target);
  writeFileSync(join(target, 'secret.key'), readFileSync(join(original, 'secret.key')));
  const backedUp = readFileSync(join(copy, 'parley.db'));
  const said = await run(['restore', copy, '--data', target]);
  expect(said).toContain(`parley keys recover --data ${target}`);
  expect(readFileSync(join(copy, 'parley.db')).equals(backedUp)).toBe(true);
  expect(readdirSync(target).toSorted()).toEqual(['databases', 'parley.db', 'secret.key']);
  expect(statSync(join(target, 'parley.db')).mode & 0o077).toBe(0);
  expect(readdirSync(join(target, 'databases'))).toEqual(['one.db']);
  await run(['keys', 'recover', '--data', target]);
  expect(await run(['tools', '--data', target])).toContain('parley_whoami');
});

describe('data whose secret key is missing', () => {
  const COMMANDS = [['start', '--port', '0'], ['mcp'], ['keys', 'recover'], ['hold']];

  test.each(['sqlite', 'postgres'] as const)(
    'is said on one line by every command on %s, and none is made',
    { timeout: 300_000 },
    async (engine) => {
      const database = await scratchDatabase(engine);
      onTestFinished(() => database.remove());
      const data = join(database.options.dataDir, 'data');
      const { databaseUrl } = database.options;
      const where = ['--data', data, ...(databaseUrl === undefined ? [] : ['--database-url', databaseUrl])];
      await run(['tools', ...where]);
      renameSync(join(data, 'secret.key'), join(data, '..', 'away.key'));
      const files = readdirSync(data).toSorted();
      for (const command of COMMANDS) {
        const { code, stdout, stderr } = await runParley([...command, ...where]);
        expect({ command, code, stdout }).toEqual({ command, code: 1, stdout: '' });
        expect(stderr).toMatch(/^parley: [^\n]+\n$/);
        // Without a key there is no installation on PostgreSQL, as far as a command can see that is not to make one.
        if (engine === 'sqlite' || command[0] !== 'hold')
          expect(stderr).toContain('There is no secret key for this database');
        expect(readdirSync(data).toSorted()).toEqual(files);
      }
      const doctor = await runParley(['doctor', ...where, '--port', '0']);
      expect(doctor.code).toBe(1);
      expect(doctor.stdout).toMatch(/^fail {2}secret key .*secret\.key does not exist\n +fix: Put back/m);
      expect(readdirSync(data).toSorted()).toEqual(files);
      renameSync(join(data, '..', 'away.key'), join(data, 'secret.key'));
      await run(['tools', ...where]);
    },
  );
});
