/** The fault "kill -9 in the middle of writes": no acknowledged row is missing afterwards, on either engine. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { StoreOptions } from '@parley/store';
import { onBothEngines } from '@parley/store/testing';
import { seededRandom } from '@parley/test-support/random';
import { expect, test } from 'vitest';
import type { LedgerTables } from './ledger.ts';
import { ledger } from './ledger.ts';

const WANTED_ACKS = 10_000;

/** Starts the program, kills it after `acks` acknowledged writes, and returns every id that it acknowledged. */
async function writeAndKill(options: StoreOptions, run: number, acks: number): Promise<string[]> {
  const program = join(import.meta.dirname, 'write-program.ts');
  const child = spawn(process.execPath, [program, JSON.stringify({ options, run })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const acknowledged: string[] = [];
  for await (const id of createInterface({ input: child.stdout })) {
    acknowledged.push(id);
    if (acknowledged.length === acks) child.kill('SIGKILL');
  }
  expect(await exit).toEqual([null, 'SIGKILL']);
  return acknowledged;
}

onBothEngines('kill -9 in the middle of writes', (open, _engine, where) => {
  test('loses no acknowledged row', async () => {
    const options = await where();
    const acknowledged: string[] = [];
    const random = seededRandom();
    for (let run = 0; acknowledged.length < WANTED_ACKS; run += 1) {
      const acks = 2_000 + Math.floor(random() * 1_500);
      acknowledged.push(...(await writeAndKill(options, run, acks)));
    }
    const store = await open();
    expect(await store.migrate([ledger])).toEqual([]);
    const rows = await store.db<LedgerTables>().selectFrom('ledger').select('id').execute();
    const stored = new Set(rows.map(({ id }) => id));
    expect(new Set(acknowledged).size).toBe(acknowledged.length);
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    // Each lane of each run may have one write that was stored but not yet acknowledged.
    expect(stored.size).toBeGreaterThanOrEqual(WANTED_ACKS);
  });
});
