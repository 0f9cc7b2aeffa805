/** The task engine alone as a bench process: creates, runs and parks bench tasks when told to. */
import { createHook } from 'node:async_hooks';
import { once, EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openStore } from '@parley/store';
import { createTaskEngine, taskMigrations } from '@parley/tasks';
import { announce, collector } from './serving.ts';
import { benchKind, benchTask, clockMs, QUESTION_KEY } from './task-kind.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '' },
    'database-url': { type: 'string' },
    worker: { type: 'boolean', default: false },
  },
});
const databaseUrl = values['database-url'];
// timers that do not hold the process open are only seen from here
const timers = new Set<number>();
createHook({
  trackPromises: false,
  init: (id, type) => {
    if (type === 'Timeout') timers.add(id);
  },
  destroy: (id) => {
    timers.delete(id);
  },
}).enable();

const store = await openStore({ dataDir: values.data, ...(databaseUrl !== undefined && { databaseUrl }) });
await store.migrate([taskMigrations]);
const engine = createTaskEngine({ store, onFault: (error) => process.stderr.write(`${String(error)}\n`) });
const reached = new EventEmitter();
let timesMs: number[] = [];
engine.register(
  benchKind((elapsedMs) => {
    timesMs.push(elapsedMs);
    reached.emit('time');
  }),
);
if (values.worker) engine.start();

interface Tables {
  tasks: { id: string; state: string; due_at: number };
}

/** Creates tasks one after another, each committed before the next. */
async function create(count: number): Promise<object> {
  const startedMs = clockMs();
  for (let made = 0; made < count; made++) await engine.enqueue(benchTask('end'));
  const elapsedMs = clockMs() - startedMs;
  return { perSecond: Math.round((count / elapsedMs) * 1000) };
}

/** Creates tasks with random gaps, so that no poll is met in step. */
async function trickle(count: number, gapMs: number): Promise<object> {
  for (let made = 0; made < count; made++) {
    await engine.enqueue(benchTask('end'));
    await pause(Math.random() * gapMs);
  }
  return {};
}

/** The times of the next `count` reached tasks, once all of them are there. */
async function takeTimes(count: number): Promise<object> {
  while (timesMs.length < count) await once(reached, 'time');
  const taken = timesMs;
  timesMs = [];
  return { timesMs: taken };
}

/** Parks tasks of many owners, half asleep and half waiting for an answer, without a backlog. */
async function park(count: number): Promise<object> {
  const owners = 50;
  const atOnce = 100;
  for (let made = 0; made < count; made++) {
    await engine.enqueue(benchTask(made % 2 === 0 ? 'sleep' : 'ask', made % owners));
    if (made % atOnce === 0) while ((await parkedCount()) <= made) await pause(1);
  }
  while ((await parkedCount()) < count) await pause(1);
  return {};
}

async function parkedCount(): Promise<number> {
  const { tasks } = await store
    .db<Tables>()
    .selectFrom('tasks')
    .select((count) => count.fn.countAll().as('tasks'))
    .where('state', 'in', ['ready', 'asking'])
    .where('due_at', '>', Date.now())
    .executeTakeFirstOrThrow();
  return Number(tasks);
}

/** Memory as the work left it, memory that cannot be given back, and every timer. */
async function footprint(): Promise<object> {
  // the end of a timer is told one turn later
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  const asLeftBytes = process.memoryUsage.rss();
  collector()({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  return { asLeftBytes, neededBytes: process.memoryUsage.rss(), timers: timers.size };
}

/** Answers tasks that wait for it, one after another. */
async function answer(count: number): Promise<object> {
  for (let answered = 0; answered < count; answered++) {
    const { id, organizationId, ownerId } = await engine.enqueue(benchTask('ask'));
    const owner = { organizationId, ownerId };
    while ((await engine.get(owner, id))?.status !== 'input_required') await pause(1);
    const isReached = once(reached, 'time');
    const content = { sentMs: clockMs() };
    await engine.answer(owner, id, { [QUESTION_KEY]: { action: 'accept', content } });
    await isReached;
  }
  return takeTimes(count);
}

/** Creates without end, and tells of each task once it is acknowledged. */
async function flood(): Promise<never> {
  for (;;) {
    const { id } = await engine.enqueue(benchTask('end'));
    process.stdout.write(`${id}\n`);
  }
}

/** How many of the ids in a file, one per line, are not in the store. */
async function missing(file: string): Promise<object> {
  const stored = await store.db<Tables>().selectFrom('tasks').select('id').execute();
  const known = new Set(stored.map(({ id }) => id));
  const ids = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return { missing: ids.filter((id) => !known.has(id)).length };
}

// no port is open: the bench talks to this process through its control lines alone
announce(
  { url: '', key: '' },
  {
    async close() {
      await engine.stop();
      await store.close();
    },
    commands: {
      create: (count) => create(Number(count)),
      trickle: (counts) => {
        const [count = 0, gapMs = 0] = counts.split(',').map(Number);
        return trickle(count, gapMs);
      },
      times: (count) => takeTimes(Number(count)),
      park: (count) => park(Number(count)),
      answer: (count) => answer(Number(count)),
      footprint,
      flood,
      missing,
    },
  },
);
