/** A database that is away: every surface says 503 or `unavailable`, when to come again, and never "Internal error". */
import { join } from 'node:path';
import { scratchDatabase } from '@parley/store/testing';
import { layLine } from '@parley/test-support/cut-line';
import { eventually } from '@parley/test-support/eventually';
import { modern, modernCall, send, sendModern } from '@parley/test-support/wire';
import type { Answer } from '@parley/test-support/wire';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openSession } from '../../packages/gateway/test/session.ts';
import { ensureBuilt } from './build.ts';
import { startParley } from './parley.ts';
import { TASKS } from './tasks-lab.ts';

const PROGRAM = join(import.meta.dirname, 'tasks-program.ts');
const AWAY = expect.stringContaining('The database ');

beforeAll(ensureBuilt);

test(
  'every surface tells that the database is away, and serves again when it is back',
  { timeout: 300_000 },
  async () => {
    const database = await scratchDatabase('postgres');
    onTestFinished(() => database.remove());
    const { dataDir, databaseUrl = '' } = database.options;
    const address = new URL(databaseUrl);
    await using line = await layLine({ host: address.hostname, port: Number(address.port) });
    address.host = `127.0.0.1:${line.port}`;
    await using server = await startParley(join(dataDir, 'data'), {
      program: PROGRAM,
      args: ['--database-url', address.href],
    });
    const { key } = server;
    const to = { port: Number(new URL(server.url).port), key };
    const made = await sendModern(
      to,
      modernCall('must', { mark: 'm', ms: 600_000 }, { capabilities: TASKS }),
    );
    const taskId = String(made.json.result?.taskId);
    const session = await openSession(to);
    const get = (path: string) => send({ ...to, path, method: 'GET' });
    const post = (path: string, body: object) =>
      send({ ...to, path, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    const surfaces: Record<string, () => Promise<Answer>> = {
      'a task that is polled': () => sendModern(to, modern('tasks/get', { taskId }, { capabilities: TASKS })),
      'a task that is cancelled': () =>
        sendModern(to, modern('tasks/cancel', { taskId }, { capabilities: TASKS })),
      'a key that is not known yet': () =>
        sendModern({ ...to, key: `parley_${'a'.repeat(12)}_${'b'.repeat(43)}` }, modern('tools/list')),
      'REST that reads': () => get('/api/v1/boards'),
      'REST that writes': () => post('/api/v1/boards', { name: 'Late', slug: 'late' }),
      'REST of events': () => post('/api/events', { type: 'order.placed' }),
      'a public page': () => get('/feedback'),
      '/ready': () => get('/ready'),
    };
    await line.cut();
    await eventually(async () => expect((await get('/ready')).status).toBe(503), 100);

    for (const [name, ask] of Object.entries(surfaces)) {
      const { status, headers, text } = await ask();
      expect({ name, status, again: headers['retry-after'], text }).toEqual({
        name,
        status: 503,
        again: '5',
        text: AWAY,
      });
      expect(text, name).not.toContain('Internal error');
    }
    const called = await session.request('tools/call', { name: 'list_tasks', arguments: {} });
    expect([called.status, called.headers['retry-after'], called.text]).toEqual([503, '5', AWAY]);
    expect(called.text).not.toContain('-32603');

    await line.mend();
    await eventually(async () => expect((await get('/ready')).status).toBe(200), 100);
    const polled = await sendModern(to, modern('tasks/get', { taskId }, { capabilities: TASKS }));
    expect(polled.json.result?.status).toBe('working');
    expect((await get('/api/v1/boards')).status).toBe(200);
  },
);
