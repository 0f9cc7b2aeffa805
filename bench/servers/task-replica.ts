/** One replica of many on a database: creates bench tasks with many creators at once, and runs what all of them create. */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openStore } from '@parley/store';
import { createTaskEngine, taskMigrations } from '@parley/tasks';
import { sql } from 'kysely';
import { announce } from './serving.ts';
import { benchKind, benchTask, clockMs } from './task-kind.ts';

const { values } = parseArgs({
  options: { data: { type: 'string', default: '' }, 'database-url': { type: 'string' } },
});
const databaseUrl = values['database-url'];
/** Callers and organizations enough that none of them is held up by the places of its own. */
const OWNERS = 64;
const ORGANIZATIONS = 4;

const store = await openStore({ dataDir: values.data, ...(databaseUrl !== undefined && { databaseUrl }) });
await store.migrate([taskMigrations]);
const engine = createTaskEngine({ store, onFault: (error) => process.stderr.write(`${String(error)}\n`) });
let startedMs: number[] = [];
engine.register(benchKind((elapsedMs) => startedMs.push(elapsedMs)));
engine.start();

interface Tables {
  tasks: Record<string, unknown> & { id: string; state: string };
}

/** Creators that each create one after another for some seconds; tells what was created and begun meanwhile. */
async function load(creators: number, seconds: number, organizations = ORGANIZATIONS): Promise<object> {
  startedMs = [];
  const cpu = process.cpuUsage();
  const beganMs = clockMs();
  const untilMs = beganMs + seconds * 1000;
  let created = 0;
  let refused = 0;
  const create = async (creator: number) => {
    while (clockMs() < untilMs) {
      // One that is told that the database is busy comes again, as a client does.
      const isMade = await engine.enqueue(benchTask('end', creator % OWNERS, creator % organizations)).then(
        () => true,
        () => false,
      );
      if (isMade) created += 1;
      else refused += 1;
    }
  };
  await Promise.all(Array.from({ length: creators }, (_, creator) => create(creator)));
  const used = process.cpuUsage(cpu);
  return {
    created,
    refused,
    seconds: (clockMs() - beganMs) / 1000,
    cpuSeconds: (used.user + used.system) / 1e6,
    startedMs: startedMs.slice(0, 2000),
  };
}

async function count(isFinal: boolean): Promise<number> {
  const { tasks } = await store
    .db<Tables>()
    .selectFrom('tasks')
    .select((counted) => counted.fn.countAll().as('tasks'))
    .where('state', isFinal ? '=' : '!=', 'final')
    .executeTakeFirstOrThrow();
  return Number(tasks);
}

/** The processes of the database, where it has any. */
async function databasePids(): Promise<object> {
  if (databaseUrl === undefined) return { pids: [] };
  const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity`.execute(store.db());
  return { pids: rows.map(({ pid }) => pid) };
}

/** Waits until everything that was created has ended. */
async function drain(): Promise<object> {
  const beganMs = clockMs();
  while ((await count(false)) > 0) await pause(20);
  return { seconds: (clockMs() - beganMs) / 1000 };
}

/** Copies a finished task until so many more are stored, with the number of each in place of its name. */
async function fill(wanted: number): Promise<object> {
  const batch = 1000;
  const db = store.db<Tables>();
  const model = await db
    .selectFrom('tasks')
    .selectAll()
    .where('state', '=', 'final')
    .executeTakeFirstOrThrow();
  const stamp = Date.now();
  for (let made = 0; made < wanted; made += batch) {
    const rows = Array.from({ length: Math.min(batch, wanted - made) }, (_, index) => ({
      ...model,
      id: `task_filled_${stamp}_${made + index}`,
    }));
    await db.insertInto('tasks').values(rows).execute();
  }
  return {};
}

announce(
  { url: '', key: '' },
  {
    async close() {
      await engine.stop();
      await store.close();
    },
    commands: {
      load: (counts) => {
        const [creators = 0, seconds = 0, organizations] = counts.split(',').map(Number);
        return load(creators, seconds, organizations);
      },
      finished: async () => ({ finished: await count(true) }),
      drain,
      pids: databasePids,
      fill: (wanted) => fill(Number(wanted)),
    },
  },
);
