/** The lines on waiting: cancels that reach a step, questions and retries that hold no place, thousands that are parked. */
import type { Bed } from '../bed.ts';
import type { JobInput } from '../contract.ts';
import { LIMITS } from '../contract.ts';
import type { Check } from './check.ts';
import { count, ownVerdict, seconds } from './check.ts';

const START_LIMIT_MS = 20_000;
const RUN_LIMIT_MS = 60_000;

export const cancel: Check = {
  line: 'cancel of a running step within 1 s, from another process',
  async run(bed) {
    const a = await bed.start('a', { mayHang: true });
    const id = await a.create({ label: 'task', does: 'steps' });
    await bed.until(() => count(bed, 'task', 'two') > 0, START_LIMIT_MS);
    const b = await bed.start('b', { works: false });
    const askedAt = Date.now();
    await b.ask({ do: 'cancel', id });
    const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 10_000));
    const stoppedAt = await Promise.race([a.stopped, late]);
    const stoppedMs = stoppedAt === undefined ? undefined : stoppedAt - askedAt;
    await bed.until(async () => (await b.state(id)).status === 'cancelled', 5000);
    const { status } = await b.state(id);
    const isRight = stoppedMs !== undefined && stoppedMs <= 1000 && status === 'cancelled';
    const when = stoppedMs === undefined ? 'no signal within 10 s' : `the signal fired after ${stoppedMs} ms`;
    return { verdict: isRight ? 'yes' : 'no', seen: `${when}; the task is ${status}` };
  },
};

export const question: Check = {
  line: 'a question parks: 16 that wait hold no place of their owner; an answer resumes',
  async run(bed) {
    const a = await bed.start('a');
    const ids: string[] = [];
    for (let number = 0; number < LIMITS.perOwner; number += 1) {
      ids.push(await a.create({ label: `ask${number}`, does: 'ask' }));
    }
    await bed.until(() => bed.effects().length >= ids.length, START_LIMIT_MS);
    await a.create({ label: 'next', does: 'steps' });
    const nextMs = await bed.until(() => count(bed, 'next', 'three') > 0, 10_000);
    const { status } = await a.state(ids[0]!);
    await a.ask({ do: 'answer', id: ids[0]! });
    const answeredMs = await bed.until(() => count(bed, 'ask0', 'answered') > 0, RUN_LIMIT_MS);
    const next = nextMs === undefined ? 'did not run within 10 s' : `ran in ${Math.round(nextMs)} ms`;
    const answered = answeredMs === undefined ? 'never' : `after ${Math.round(answeredMs)} ms`;
    return {
      verdict: nextMs !== undefined && answeredMs !== undefined ? ownVerdict(bed) : 'no',
      seen: `the next task of the owner ${next}; state ${status}; answered, it went on ${answered}`,
    };
  },
};

export const parked: Check = {
  line: '10,000 parked: no timer each, under 1 % CPU and 50 MB',
  async run(bed) {
    const many = 10_000;
    const budgetMs = 150_000;
    // without limits: an engine that holds a place for each would stop at 48
    const a = await bed.start('a', { countsTimers: true, limits: null });
    await a.create({ label: 'first', does: 'ask' });
    await bed.until(() => bed.effects().length > 0, START_LIMIT_MS);
    const before = await a.ask<Footprint>({ do: 'footprint' });
    const startedMs = performance.now();
    let made = 0;
    while (made < many && performance.now() - startedMs < budgetMs) {
      const inputs = Array.from({ length: 500 }, (_, number) => asking(made + number));
      await a.ask({ do: 'create', inputs });
      made += inputs.length;
    }
    const leftMs = budgetMs - (performance.now() - startedMs);
    await bed.until(() => bed.effects().length > made, Math.max(leftMs, 1000));
    const parkedMs = performance.now() - startedMs;
    const asked = bed.effects().length - 1;
    const after = await a.ask<Footprint>({ do: 'footprint' });
    const addedMb = after.neededMb - before.neededMb;
    const isRight =
      asked >= many && after.timers < before.timers + 100 && after.cpuPercent < 1 && addedMb < 50;
    return {
      verdict: isRight ? ownVerdict(bed) : 'no',
      seen: `${asked} asked in ${seconds(parkedMs)}; timers ${before.timers} before, ${after.timers} after; ${after.cpuPercent.toFixed(1)} % of a core idle; ${addedMb.toFixed(0)} MB more`,
    };
  },
};

export const retry: Check = {
  line: 'a failed step is tried again with growing waits that hold no place',
  async run(bed) {
    const a = await bed.start('a');
    for (let number = 0; number < LIMITS.perOwner; number += 1) {
      await a.create({ label: `fail${number}`, does: 'fail', amount: 2 });
    }
    await bed.until(() => bed.effects().length >= LIMITS.perOwner, START_LIMIT_MS);
    await a.create({ label: 'next', does: 'steps' });
    const createdAt = Date.now();
    await bed.until(() => count(bed, 'next', 'three') > 0, RUN_LIMIT_MS);
    const nextAt = bed.effects('next').at(-1)?.at ?? Infinity;
    await bed.until(() => count(bed, 'fail0', 'try') >= 3, RUN_LIMIT_MS);
    const gaps = gapsOf(bed, 'fail0');
    const thirdAt = Math.min(
      ...Array.from(
        { length: LIMITS.perOwner },
        (_, number) => bed.effects(`fail${number}`)[2]?.at ?? Infinity,
      ),
    );
    const holdsPlace = nextAt > thirdAt;
    const isRight = gaps.length === 2 && gaps[1]! > gaps[0]! && !holdsPlace;
    return {
      verdict: isRight ? 'yes' : 'no',
      seen: `waits of ${gaps.map(seconds).join(' and ')}; the next task of the owner ran after ${Math.round(nextAt - createdAt)} ms, ${holdsPlace ? 'when the first retries were over' : 'while they waited'}`,
    };
  },
};

interface Footprint {
  timers: number;
  neededMb: number;
  cpuPercent: number;
}

function asking(number: number): JobInput {
  return { label: `task${number}`, owner: `owner${number % 50}`, organization: 'one', does: 'ask' };
}

function gapsOf(bed: Bed, label: string): number[] {
  const times = bed.effects(label).map(({ at }) => at);
  return times.slice(1).map((at, index) => at - times[index]!);
}
