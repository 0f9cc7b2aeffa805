/** Owns the promises of measuring agents as callers: what is judged, and that both calls do the same work. */
import { expect, test } from 'vitest';
import { judgeAgents } from './agent-targets.ts';
import { measureAgents } from './agents.ts';
import type { AgentFigures } from './agents.ts';
import { findMethod } from './machine.ts';
import type { Point } from './points.ts';

function point(name: string, cpuUs: number, voidReason?: string): Point {
  return {
    name,
    cpuUs,
    windowsCpuUs: [cpuUs],
    rate: 1,
    p50Us: 1,
    saturated: true,
    connections: 32,
    requests: 100,
    errors: 0,
    bodyChecked: true,
    bodyBytes: 100,
    firstAnswerMs: 1,
    ...(voidReason === undefined ? {} : { voidReason }),
  };
}

const resolution = { tools: 36, microseconds: 49.9 };
const verdictsOf = (figures: Partial<AgentFigures>) =>
  judgeAgents({ points: [], resolution, ...figures }).map(({ verdict }) => verdict);

test.each<[string, Partial<AgentFigures>, string[]]>([
  ['one and a half times', { points: [point('agent call', 60), point('plain call', 40)] }, ['pass', 'pass']],
  ['more', { points: [point('agent call', 61), point('plain call', 40)] }, ['miss', 'pass']],
  [
    'a void call',
    { points: [point('agent call', 1, 'wrong body'), point('plain call', 40)] },
    ['not measured', 'pass'],
  ],
  [
    'a void twin',
    { points: [point('agent call', 1), point('plain call', 40, 'wrong')] },
    ['not measured', 'pass'],
  ],
  ['slow', { resolution: { tools: 36, microseconds: 50 } }, ['not measured', 'miss']],
  ['fast because nothing is found', { resolution: { tools: 0, microseconds: 1 } }, ['not measured', 'miss']],
])('calls are judged by their plain twin, resolution by itself: %s', (_what, figures, verdicts) => {
  expect(verdictsOf(figures)).toEqual(verdicts);
});

test('nothing measured means nothing passed', () => {
  expect(judgeAgents(undefined).map(({ verdict }) => verdict)).toEqual(['not measured', 'not measured']);
});

test('an agent and a plain caller get the same answer, and the agent has the tools of its list', async () => {
  const settings = { warmUpSeconds: 0.1, windowSeconds: 0.1, rounds: 1 };
  const { points, resolution: found } = await measureAgents(settings, findMethod(), () => undefined);
  expect(points.map(({ name, voidReason }) => [name, voidReason])).toEqual([
    ['plain call', undefined],
    ['agent call', undefined],
  ]);
  // The default set, and the one tool besides it.
  expect(found.tools).toBe(36);
});
