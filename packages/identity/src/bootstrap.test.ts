/** The first start makes one organization, one owner and one key, however many processes start at once. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { StoreOptions } from '@parley/store';
import { onBothEngines } from '@parley/store/testing';
import { expect, test } from 'vitest';
import { settle } from '../test/people.ts';
import type { IdentityTables } from './schema.ts';

/** A process that is about to bootstrap; `go` lets it and returns what it got. */
async function startProcess(options: StoreOptions) {
  const program = join(import.meta.dirname, '../test/bootstrap-program.ts');
  const child = spawn(process.execPath, [program, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('ready');
  return async (): Promise<{ isFirst: boolean; key: string | null }> => {
    child.stdin.write('go\n');
    const line = await lines.next();
    expect(await exit).toEqual([0, null]);
    return JSON.parse(String(line.value));
  };
}

onBothEngines('bootstrap', (open, _engine, where) => {
  test('hands out one owner key that works, once', async () => {
    const { identity } = await settle(await open());
    const kept: string[] = [];
    const keep = async (key: string) => {
      kept.push(key);
    };
    expect(await identity.bootstrap(keep)).toBe(true);
    expect(await identity.bootstrap(keep)).toBe(false);
    expect(kept).toHaveLength(1);
    const caller = await identity.authenticate(kept[0]!, 'key');
    expect(caller).toMatchObject({ name: 'Owner key', roles: ['owner'] });
    expect(await identity.organizationName(caller!.organizationId)).toBe('Default');
  });

  test('makes nothing when the key cannot be kept', async () => {
    const { identity, store } = await settle(await open());
    const fail = identity.bootstrap(() => Promise.reject(new Error('The disk is full.')));
    await expect(fail).rejects.toThrow('The disk is full.');
    expect(await store.db<IdentityTables>().selectFrom('organizations').selectAll().execute()).toEqual([]);
    expect(await identity.bootstrap(async () => undefined)).toBe(true);
  });

  test('two stores that start at the same time make one owner', async () => {
    const places = [await settle(await open()), await settle(await open())];
    const kept: string[] = [];
    const outcomes = await Promise.all(
      places.map(({ identity }) =>
        identity.bootstrap(async (key) => {
          kept.push(key);
        }),
      ),
    );
    expect(outcomes.filter((isFirst) => isFirst)).toEqual([true]);
    expect(kept).toHaveLength(1);
    for (const { identity } of places) expect(await identity.authenticate(kept[0]!, 'key')).toBeDefined();
  });

  test('two processes that start at the same time make one owner', async () => {
    const options = await where();
    const { identity, store } = await settle(await open());
    const processes = await Promise.all([startProcess(options), startProcess(options)]);
    const outcomes = await Promise.all(processes.map((go) => go()));
    expect(outcomes.filter(({ isFirst }) => isFirst)).toHaveLength(1);
    const key = outcomes.find(({ isFirst }) => isFirst)?.key;
    expect(await identity.authenticate(key!, 'key')).toMatchObject({ roles: ['owner'] });
    const tables = ['organizations', 'users', 'members', 'api_keys'] as const;
    for (const table of tables) {
      expect(await store.db<IdentityTables>().selectFrom(table).select('id').execute(), table).toHaveLength(
        1,
      );
    }
  });
});
