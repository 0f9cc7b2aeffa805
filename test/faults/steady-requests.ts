/** Owns a steady stream of requests: so many a second, or as many as a busy machine answers. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Asked, Outcome, Told } from './fault-client.ts';
import { mcp, outcomeOf, rest } from './fault-client.ts';

/** What came of all of them. */
export interface SteadyReport {
  readonly asked: number;
  readonly perSecond: number;
  /** How often something else than success came, by what it was. */
  readonly failures: Readonly<Record<Outcome, number>>;
}

const TURN_MS = 10;
/** A machine that cannot keep up is asked less, instead of what it cannot answer in time. */
const MOST_AT_ONCE = 100;

/** Mostly calls, as clients make them; some read over REST. */
const REQUESTS: readonly ((to: Asked) => Promise<Told>)[] = [
  (to) => mcp(to, 'tools/call', { name: 'parley_whoami', arguments: {} }),
  (to) => mcp(to, 'tools/call', { name: 'list_tasks', arguments: { limit: 5 } }),
  (to) => mcp(to, 'tools/call', { name: 'parley_whoami', arguments: {} }),
  (to) => rest(to, 'GET', '/api/v1/boards'),
  (to) => mcp(to, 'tools/list', {}),
];

/** Asks until the work is done. */
export async function whileAsking(
  to: Asked,
  perSecond: number,
  work: () => Promise<void>,
): Promise<SteadyReport> {
  const failures: Record<Outcome, number> = {};
  const under = new Set<Promise<void>>();
  const beganMs = performance.now();
  let asked = 0;
  const over = new AbortController();
  const ask = async (request: (to: Asked) => Promise<Told>) => {
    const outcome = await request(to).then(outcomeOf, (error: unknown) => String(error));
    if (outcome !== 'done') failures[outcome] = (failures[outcome] ?? 0) + 1;
  };
  const asking = (async () => {
    let lastMs = beganMs;
    let owed = 0;
    while (!over.signal.aborted) {
      const nowMs = performance.now();
      owed = Math.min(owed + ((nowMs - lastMs) / 1000) * perSecond, MOST_AT_ONCE);
      lastMs = nowMs;
      for (; owed >= 1 && under.size < MOST_AT_ONCE; owed -= 1, asked += 1) {
        const one: Promise<void> = ask(REQUESTS[asked % REQUESTS.length]!).finally(() => under.delete(one));
        under.add(one);
      }
      await delay(TURN_MS);
    }
  })();
  try {
    await work();
  } finally {
    over.abort();
    await asking;
    await Promise.all(under);
  }
  return { asked, perSecond: Math.round(asked / ((performance.now() - beganMs) / 1000)), failures };
}
