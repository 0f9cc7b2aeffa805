/** The lines on who runs when: limits, fairness, versions. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Bed } from '../bed.ts';
import type { JobInput } from '../contract.ts';
import { LIMITS } from '../contract.ts';
import type { Check } from './check.ts';

const RUN_LIMIT_MS = 60_000;

export const limits: Check = {
  line: 'at most 16 of an owner and 48 of an organization, exact across replicas',
  async run(bed) {
    const maker = await bed.start('maker', { works: false });
    // five owners of one organization want more places than it has, and one of another wants more than it may have;
    // their tasks are long, so that the limits are reached however slow the machine is
    const owners = ['A', 'B', 'C', 'D', 'E'].map((owner) => ({ owner, organization: 'one' }));
    const long = waiting([...owners, { owner: 'F', organization: 'two' }], { each: 24, taskMs: 2500 });
    // and short ones, so that two claim for one owner again and again in the same moment
    const short = waiting([{ owner: 'G', organization: 'two' }], { each: 600, taskMs: 20 });
    await maker.ask({ do: 'create', inputs: long });
    await Promise.all([bed.start('a'), bed.start('b')]);
    const ends = () => bed.effects().filter(({ what }) => what === 'end').length;
    const longMs = await bed.until(() => ends() >= long.length, RUN_LIMIT_MS);
    await maker.ask({ do: 'create', inputs: short });
    const shortMs = await bed.until(() => ends() >= long.length + short.length, RUN_LIMIT_MS);
    const most = mostAtOnce(bed);
    const ofOwner = Math.max(...[...most].filter(([key]) => key.includes('/')).map(([, running]) => running));
    const ofOrganization = most.get('one') ?? 0;
    const isDone = longMs !== undefined && shortMs !== undefined;
    // fewer than the limit would say nothing: it may not have been reached
    const isRight = isDone && ofOwner === LIMITS.perOwner && ofOrganization === LIMITS.perOrganization;
    const seen = `most at once: ${ofOwner} of an owner, ${ofOrganization} of the organization; ${ends()} of ${long.length + short.length} ran`;
    return { verdict: isRight ? 'yes' : 'no', seen };
  },
};

export const fairness: Check = {
  line: '200 tasks of A, then 1 of B: B begins within one task length',
  async run(bed) {
    const a = await bed.start('a');
    const taskMs = 500;
    const inputs = waiting([{ owner: 'A', organization: 'one' }], { each: 200, taskMs });
    await a.ask({ do: 'create', inputs });
    const createdAt = Date.now();
    await a.create({ owner: 'B', label: 'B', does: 'wait', amount: 1 });
    await bed.until(() => bed.effects('B').length > 0, RUN_LIMIT_MS);
    const began = bed.effects('B')[0]?.at ?? Infinity;
    const before = bed
      .effects()
      .filter(({ label, what, at }) => label !== 'B' && what === 'begin' && at < began);
    const seen = `B began ${Math.round(began - createdAt)} ms after it was made, after ${before.length} of A`;
    return { verdict: began - createdAt <= taskMs ? 'yes' : 'no', seen };
  },
};

export const version: Check = {
  line: 'a version that a worker does not know is left alone',
  async run(bed) {
    const waitMs = 6000;
    const maker = await bed.start('maker', { works: false, version: 1 });
    await bed.start('new', { version: 2 });
    await maker.create({ label: 'task', does: 'steps' });
    await pause(waitMs);
    const isAlone = bed.effects('task').length === 0;
    await bed.start('old', { version: 1 });
    const startedMs = await bed.until(() => bed.effects('task').length > 0, RUN_LIMIT_MS);
    const ranBy = bed.effects('task')[0]?.by;
    const isRight = isAlone && startedMs !== undefined && startedMs < 5000 && ranBy === 'old';
    const seen = `${isAlone ? 'untouched' : 'taken'} by a worker of version 2; one of version 1 began it ${startedMs === undefined ? 'never' : `${Math.round(startedMs)} ms after its start`}`;
    return { verdict: isRight ? 'yes' : 'no', seen };
  },
};

/** Tasks that only take their time, the owners by turns. */
function waiting(
  owners: readonly Pick<JobInput, 'owner' | 'organization'>[],
  { each, taskMs }: { each: number; taskMs: number },
): JobInput[] {
  return Array.from({ length: each }, (_, number) =>
    owners.map((who): JobInput => {
      const label = `${who.organization}/${who.owner}/${number}`;
      return { ...who, label, does: 'wait', amount: taskMs };
    }),
  ).flat();
}

/** The most that ran at the same moment, by organization and by `organization/owner`. */
function mostAtOnce(bed: Bed): Map<string, number> {
  const now = new Map<string, number>();
  const most = new Map<string, number>();
  for (const { label, what } of bed.effects()) {
    const [organization = '', owner = ''] = label.split('/');
    for (const key of [organization, `${organization}/${owner}`]) {
      const running = (now.get(key) ?? 0) + (what === 'begin' ? 1 : -1);
      now.set(key, running);
      most.set(key, Math.max(most.get(key) ?? 0, running));
    }
  }
  return most;
}
