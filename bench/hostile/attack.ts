/** Owns the order of an attack and what must be true after it. */
import { setTimeout as pause } from 'node:timers/promises';
import { resetEverywhere } from './resets.ts';
import type { Health, Target } from './target.ts';
import { healthOf, isAlive } from './target.ts';
import type { TrafficResult } from './traffic.ts';
import { traffic } from './traffic.ts';
import { INITIALIZE, leaveUnread } from './unread.ts';

/** How much of everything. */
export interface Attack {
  readonly sessions: number;
  readonly resetsPerPath: number;
  readonly unreadPerKind: number;
  readonly changes: number;
  readonly perSecond: number;
  readonly seconds: number;
}

/** What was done, and how the server stood before and after. */
export interface Aftermath {
  readonly isAlive: boolean;
  readonly before: Health;
  readonly after: Health;
  readonly sessionsRefused: number;
  readonly traffic: TrafficResult;
}

// An idle server gives memory back with its next full collection, minutes after the load.
const SETTLE_MS = 300_000;
/** How much more memory a server may hold when all is over. */
export const MORE_MB = 50;

/** Runs an attack and gives the server time to come to rest. */
export async function attack(target: Target, plan: Attack, say: (line: string) => void): Promise<Aftermath> {
  say('warming up');
  // Code that is loaded on first use is no leak.
  await resetEverywhere(target, 9);
  await leaveUnread(target, 1, 3);
  await traffic(target, plan.perSecond, Math.min(plan.seconds, 10));
  const before = await settled(target.pid, undefined);
  say(`before: ${before.rssMb} MB, ${before.descriptors} descriptors`);
  const sessionsRefused = await abandonSessions(target, plan.sessions);
  say(`${plan.sessions} sessions abandoned, ${sessionsRefused} refused`);
  say(`${await resetEverywhere(target, plan.resetsPerPath)} connections reset; ${describe(target)}`);
  await leaveUnread(target, plan.unreadPerKind, plan.changes);
  say(`${plan.unreadPerKind} streams of each kind left unread; ${describe(target)}`);
  const result = await traffic(target, plan.perSecond, plan.seconds);
  say(`${result.sent} requests sent; ${describe(target)}`);
  const after = await settled(target.pid, before);
  return { isAlive: await isAlive(target), before, after, sessionsRefused, traffic: result };
}

async function abandonSessions(target: Target, count: number): Promise<number> {
  let refused = 0;
  for (let index = 0; index < count; index++) {
    const answer = await fetch(`${target.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${target.keys[0]}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(INITIALIZE),
    });
    await answer.arrayBuffer();
    if (!answer.ok) refused += 1;
  }
  return refused;
}

/** Waits until the server is at rest, or stands where it stood, or has had its time. */
async function settled(pid: number, goal: Health | undefined): Promise<Health> {
  const endMs = performance.now() + SETTLE_MS;
  let last = healthOf(pid);
  for (let equal = 0; performance.now() < endMs;) {
    await pause(1000);
    const now = healthOf(pid);
    const isThere =
      goal !== undefined && now.rssMb <= goal.rssMb + MORE_MB && now.descriptors <= goal.descriptors;
    equal = now.descriptors === last.descriptors && Math.abs(now.rssMb - last.rssMb) < 3 ? equal + 1 : 0;
    last = now;
    if (goal === undefined ? equal >= 5 : isThere) break;
  }
  return last;
}

function describe({ pid }: Target): string {
  const { rssMb, descriptors } = healthOf(pid);
  return `${rssMb} MB, ${descriptors} descriptors`;
}
