/** The tasks extension on the wire, over the product's own HTTP port and on both databases. */
import type { ScratchDatabase } from '@parley/store/testing';
import { scratchDatabase } from '@parley/store/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  modern,
  modernCall,
  modernHeaders,
  send as sendRequest,
  sendModern,
} from '@parley/test-support/wire';
import type { Lab } from './tasks-lab.ts';
import { ASKED, done, startLab, TASKS } from './tasks-lab.ts';

const REQUIRED = { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } };
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel'] as const;
const nobodys = `task_${'A'.repeat(43)}`;

describe.each(['sqlite', 'postgres'] as const)('the tasks extension on %s', (engine) => {
  let database: ScratchDatabase;
  let lab: Lab;

  beforeAll(async () => {
    database = await scratchDatabase(engine);
    lab = await startLab(database.options);
  });

  afterAll(async () => {
    await lab.close();
    await database.remove();
  });

  test('the extension is advertised to modern clients, and nothing of the older tasks', async () => {
    const { json } = await lab.send('server/discover');
    expect(json.result.capabilities.extensions).toEqual({ 'io.modelcontextprotocol/tasks': {} });
    expect(json.result.capabilities).not.toHaveProperty('tasks');
  });

  test('a created task is flat and carries every field with its type', async () => {
    const created = await lab.call('must', { mark: 'flat', ms: 60_000 });
    const { _meta, ...task } = created;
    expect(task).toEqual({
      resultType: 'task',
      taskId: expect.stringMatching(/^task_[\w-]{43}$/),
      status: 'working',
      createdAt: expect.stringMatching(ISO),
      lastUpdatedAt: expect.stringMatching(ISO),
      ttlMs: 24 * 3600 * 1000,
      pollIntervalMs: 500,
    });
    const got = (await lab.send('tasks/get', { taskId: task.taskId }, { capabilities: TASKS })).json.result;
    expect(got).toMatchObject({ resultType: 'complete', taskId: task.taskId, status: 'working' });
    for (const absent of ['result', 'error', 'inputRequests', 'requestState', 'task'])
      expect(got).not.toHaveProperty(absent);
    await lab.send('tasks/cancel', { taskId: task.taskId }, { capabilities: TASKS });
    const ended = await lab.until(task.taskId, 'cancelled');
    expect(ended.statusMessage).toMatch(/^Cancelled by /);
    expect(Date.parse(ended.lastUpdatedAt)).toBeGreaterThanOrEqual(Date.parse(task.lastUpdatedAt));
  });

  test('a finished task carries the result that the call would have had, and tasks/get changes nothing', async () => {
    const { taskId } = await lab.call('must', { mark: 'result' });
    const first = await lab.until(taskId, 'completed');
    expect(first.result).toEqual({
      content: [{ type: 'text', text: '{"answer":"result"}' }],
      structuredContent: { answer: 'result' },
    });
    expect(await lab.until(taskId, 'completed')).toEqual(first);
  });

  test('an allowed tool that ends within the grace time answers with its plain result', async () => {
    const rested = async () => {
      const { resultType, structuredContent, taskId } = await lab.call('rest', {});
      return { resultType, structuredContent, taskId };
    };
    // A machine that is busy elsewhere may take longer than that now and then.
    await expect.poll(rested, { timeout: 20_000 }).toEqual({
      resultType: 'complete',
      structuredContent: { answer: 'rested' },
      taskId: undefined,
    });
    expect((await lab.call('rest', { ms: 500 })).resultType).toBe('task');
  });

  test('an earlier declaration does not count: no task without the extension on the request itself', async () => {
    const declared = await lab.call('rest', { ms: 200 });
    expect(declared.resultType).toBe('task');
    const inline = await lab.call('rest', { ms: 200 }, {});
    expect(inline).toMatchObject({ resultType: 'complete', structuredContent: { answer: 'rested' } });
  });

  test.each([
    ['the hot path', {}],
    ['the SDK path', { progressToken: 'p' }],
  ])('a required tool without the extension is -32021 on %s, before its code runs', async (path, meta) => {
    const mark = `${engine} ${path}`;
    const refused = await sendModern(lab, modernCall('must', { mark }, { meta }));
    expect(refused.status).toBe(400);
    expect(refused.json.error).toMatchObject({ code: -32021, data: REQUIRED });
    // Not even the input is looked at.
    const unchecked = await sendModern(lab, modernCall('must', { wrong: true }, { meta }));
    expect(unchecked.json.error).toEqual(refused.json.error);
    expect(done.ran).not.toContain(mark);
  });

  test.each(METHODS)('%s without the extension is -32021', async (method) => {
    const answer = await lab.send(
      method,
      { taskId: nobodys, inputResponses: {} },
      { capabilities: { elicitation: {} } },
    );
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({ code: -32021, data: REQUIRED });
  });

  test.each(['tasks/list', 'tasks/result'])('%s does not exist', async (method) => {
    const answer = await lab.send(method, { taskId: nobodys }, { capabilities: TASKS });
    expect(answer.status).toBe(404);
    expect(answer.json.error.code).toBe(-32601);
  });

  test('a task parameter changes nothing', async () => {
    const task = { ttl: 1000, pollInterval: 5 };
    const plain = await lab.send(
      'tools/call',
      { name: 'plain', arguments: {}, task },
      { capabilities: ASKED },
    );
    expect(plain.json.result).toMatchObject({
      resultType: 'complete',
      structuredContent: { answer: 'plain' },
    });
    const required = await lab.send('tools/call', { name: 'must', arguments: { mark: 'x' }, task }, {});
    expect(required.json.error.code).toBe(-32021);
    const made = await lab.send(
      'tools/call',
      { name: 'must', arguments: { mark: 'ttl' }, task },
      { capabilities: TASKS },
    );
    expect(made.json.result).toMatchObject({
      resultType: 'task',
      ttlMs: 24 * 3600 * 1000,
      pollIntervalMs: 500,
    });
  });

  test.each(METHODS)(
    '%s answers an unknown, a foreign and an ill-formed id with the same bytes',
    async (method) => {
      const { taskId: foreign } = await lab.call('must', { mark: 'mine' });
      const other = await lab.otherKey();
      const ask = (taskId: string, key: string) =>
        lab.send(method, { taskId, inputResponses: { a: {} } }, { capabilities: TASKS }, key);
      const answers = await Promise.all([
        ask(nobodys, lab.key),
        ask(foreign, other),
        ask('', lab.key),
        ask("x' or 1=1 --", lab.key),
      ]);
      const [first] = answers;
      expect(first.json.error).toEqual({ code: -32602, message: 'Task not found' });
      for (const answer of answers) {
        expect(answer.text).toBe(first.text);
        expect(answer.status).toBe(first.status);
      }
      await lab.until(foreign, 'completed');
    },
  );

  test('an error that a model can act on is completed; a protocol fault is failed with the same error', async () => {
    const { taskId: failing } = await lab.call('fails');
    expect((await lab.until(failing, 'completed')).result).toEqual({
      _meta: { 'dev.parley/code': 'conflict', 'dev.parley/data': { by: 'them' } },
      content: [{ type: 'text', text: 'Error: It is taken.' }],
      isError: true,
    });
    const { taskId: broken } = await lab.call('breaks');
    const failed = await lab.until(broken, 'failed');
    expect(failed.error).toEqual({ code: -32603, message: 'Out of order', data: { part: 7 } });
    expect(failed).not.toHaveProperty('result');
  });

  test('cancelling a finished task is acknowledged and changes nothing', async () => {
    const { taskId } = await lab.call('must', { mark: 'over' });
    const before = await lab.until(taskId, 'completed');
    const ack = (await lab.send('tasks/cancel', { taskId }, { capabilities: TASKS })).json.result;
    expect(Object.keys(ack).toSorted()).toEqual(['_meta', 'resultType']);
    expect(await lab.until(taskId, 'completed')).toEqual(before);
  });

  test.each(METHODS)('%s needs Mcp-Name to be the task id', async (method) => {
    const { taskId } = await lab.call('must', { mark: 'named' });
    const message = modern(method, { taskId, inputResponses: {} }, { capabilities: TASKS });
    const { 'mcp-name': _name, ...headers } = modernHeaders(message);
    for (const wrong of [headers, { ...headers, 'mcp-name': nobodys }, { ...headers, 'mcp-name': '' }]) {
      const answer = await sendRequest({ ...lab, headers: wrong, body: JSON.stringify(message) });
      expect([answer.status, answer.json.error.code]).toEqual([400, -32020]);
    }
    expect((await sendModern(lab, message)).json.result.resultType).toBe('complete');
  });

  test('tasks/update without answers is refused in words', async () => {
    const { taskId } = await lab.call('greets');
    const { json } = await lab.send('tasks/update', { taskId }, { capabilities: TASKS });
    expect(json.error).toEqual({ code: -32602, message: 'inputResponses: is required' });
  });

  test('many polls in a second are all answered', async () => {
    const { taskId } = await lab.call('must', { mark: 'polled' });
    const polls = await Promise.all(
      Array.from({ length: 200 }, () => lab.send('tasks/get', { taskId }, { capabilities: TASKS })),
    );
    for (const { json } of polls) expect(json.result.taskId).toBe(taskId);
    expect((await lab.until(taskId, 'completed')).result.structuredContent).toEqual({ answer: 'polled' });
  });

  test('the published output of a task-capable tool is an object with its own output or a handle', async () => {
    const { json } = await lab.send('tools/list');
    const find = (name: string) => json.result.tools.find((tool: { name: string }) => tool.name === name);
    const { outputSchema } = find('rest');
    expect(outputSchema.type).toBe('object');
    expect(outputSchema.anyOf).toHaveLength(2);
    expect(outputSchema.anyOf[0].properties).toHaveProperty('answer');
    expect(outputSchema.anyOf[1]).toEqual({
      type: 'object',
      required: ['taskId', 'status', 'message', 'pollIntervalMs'],
    });
    expect(find('plain').outputSchema).not.toHaveProperty('anyOf');
  });
});

describe('the end of a task', () => {
  test.each(METHODS)('%s answers an expired id like an unknown one', async (method) => {
    const database = await scratchDatabase('sqlite');
    const short = { ttlMs: 0, minTtlMs: 0, keepFinishedMs: 0 };
    await using lab = await startLab(database.options, { limits: short });
    const { taskId } = await lab.call('must', { mark: 'short' });
    const ask = (id: string, to = method as string) =>
      lab.send(to, { taskId: id, inputResponses: {} }, { capabilities: TASKS });
    const unknown = await ask(nobodys);
    let expired = await ask(taskId, 'tasks/get');
    while (expired.json.error === undefined) expired = await ask(taskId, 'tasks/get');
    expect((await ask(taskId)).text).toBe(unknown.text);
    await lab.close();
    await database.remove();
  });
});
