/** Questions of a task: through tasks/update, through repeated requests, and on another replica. */
import type { ScratchDatabase } from '@parley/store/testing';
import { scratchDatabase } from '@parley/store/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Lab } from './tasks-lab.ts';
import { ASKED, startLab, TASKS } from './tasks-lab.ts';

const named = (name: unknown) => ({ action: 'accept', content: { name } });

describe.each(['sqlite', 'postgres'] as const)('questions of a task on %s', (engine) => {
  let database: ScratchDatabase;
  let lab: Lab;
  let replica: Lab;

  beforeAll(async () => {
    database = await scratchDatabase(engine);
    lab = await startLab(database.options);
    replica = await startLab(database.options);
  });

  afterAll(async () => {
    await lab.close();
    await replica.close();
    await database.remove();
  });

  const update = async (taskId: string, inputResponses: Record<string, unknown>, to = lab) => {
    const { json } = await to.send('tasks/update', { taskId, inputResponses }, { capabilities: TASKS });
    expect(Object.keys(json.result).toSorted()).toEqual(['_meta', 'resultType']);
    expect(json.result.resultType).toBe('complete');
  };
  const get = async (taskId: string, to = lab) =>
    (await to.send('tasks/get', { taskId }, { capabilities: TASKS })).json.result;

  test('two questions are answered one at a time, each once, and unknown keys are ignored', async () => {
    const { taskId } = await lab.call('pairs');
    const asking = await lab.until(taskId, 'input_required');
    expect(asking.pollIntervalMs).toBe(2000);
    expect(Object.keys(asking.inputRequests).toSorted()).toEqual(['left', 'right']);
    expect(asking.inputRequests.left).toMatchObject({
      method: 'elicitation/create',
      params: { message: 'left?', requestedSchema: { type: 'object', required: ['name'] } },
    });
    await update(taskId, { left: named('Ada'), nowhere: named('Eve') });
    expect(Object.keys((await get(taskId)).inputRequests)).toEqual(['right']);
    await update(taskId, { left: named('Eve') });
    expect(Object.keys((await get(taskId)).inputRequests)).toEqual(['right']);
    await update(taskId, { right: named('Bob') }, replica);
    expect((await lab.until(taskId, 'completed')).result.structuredContent).toEqual({
      answer: 'Ada and Bob',
    });
    const final = await get(taskId);
    await update(taskId, { left: named('Eve'), right: named('Eve') });
    expect(await get(taskId)).toEqual(final);
  });

  test('an answer of the wrong type leaves its question open and the message names the field', async () => {
    const { taskId } = await lab.call('pairs');
    await lab.until(taskId, 'input_required');
    await update(taskId, { left: named(7), right: named('Bob') });
    const still = await get(taskId);
    expect(Object.keys(still.inputRequests)).toEqual(['left']);
    expect(still.statusMessage).toContain('left');
    expect(still.statusMessage).toContain('name');
    await update(taskId, { left: named('Ada') });
    expect((await lab.until(taskId, 'completed')).result.structuredContent).toEqual({
      answer: 'Ada and Bob',
    });
  });

  test('a refusal reaches the tool, which ends with an error a model can act on', async () => {
    const { taskId } = await lab.call('greets');
    await lab.until(taskId, 'input_required');
    await update(taskId, { name: { action: 'decline' } });
    const { result } = await lab.until(taskId, 'completed');
    expect(result).toMatchObject({ isError: true, _meta: { 'dev.parley/code': 'declined' } });
  });

  test('a client that cannot be asked is not asked: the tool gets declined with the reason', async () => {
    const called = await lab.call('greets', {}, { capabilities: TASKS });
    // It is over at once; on a busy machine a task is handed out meanwhile.
    const ended = called.taskId === undefined ? called : (await lab.until(called.taskId, 'completed')).result;
    expect(ended).toMatchObject({
      isError: true,
      _meta: { 'dev.parley/code': 'declined', 'dev.parley/data': { reason: 'unsupported' } },
    });
  });

  test('a cancelled question is over', async () => {
    const { taskId } = await lab.call('greets');
    await lab.until(taskId, 'input_required');
    await lab.send('tasks/cancel', { taskId }, { capabilities: TASKS });
    const ended = await get(taskId);
    expect(ended.status).toBe('cancelled');
    expect(ended).not.toHaveProperty('inputRequests');
    await update(taskId, { name: named('Late') });
    expect((await get(taskId)).status).toBe('cancelled');
  });

  test('what must be known before the task is settled first, and its keys are a space of their own', async () => {
    const first = await lab.call('prepares');
    expect(first).toMatchObject({ resultType: 'input_required', inputRequests: { name: {} } });
    expect(first).not.toHaveProperty('taskId');
    const retry = { name: 'prepares', arguments: {}, inputResponses: { name: named('Ada') } };
    const { json } = await lab.send(
      'tools/call',
      { ...retry, requestState: first.requestState },
      { capabilities: ASKED },
    );
    expect(json.result.resultType).toBe('task');
    for (const absent of ['requestState', 'inputRequests']) expect(json.result).not.toHaveProperty(absent);
    const { taskId } = json.result;
    expect((await lab.until(taskId, 'input_required')).inputRequests.name.params.message).toBe('Inside?');
    await update(taskId, { name: named('Bob') });
    expect((await lab.until(taskId, 'completed')).result.structuredContent).toEqual({ answer: 'Ada, Bob' });
  });

  test('without the extension a question is an input_required result, and any replica takes the retry', async () => {
    const capabilities = { elicitation: {} };
    const asked = await lab.call('greets', {}, { capabilities });
    expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: { name: {} } });
    expect(asked).not.toHaveProperty('taskId');
    const retry = (responses: object, to: Lab, state = asked.requestState) =>
      to.send(
        'tools/call',
        { name: 'greets', arguments: {}, inputResponses: responses, requestState: state },
        { capabilities },
      );
    const bad = (await retry({ name: named(7) }, replica)).json.result;
    expect(bad).toMatchObject({ resultType: 'input_required', inputRequests: { name: {} } });
    const { json } = await retry({ name: named('Ada') }, replica, bad.requestState);
    expect(json.result).toMatchObject({
      resultType: 'complete',
      structuredContent: { answer: 'Hello, Ada' },
    });
    // The same retry again has the effect of one.
    expect((await retry({ name: named('Eve') }, lab)).json.result.structuredContent).toEqual({
      answer: 'Hello, Ada',
    });
    const tampered = await retry({ name: named('Ada') }, lab, `${asked.requestState}x`);
    expect(tampered.json.error.code).toBe(-32602);
  });
});
