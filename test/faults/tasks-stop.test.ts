/** The fault "stop in the middle": the real product with running tasks does not wait for them, exits with 0 and finishes them later. */
import { openStore } from '@parley/store';
import { eventually } from '@parley/test-support/eventually';
import { beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from '../product/build.ts';
import { message, post } from '../product/mcp-messages.ts';
import type { Server } from '../product/parley.ts';
import { scratchFolder, startParley } from '../product/parley.ts';

beforeAll(ensureBuilt);

const TASKS = 50;
const STEPS = 4;

/** A client that declares the tasks extension. */
const DECLARED = {
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};

interface WireTask {
  readonly taskId: string;
  readonly status: string;
  readonly result?: { readonly structuredContent?: { readonly currentStep: number } };
}

/** Starts a task; a caller that makes many in one moment is told to come again, and does. */
function startTask(server: Server): Promise<string> {
  const params = {
    name: 'start_long_running_task',
    arguments: { steps: STEPS, delayMs: 300, enableSampling: false },
  };
  return eventually(async () => {
    const { body } = await post(server.mcp, server.key, message(1, 'tools/call', params, DECLARED));
    // The flat task object of the extension.
    const { taskId } = body.result as unknown as WireTask;
    expect(taskId).toMatch(/^task_/);
    return taskId;
  });
}

async function getTask(server: Server, key: string, taskId: string): Promise<WireTask> {
  const asked = message(1, 'tasks/get', { taskId }, DECLARED);
  const { body } = await post(server.mcp, key, asked, { 'mcp-name': taskId });
  return body.result as unknown as WireTask;
}

async function unfinishedIn(dataDir: string): Promise<{ id: string }[]> {
  const store = await openStore({ dataDir });
  try {
    return await store
      .db<{ tasks: { id: string; state: string } }>()
      .selectFrom('tasks')
      .select('id')
      .where('state', '<>', 'final')
      .execute();
  } finally {
    await store.close();
  }
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s with 50 tasks under way exits with 0 before they are done, and all complete after the next start',
  async (signal) => {
    using folder = scratchFolder();
    await using first = await startParley(folder.path);
    const ids = await Promise.all(Array.from({ length: TASKS }, () => startTask(first)));
    expect(new Set(ids).size).toBe(TASKS);
    const { code } = await first.stop(signal);
    expect(code).toBe(0);
    expect(await unfinishedIn(folder.path)).not.toEqual([]);
    await using second = await startParley(folder.path);
    for (const id of ids) {
      const task = await eventually(async () => {
        const now = await getTask(second, first.key, id);
        expect(now.status).toBe('completed');
        return now;
      });
      expect(task.result?.structuredContent?.currentStep).toBe(STEPS);
    }
  },
);

test('a kill in the middle of the stop loses no task', async () => {
  using folder = scratchFolder();
  await using first = await startParley(folder.path);
  const ids = await Promise.all(Array.from({ length: 10 }, () => startTask(first)));
  first.child.kill('SIGTERM');
  first.child.kill('SIGKILL');
  await first.ended;
  await using second = await startParley(folder.path);
  for (const id of ids) expect((await getTask(second, first.key, id)).status).toBe('working');
});
