/** The lines on what must never happen: half a creation, a write of a stalled worker, work that stays with the dead. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Bed, Remote } from '../bed.ts';
import type { Check } from './check.ts';
import { count, listed, ownVerdict, seconds } from './check.ts';

const SETTLE_MS = 3000;
const START_LIMIT_MS = 20_000;
/** Beyond what any of them needs by itself, where it can. */
const TAKEOVER_LIMIT_MS = 50_000;
/** So long a worker may need to find its work by itself before it is told. */
const ALONE_MS = 10_000;
/** A lease of 30 s that another one looks for every 5. */
const ALLOWED_MS = 35_000;

export const transaction: Check = {
  line: "creation in the caller's transaction",
  async run(bed) {
    const a = await bed.start('a');
    const input = { owner: 'A', organization: 'one', does: 'steps' } as const;
    await a.ask({ do: 'create with', input: { ...input, label: 'gone' }, end: 'rollback' });
    await a.ask({ do: 'create with', input: { ...input, label: 'kept' }, end: 'commit' });
    const ran = await bed.until(() => count(bed, 'kept', 'three') === 1, START_LIMIT_MS);
    await pause(SETTLE_MS);
    const isRight = ran !== undefined && bed.effects('gone').length === 0;
    const seen = `committed: ran ${count(bed, 'kept', 'three')} times; rolled back: ${bed.effects('gone').length} effects`;
    return { verdict: isRight ? 'yes' : 'no', seen };
  },
};

export const takeover: Check = {
  line: 'takeover within 35 s of kill -9',
  async run(bed) {
    const { id, a, b } = await hung(bed);
    await a.kill();
    const tookMs = await bed.until(() => count(bed, 'task', 'two', 'b') > 0, TAKEOVER_LIMIT_MS);
    if (tookMs !== undefined) {
      await bed.until(async () => (await b.state(id)).status === 'completed', START_LIMIT_MS);
      const isRight = tookMs <= ALLOWED_MS && count(bed, 'task', 'one') === 1;
      return { verdict: isRight ? 'yes' : 'no', seen: `after ${seconds(tookMs)}: ${listed(bed, 'task')}` };
    }
    await b.ask({ do: 'take over', name: 'a' });
    const byHandMs = await bed.until(() => count(bed, 'task', 'three', 'b') > 0, START_LIMIT_MS);
    const byHand =
      byHandMs === undefined ? 'nor when told that it is dead' : `${seconds(byHandMs)} after being told`;
    return {
      verdict: byHandMs === undefined ? 'no' : 'by hand',
      seen: `not within ${seconds(TAKEOVER_LIMIT_MS)}; ${byHand}: ${listed(bed, 'task')}`,
    };
  },
};

export const fence: Check = {
  line: 'a stalled worker that wakes writes nothing',
  async run(bed) {
    const { id, a, b } = await hung(bed, { bHangs: true });
    a.signal('SIGSTOP');
    const needsHand = await b.ask<boolean>({ do: 'needs a hand' });
    if (needsHand) await b.ask({ do: 'take over', name: 'a' });
    const took = await bed.until(() => count(bed, 'task', 'two', 'b') > 0, TAKEOVER_LIMIT_MS);
    if (took === undefined) return { verdict: 'no', seen: 'nobody took the task over' };
    a.signal('SIGCONT');
    // asked without waiting: the answer of a process that was frozen may come late
    const went = a.ask({ do: 'go' });
    await pause(SETTLE_MS);
    await went;
    const during = await b.state(id);
    await b.ask({ do: 'go' });
    await bed.until(async () => (await b.state(id)).status !== 'working', START_LIMIT_MS);
    await pause(SETTLE_MS);
    const { status, result } = await b.state(id);
    const isRight =
      during.status === 'working' &&
      status === 'completed' &&
      result === 'b' &&
      count(bed, 'task', 'three', 'a') === 0 &&
      count(bed, 'task', 'three', 'b') === 1;
    const seen = `while b ran: ${during.status}; end: ${status} with the outcome of ${String(result)}; ${listed(bed, 'task')}`;
    return { verdict: isRight ? (needsHand ? 'by hand' : ownVerdict(bed)) : 'no', seen };
  },
};

export const poison: Check = {
  line: 'a task that kills its worker is given up after 5 deaths',
  async run(bed) {
    const most = 8;
    const maker = await bed.start('maker', { works: false, isQuick: true });
    const id = await maker.create({ label: 'task', does: 'kill' });
    const isOpen = async () => (await maker.state(id)).status === 'working';
    const needsHand = await maker.ask<boolean>({ do: 'needs a hand' });
    let isByHand = false;
    while (count(bed, 'task', 'kill') < most && (await isOpen())) {
      // one that takes its work back as it starts may be dead before it is ready
      const worker = await bed.start('a', { isQuick: true }).catch(() => undefined);
      if (worker === undefined) continue;
      const isOver = async () => !worker.isAlive() || !(await isOpen());
      let ended = await bed.until(isOver, needsHand ? ALONE_MS : TAKEOVER_LIMIT_MS);
      if (ended === undefined && needsHand) {
        isByHand = true;
        await maker.ask({ do: 'take over', name: 'a' });
        ended = await bed.until(isOver, TAKEOVER_LIMIT_MS);
      }
      await worker.kill();
      if (ended === undefined) break;
    }
    const { status } = await maker.state(id);
    const deaths = count(bed, 'task', 'kill');
    const verdict = status !== 'failed' ? 'no' : isByHand ? 'by hand' : 'yes';
    return { verdict, seen: `${deaths} deaths, then ${status}` };
  },
};

/** A task whose second step hangs in `a`, with `b` beside it. */
async function hung(bed: Bed, { bHangs = false } = {}): Promise<{ id: string; a: Remote; b: Remote }> {
  const a = await bed.start('a', { mayHang: true });
  const id = await a.create({ label: 'task', does: 'steps' });
  const isIn = await bed.until(() => count(bed, 'task', 'two', 'a') > 0, START_LIMIT_MS);
  if (isIn === undefined) throw new Error('The task did not begin.');
  const b = await bed.start('b', { mayHang: bHangs });
  return { id, a, b };
}
