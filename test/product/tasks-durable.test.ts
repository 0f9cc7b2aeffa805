/** A task is in the database before its creator hears of it. */
import { join } from 'node:path';
import { scratchDatabase } from '@parley/store/testing';
import { expect, test } from 'vitest';
import { modern, sendModern } from '@parley/test-support/wire';
import { startParley } from './parley.ts';
import { startLab, TASKS } from './tasks-lab.ts';

const PROGRAM = join(import.meta.dirname, 'tasks-program.ts');
const RATES = ['--rate', '100000', '--rate-burst', '100000'];
const TASKS_MADE = 1000;
const AT_ONCE = 10;

test.each(['sqlite', 'postgres'] as const)(
  'a thousand tasks on %s are each found by another process the moment they are told',
  async (engine) => {
    const database = await scratchDatabase(engine);
    const { dataDir, databaseUrl } = database.options;
    const where = databaseUrl === undefined ? [] : ['--database-url', databaseUrl];
    await using lab = await startLab(database.options);
    await using other = await startParley(dataDir, { program: PROGRAM, args: [...RATES, ...where] });
    const port = Number(new URL(other.mcp).port);
    let made = 0;
    const found: unknown[] = [];
    async function makeAndFind(): Promise<void> {
      while (made < TASKS_MADE) {
        made += 1;
        const { taskId } = await lab.call('must', { mark: 'durable', ms: 600_000 });
        const get = modern('tasks/get', { taskId }, { capabilities: TASKS });
        const { json } = await sendModern({ port, key: lab.key }, get);
        found.push(json.result?.taskId === taskId ? json.result.status : json);
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, makeAndFind));
    expect(found).toEqual(Array.from({ length: TASKS_MADE }, () => 'working'));
    await other.stop();
    await lab.close();
    await database.remove();
  },
);
