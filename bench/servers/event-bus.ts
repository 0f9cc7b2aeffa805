/** The event bus alone as a bench process: publishes events, and takes them itself. */
import { parseArgs } from 'node:util';
import { createEvents, eventMigrations, selfOf } from '@parley/events';
import { createEgress } from '@parley/kit/egress';
import { openStore } from '@parley/store';
import { createTaskEngine, taskMigrations } from '@parley/tasks';
import { announce } from './serving.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '' },
    'database-url': { type: 'string' },
    receiver: { type: 'string', default: '' },
  },
});
const databaseUrl = values['database-url'];
const ORGANIZATION_ID = 'bench';
const PUBLISHERS = 32;
const WEBHOOKS = 8;

const onFault = (error: unknown) => process.stderr.write(`${String(error)}\n`);
const store = await openStore({ dataDir: values.data, ...(databaseUrl !== undefined && { databaseUrl }) });
await store.migrate([taskMigrations, eventMigrations]);
const tasks = createTaskEngine({ store, onFault });
const egress = createEgress({ allow: [values.receiver] });
const events = createEvents({ store, tasks, egress, onFault });

/** When each event was taken, by id. */
const takenMs = new Map<string, number>();
let onTaken = () => {};
events.subscribers.handle('bench.*', async (_organizationId, given) => {
  for (const { id } of given) takenMs.set(id, performance.now());
  onTaken();
});
tasks.start();
events.start();
const subscriber = {
  organizationId: ORGANIZATION_ID,
  connectionId: selfOf(ORGANIZATION_ID),
  createdBy: null,
};
await events.subscribers.subscribe(subscriber, { eventType: 'bench.*' });
for (let index = 0; index < WEBHOOKS; index += 1)
  await events.webhooks.create(ORGANIZATION_ID, {
    url: `http://${values.receiver}/hook`,
    events: [`hook.${index}`],
  });

const publish = (type = 'bench.happened') =>
  events.publishNow({
    organizationId: ORGANIZATION_ID,
    source: 'bench',
    type,
    data: { total: 150, items: ['a', 'b'] },
  });

async function untilTaken(ids: readonly string[]): Promise<void> {
  while (!ids.every((id) => takenMs.has(id)))
    await new Promise<void>((resolve) => {
      onTaken = resolve;
    });
}

/** One event after the other: from the call that publishes it to the handler that has it. */
async function deliver(count: number): Promise<object> {
  const latenciesMs: number[] = [];
  for (let made = 0; made < count; made += 1) {
    const startedMs = performance.now();
    const { id } = await publish();
    await untilTaken([id]);
    latenciesMs.push((takenMs.get(id) ?? 0) - startedMs);
  }
  takenMs.clear();
  return { latenciesMs };
}

/** Many publishers at once, each event of the next type in turn. */
async function publishMany(count: number, typeOf: (index: number) => string): Promise<string[]> {
  const ids: string[] = [];
  let begun = 0;
  const one = async () => {
    while (begun < count) ids.push((await publish(typeOf(begun++))).id);
  };
  await Promise.all(Array.from({ length: PUBLISHERS }, one));
  return ids;
}

/** Every event must be taken afterwards, or the rate is worth nothing. */
async function flood(count: number): Promise<object> {
  const startedMs = performance.now();
  const ids = await publishMany(count, () => 'bench.happened');
  const publishedMs = performance.now() - startedMs;
  await untilTaken(ids);
  const takenAllMs = performance.now() - startedMs;
  takenMs.clear();
  return { publishedMs, takenAllMs };
}

// no port is open: the bench talks to this process through its control lines alone
announce(
  { url: '', key: '' },
  {
    async close() {
      await events.stop();
      await tasks.stop();
      await egress.close();
      await store.close();
    },
    commands: {
      deliver: (count) => deliver(Number(count)),
      flood: (count) => flood(Number(count)),
      /** An event for one of the webhooks each; who asks counts what arrives. */
      hooks: async (count) => ({
        ids: await publishMany(Number(count), (index) => `hook.${index % WEBHOOKS}`),
      }),
    },
  },
);
