/** Owns calls at a steady rate, whatever the answers take: what somebody else's trouble does to them. */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { latencyOf } from './latency.ts';
import type { Latency } from './latency.ts';
import { exchange, modernBody, modernHeaders } from './wire.ts';

/** Where to send, how often, how many times. */
export interface SteadyLoad {
  url: string;
  key: string;
  perSecond: number;
  calls: number;
}

/** Sends each call when its time has come, and tells how long the answers took from that time on. */
export async function steadyCalls({ url, key, perSecond, calls }: SteadyLoad): Promise<Latency> {
  const startedMs = performance.now();
  const times = Array.from({ length: calls }, async (_, index) => {
    const dueMs = startedMs + (index * 1000) / perSecond;
    await until(dueMs);
    const answer = await exchange(url, modernHeaders('call', key), modernBody('call', index + 1));
    if (answer.status !== 200)
      throw new Error(`A call answered HTTP ${answer.status}: ${answer.body.slice(0, 300)}`);
    // from when it was due, so that a server which holds up the sender is not flattered
    return performance.now() - dueMs;
  });
  return latencyOf(await Promise.all(times));
}

/** A timer fires up to a millisecond too soon, which is longer than the calls take. */
async function until(dueMs: number): Promise<void> {
  await sleep(Math.max(0, Math.floor(dueMs - performance.now())));
  while (performance.now() < dueMs) await setImmediate();
}
