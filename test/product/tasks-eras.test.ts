/** What callers get who did not declare the extension: 2025 sessions, plain 2026 clients, stdio. */
import { join } from 'node:path';
import type { ScratchDatabase } from '@parley/store/testing';
import { scratchDatabase } from '@parley/store/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '@parley/test-support/eventually';
import { openStream } from '../../packages/gateway/test/event-stream.ts';
import type { Session } from '../../packages/gateway/test/session.ts';
import { openSession } from '../../packages/gateway/test/session.ts';
import type { Answer } from '@parley/test-support/wire';
import { eventsIn, modernCall, modernHeaders, open, send, sendModern } from '@parley/test-support/wire';
import { message } from './mcp-messages.ts';
import { scratchFolder, spawnParley } from './parley.ts';
import type { Lab } from './tasks-lab.ts';
import { startLab, TASKS } from './tasks-lab.ts';

const PROGRAM = join(import.meta.dirname, 'tasks-program.ts');
/** What must be answered in time has this long, however slow the machine is. */
const PATIENT_MS = 60_000;
const HASTY_MS = 150;

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into messages of every shape
const messagesOf = ({ text }: Answer): any[] => eventsIn(text).map((data) => JSON.parse(data));

describe.each(['sqlite', 'postgres'] as const)('callers without the extension on %s', (engine) => {
  let database: ScratchDatabase;
  let lab: Lab;
  /** A replica that soon gives a handle instead of a result. */
  let hasty: Lab;

  const startWith = (inlineLimitMs: number, inlineLimitWithProgressMs: number) =>
    startLab(database.options, { times: { inlineLimitMs, inlineLimitWithProgressMs } });

  beforeAll(async () => {
    database = await scratchDatabase(engine);
    lab = await startWith(PATIENT_MS, PATIENT_MS);
    hasty = await startWith(HASTY_MS, PATIENT_MS);
  });

  afterAll(async () => {
    await hasty.close();
    await lab.close();
    await database.remove();
  });

  const callIn = (session: Session, name: string, args: object, meta?: object) =>
    session.request('tools/call', { name, arguments: args, ...(meta && { _meta: meta }) }, 7);
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  const getTask = async (taskId: string, waitMs = 0): Promise<any> =>
    (await lab.call('get_task', { taskId, waitMs }, {})).structuredContent;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  const ended = async (taskId: string): Promise<any> => {
    for (;;) {
      const task = await getTask(taskId, 1000);
      if (task.status !== 'working' && task.status !== 'input_required') return task;
    }
  };
  const newest = async () => (await lab.call('list_tasks', { limit: 1 }, {})).structuredContent.tasks[0];

  test('a 2025 session gets progress on its token, then the result, and nothing after it', async () => {
    const session = await openSession(lab);
    const all = messagesOf(await callIn(session, 'rest', { ms: 150 }, { progressToken: 'mine' }));
    const result = all.at(-1);
    expect(result).toMatchObject({ id: 7, result: { structuredContent: { answer: 'rested' } } });
    expect(result.result).not.toHaveProperty('resultType');
    const notices = all
      .slice(0, -1)
      .map(({ method, params }) => [method, params.progressToken, params.progress]);
    expect(notices).toEqual([0, 50, 100].map((done) => ['notifications/progress', 'mine', done]));
  });

  test('a 2025 session never hears of tasks, whatever it declares or sends', async () => {
    const session = await openSession(lab, { tasks: { requests: { tools: { call: {} } } }, ...TASKS });
    const opened = messagesOf(await session.request('tools/list')).at(-1);
    expect(JSON.stringify(opened)).not.toContain('"execution"');
    const params = { name: 'must', arguments: { mark: 'session' }, task: { ttl: 1000 } };
    const answer = messagesOf(await session.request('tools/call', params)).at(-1);
    expect(answer.result.structuredContent).toEqual({ answer: 'session' });
    for (const method of ['tasks/get', 'tasks/list', 'tasks/result', 'tasks/cancel', 'tasks/update']) {
      const refused = messagesOf(await session.request(method, { taskId: 'task_x' })).at(-1);
      expect(refused.error.code).toBe(-32601);
    }
  });

  test('a question on a 2025 session is a request of the server on the stream of the call', async () => {
    const session = await openSession(lab, { elicitation: {} });
    const call = { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'greets', arguments: {} } };
    const stream = await openStream({ ...lab, headers: session.headers, body: JSON.stringify(call) });
    const asked = await stream.next();
    expect(asked).toMatchObject({ method: 'elicitation/create', params: { message: 'Your name?' } });
    const result = { action: 'accept', content: { name: 'Ada' } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: asked.id, result });
    expect((await send({ ...lab, headers: session.headers, body })).status).toBe(202);
    expect(await stream.next()).toMatchObject({
      id: 9,
      result: { structuredContent: { answer: 'Hello, Ada' } },
    });
  });

  test.each([
    ['a 2025 session', async (args: object) => callIn(await openSession(hasty), 'rest', args)],
    ['a plain 2026 client', (args: object) => sendModern(hasty, modernCall('rest', { ...args }))],
  ])('after the inline limit %s gets a handle, and get_task the result', async (_name, call) => {
    const answer = await call({ ms: 600 });
    const { result } = answer.json;
    expect(result.structuredContent).toEqual({
      taskId: expect.stringMatching(/^task_/),
      status: 'working',
      message: expect.stringContaining('get_task'),
      pollIntervalMs: 500,
    });
    expect(result.content[0].text).toBe(result.structuredContent.message);
    expect(result).not.toHaveProperty('taskId');
    expect((await ended(result.structuredContent.taskId)).result.structuredContent).toEqual({
      answer: 'rested',
    });
  });

  test('with a progress token the call stays open longer', async () => {
    const meta = { progressToken: 1 };
    const all = messagesOf(await sendModern(hasty, modernCall('rest', { ms: 400 }, { meta })));
    expect(all.at(-1).result.structuredContent).toEqual({ answer: 'rested' });
    expect(all.slice(0, -1).map(({ params }) => params.progress)).toEqual([
      0, 50, 100, 150, 200, 250, 300, 350,
    ]);
    await using brief = await startWith(PATIENT_MS, HASTY_MS);
    // Without a notice before it, the handle comes as plain JSON and not in a stream.
    const handed = await sendModern(brief, modernCall('rest', { ms: 60_000 }, { meta }));
    const { taskId } = handed.json.result.structuredContent;
    expect(taskId).toMatch(/^task_/);
    await lab.call('cancel_task', { taskId }, {});
  });

  test.each([
    ['the hot path', {}],
    ['the SDK path', { progressToken: 'p' }],
  ])('a 2026 client that closes its call on %s has cancelled it', async (_path, meta) => {
    const call = modernCall('rest', { ms: 60_000 }, { meta });
    const before = (await newest())?.taskId;
    const req = open({ ...lab, headers: modernHeaders(call), body: JSON.stringify(call) });
    req.on('error', () => undefined);
    const made = await eventually(async () => {
      const task = await newest();
      expect(task?.taskId).not.toBe(before);
      return task;
    });
    req.destroy();
    expect(await ended(made.taskId)).toMatchObject({
      status: 'cancelled',
      message: 'Cancelled by its client.',
    });
  });

  test('a lost connection of a 2025 session cancels nothing; notifications/cancelled does', async () => {
    const session = await openSession(lab);
    const params = { name: 'rest', arguments: { ms: 1000 }, _meta: { progressToken: 5 } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'tools/call', params });
    const lost = await openStream({ ...lab, headers: session.headers, body });
    await lost.next();
    const { taskId } = await newest();
    await lost.close();
    await session.end();
    expect((await ended(taskId)).status).toBe('completed');

    const second = await openSession(lab);
    const stream = await openStream({ ...lab, headers: second.headers, body });
    await stream.next();
    const running = await newest();
    const cancel = {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 3, reason: 'enough' },
    };
    await send({ ...lab, headers: second.headers, body: JSON.stringify(cancel) });
    expect(await ended(running.taskId)).toMatchObject({ status: 'cancelled' });
    await stream.close();
  });

  test('a client that goes away after it was given a task cancels nothing', async () => {
    const call = modernCall('rest', { ms: 700 }, { capabilities: TASKS });
    const req = open({ ...lab, headers: modernHeaders(call), body: JSON.stringify(call) });
    const task = await new Promise<string>((resolve, reject) => {
      req.once('error', reject);
      req.once('response', (res) => res.once('data', (data: Buffer) => resolve(data.toString())));
    });
    req.destroy();
    const { taskId } = JSON.parse(task).result;
    expect((await ended(taskId)).status).toBe('completed');
  });

  test('a question that a lost session left open is delivered by get_task', async () => {
    const session = await openSession(lab, { elicitation: {} });
    const call = { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'greets', arguments: {} } };
    const stream = await openStream({ ...lab, headers: session.headers, body: JSON.stringify(call) });
    await stream.next();
    const { taskId } = await newest();
    await stream.close();
    await session.end();
    const capabilities = { elicitation: {} };
    const asked = await lab.call('get_task', { taskId }, { capabilities });
    expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: { name: {} } });
    const inputResponses = { name: { action: 'accept', content: { name: 'Bob' } } };
    const retry = {
      name: 'get_task',
      arguments: { taskId },
      inputResponses,
      requestState: asked.requestState,
    };
    await lab.send('tools/call', retry, { capabilities });
    expect((await ended(taskId)).result.structuredContent).toEqual({ answer: 'Hello, Bob' });
  });
});

test('the end of stdin is a shutdown: the call is answered with a handle and its task goes on elsewhere', async () => {
  using folder = scratchFolder();
  const child = spawnParley(['mcp', '--data', folder.path], { program: PROGRAM });
  const call = message('p', 'tools/call', { name: 'rest', arguments: { ms: 800 } }, { progressToken: 'p' });
  child.child.stdin.write(`${JSON.stringify(call)}\n`);
  await child.until('stdout', /notifications\/progress/);
  child.child.stdin.end();
  const { code, stdout, stderr } = await child.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  expect(last).toMatchObject({ id: 'p', result: { structuredContent: { status: 'working' } } });
  await using lab = await startLab({ dataDir: folder.path });
  const { taskId } = last.result.structuredContent;
  const done = await eventually(async () => {
    const task = (await lab.call('get_task', { taskId, waitMs: 1000 }, {})).structuredContent;
    expect(task.status).toBe('completed');
    return task;
  });
  expect(done.result.structuredContent).toEqual({ answer: 'rested' });
});
