/** Parley with one tool that always runs as a task, on a data folder of its own. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { defineTool, defineToolset } from '@parley/kit';
import * as z from 'zod';
import { createApp, loadConfig } from '../../apps/server/src/index.ts';
import { announce } from './serving.ts';

const { values } = parseArgs({ options: { 'database-url': { type: 'string' } } });
const databaseUrl = values['database-url'];
const dataDir = mkdtempSync(join(tmpdir(), 'parley-bench-'));
const flags = ['--port', '0', '--data', dataDir, '--log-level', 'error', '--record-rows', '100000000'];
if (databaseUrl !== undefined) flags.push('--database-url', databaseUrl);
const { config } = loadConfig([...flags, '--rate', '10000000', '--rate-burst', '10000000']);

const job = defineTool({
  name: 'job',
  title: 'Job',
  description: 'Answer with the number that was sent, as a task.',
  // an effect without a rate of its own, since the rate of creating is what is measured
  effect: 'read',
  task: 'required',
  input: z.object({ number: z.int().describe('The number to send back.') }),
  output: z.object({ number: z.int() }),
  run: ({ number }) => ({ number }),
});

const app = await createApp({
  config,
  toolsets: [defineToolset({ name: 'bench', title: 'Bench', tools: [job] })],
});
const { mcp } = await app.listen();
const { identity, store } = app.host;
const owner = await identity.authenticate(readFileSync(app.ownerKeyFile, 'utf8').trim(), 'key');
if (owner === undefined) throw new Error('The owner key of the bench does not work.');
const key = await identity.createKey(owner, { name: 'bench', grants: { bench: ['*'] }, expiresAt: null });

// a copied row is whole whatever its columns are; only its name must differ
interface Tables {
  tasks: Record<string, unknown> & { id: string; state: string };
}

/** Copies a finished task until `count` more are stored; gives the ids of some of the copies. */
async function fill(count: number): Promise<object> {
  const batch = 500;
  const model = await store
    .db<Tables>()
    .selectFrom('tasks')
    .selectAll()
    .where('state', '=', 'final')
    .executeTakeFirstOrThrow();
  const ids: string[] = [];
  for (let made = 0; made < count; made += batch) {
    const rows = Array.from({ length: Math.min(batch, count - made) }, () => ({
      ...model,
      id: `task_${randomBytes(32).toString('base64url')}`,
    }));
    await store.transaction((tx) => tx.db<Tables>().insertInto('tasks').values(rows).execute());
    ids.push(...rows.slice(0, 20).map(({ id }) => id));
  }
  return { ids };
}

/** How many tasks of the tool are stored. */
async function stored(): Promise<object> {
  const { tasks } = await store
    .db<Tables>()
    .selectFrom('tasks')
    .select((count) => count.fn.countAll().as('tasks'))
    .executeTakeFirstOrThrow();
  return { stored: Number(tasks) };
}

announce(
  { url: mcp, key: key.text },
  {
    async close() {
      await app.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
    commands: { fill: (count) => fill(Number(count)), stored },
  },
);
