/** Owns our own engine under the contract, as it is in packages/tasks. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Caller } from '@parley/kit';
import { ALL_GRANTS } from '@parley/kit';
import { openStore } from '@parley/store';
import type { NewTask, TaskLimits } from '@parley/tasks';
import { createTaskEngine, taskMigrations } from '@parley/tasks';
import type { JobInput, OpenOptions, Replica } from '../contract.ts';

const KIND = 'job';
const NEVER = 1_000_000;

const QUICK: Partial<TaskLimits> = { leaseMs: 2000, renewMs: 500, takeoverMs: 500 };

const QUESTION = {
  method: 'elicitation/create' as const,
  params: { message: 'Which?', requestedSchema: { type: 'object', properties: {} } },
};

interface Tables {
  tasks: { id: string; state: string; organization_id: string; owner_id: string };
}

/** Opens a replica; `url` may be empty for SQLite in a folder of its own. */
export async function openParley(options: OpenOptions): Promise<Replica> {
  const { url, limits, works, isQuick, run, onFault } = options;
  const dataDir = mkdtempSync(join(options.folder, 'data-'));
  const store = await openStore({ dataDir, ...(url !== '' && { databaseUrl: url }) });
  await store.migrate([taskMigrations]);
  const engine = createTaskEngine({
    store,
    limits: {
      runningPerOwner: limits?.perOwner ?? NEVER,
      runningPerOrganization: limits?.perOrganization ?? NEVER,
      runningPerProcess: works ? (limits?.perProcess ?? 64) : 0,
      ...(isQuick && QUICK),
    },
    onFault,
  });
  engine.register({
    kind: KIND,
    version: options.version,
    run: async (input, { io, signal }) => ({
      outcome: 'completed',
      // written by the runner
      result: await run(input as JobInput, {
        step: (key, work) => io.step(key, async () => work(signal)),
        ask: (key) => io.request(key, QUESTION),
      }),
    }),
  });
  engine.start();

  async function ownerOf(id: string): Promise<{ organizationId: string; ownerId: string }> {
    const row = await store
      .db<Tables>()
      .selectFrom('tasks')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return { organizationId: row?.organization_id ?? '', ownerId: row?.owner_id ?? '' };
  }

  return {
    async create(input) {
      return (await engine.enqueue(taskOf(input))).id;
    },
    async createWith(input, end) {
      let id = '';
      const rolledBack = new Error('Rolled back.');
      const work = store.transaction(async (tx) => {
        id = (await engine.enqueueIn(tx, taskOf(input))).id;
        if (end === 'rollback') throw rolledBack;
      });
      await work.catch((error: unknown) => {
        if (error !== rolledBack) throw error;
      });
      return id;
    },
    async cancel(id) {
      await engine.cancel(await ownerOf(id), id, 'Not needed any more.');
    },
    async answer(id, value) {
      await engine.answer(await ownerOf(id), id, { q: { action: 'accept', content: { value } } });
    },
    async state(id) {
      const task = await engine.get(await ownerOf(id), id);
      return task === undefined ? { status: 'absent' } : { status: task.status, result: task.result };
    },
    async unfinished() {
      const { tasks } = await store
        .db<Tables>()
        .selectFrom('tasks')
        .select((count) => count.fn.countAll().as('tasks'))
        .where('state', '!=', 'final')
        .executeTakeFirstOrThrow();
      return Number(tasks);
    },
    async stop() {
      await engine.stop();
      await store.close();
    },
  };
}

function taskOf(input: JobInput): NewTask {
  const caller: Caller = {
    id: input.owner,
    name: input.owner,
    organizationId: input.organization,
    userId: null,
    roles: [],
    grants: ALL_GRANTS,
    source: 'key',
    unattended: false,
  };
  return { kind: KIND, input, caller, capabilities: { elicitation: { form: {} } } };
}
