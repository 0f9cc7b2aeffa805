/** Tasks of the demo in every state: calls that run as tasks, as those of any client do. */
import type { Caller, ClientCapabilities } from '@parley/kit';
import type { Task } from '@parley/tasks';
import { seeTasks, TASKS_EXTENSION, untilFinal } from '@parley/tasks';
import type { Part, Scene } from './scene.ts';
import { exchangeOf } from './scene.ts';

const LONG = 'start_long_running_task';
const FOLLOWS: ClientCapabilities = { extensions: { [TASKS_EXTENSION]: {} } };
const GUIDES: ClientCapabilities = { ...FOLLOWS, sampling: {}, elicitation: { form: {} } };

export const tasks: Part = {
  name: 'tasks',
  isThere: async ({ host, organizationId, now }) =>
    (await seeTasks(host.store, { organizationId, limit: 1 }, now)).tasks.length > 0,
  async play(scene) {
    const { host, owner } = scene;
    await host.engine().ready(owner);
    const ending = [
      await loseAccess(scene),
      { by: owner, id: await start(scene, 'rebuild_search', {}) },
      { by: owner, id: await start(scene, 'import_contacts', { batches: 12 }) },
    ];
    const cancelled = await start(scene, LONG, { steps: 300, delayMs: 10_000, enableSampling: false });
    await host.tasks.cancel(ownerOf(owner), cancelled, 'The import of yesterday was enough.');
    await pauseOne(scene);
    // An hour of steps: whoever looks at the demo sees it move.
    await start(scene, LONG, { steps: 360, delayMs: 10_000, enableSampling: false });
    for (const { id, by } of ending) await untilFinal(host.tasks, ownerOf(by), id, host.tasks.closing);
  },
};

const ownerOf = ({ id: ownerId, organizationId }: Caller) => ({ ownerId, organizationId });

/** Calls a tool as a client that follows tasks; returns the id of the task. */
async function start(
  { host, owner }: Began,
  tool: string,
  args: object,
  capabilities = FOLLOWS,
): Promise<string> {
  const answer = await host.engine().call(owner, tool, args, exchangeOf(capabilities));
  if ('taskId' in answer && typeof answer.taskId === 'string') return answer.taskId;
  throw new Error(`${tool} is no task: ${JSON.stringify(answer).slice(0, 400)}`);
}

/** One that fails: the key that began it is revoked before it goes on. */
async function loseAccess({ host, owner }: Scene): Promise<{ id: string; by: Caller }> {
  const { identity } = host;
  const grants = { tasks: ['*'] };
  const { info, text } = await identity.createKey(owner, { name: 'Night import', grants, expiresAt: null });
  const by = await identity.authenticate(text, 'key');
  if (by === undefined) throw new Error('A new key is worth nothing.');
  const id = await startGuided({ host, owner: by });
  await identity.revokeKey(owner, info.id);
  await guide({ host, owner: by }, id, 'Continue.');
  return { id, by };
}

/** One that a model has paused, so that it asks a person. */
async function pauseOne(scene: Scene): Promise<void> {
  await guide(scene, await startGuided(scene), 'Pause: the error rate rose.');
}

type Began = Pick<Scene, 'host' | 'owner'>;

const startGuided = (began: Began) =>
  start(began, LONG, { steps: 12, delayMs: 100, notificationInterval: 3 }, GUIDES);

/** Answers the first question of a task, in place of a model. */
async function guide(began: Began, id: string, text: string): Promise<void> {
  const { inputRequests } = await whenAsking(began, id);
  const said = { role: 'assistant', model: 'example', content: { type: 'text', text } };
  const answers = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, said]));
  await began.host.tasks.answer(ownerOf(began.owner), id, answers);
}

/** The task as soon as it asks something; one that ends instead is no such task. */
async function whenAsking({ host, owner }: Began, id: string): Promise<Task> {
  let wake = (): void => undefined;
  const unwatch = host.tasks.watch(id, () => wake());
  try {
    for (;;) {
      // Before it is looked at, so that no change falls in between.
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const task = await host.tasks.get(ownerOf(owner), id);
      if (task?.status === 'input_required') return task;
      if (task?.status !== 'working') throw new Error(`The task ${id} of the demo ended without a question.`);
      await Promise.race([changed, closed(host.tasks.closing)]);
      if (host.tasks.closing.aborted) throw new Error('The server stopped while the demo was filled.');
    }
  } finally {
    unwatch();
  }
}

const closed = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
