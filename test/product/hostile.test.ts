/** A short attack on the product: sessions, resets and streams that are left, and mixed, partly hostile traffic. */
import { beforeAll, expect, test } from 'vitest';
import { attack, MORE_MB } from '../../bench/hostile/attack.ts';
import { aimAt } from '../../bench/hostile/target.ts';
import { ensureBuilt } from './build.ts';
import { scratchFolder, startParley } from './parley.ts';

beforeAll(ensureBuilt);

test('the server outlives an attack and gives back what it took', { timeout: 240_000 }, async () => {
  using folder = scratchFolder();
  await using server = await startParley(folder.path, { args: ['--log-level', 'warn'] });
  const target = await aimAt(server, server.child.pid ?? 0, 4);
  const plan = {
    sessions: 100,
    resetsPerPath: 18,
    unreadPerKind: 20,
    changes: 30,
    perSecond: 100,
    seconds: 8,
  };
  const { isAlive, before, after, sessionsRefused, traffic } = await attack(target, plan, () => undefined);
  expect(isAlive, server.stderr()).toBe(true);
  expect(sessionsRefused).toBe(0);
  expect(Object.fromEntries(traffic.unexpected)).toEqual({});
  expect(traffic.sent).toBeGreaterThan(100);
  expect(after.rssMb).toBeLessThanOrEqual(before.rssMb + MORE_MB);
  expect(after.descriptors).toBeLessThanOrEqual(before.descriptors);
});
