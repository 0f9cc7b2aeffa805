/** Owns the promises of the judging: what passes, what misses, and what is never called a pass. */
import { describe, expect, test } from 'vitest';
import type { Point } from './points.ts';
import { judgeFull, judgeQuick } from './targets.ts';
import type { Measured } from './targets.ts';

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

const points = [
  point('floor 100 call', 30),
  point('sdk 100 call', 800),
  point('parley 100 call', 36),
  point('parley 10 call', 35),
  point('parley 500 call', 40),
];

function verdictsOf(measured: Partial<Measured>, id: string) {
  return judgeQuick({ points, ...measured })
    .filter((verdict) => verdict.id === id)
    .map(({ verdict }) => verdict);
}

describe('verdicts', () => {
  test('ratios inside the limit pass and carry their figure', () => {
    expect(judgeQuick({ points })[0]).toMatchObject({ ratio: 1.2, verdict: 'pass', isGoalMet: true });
    expect(verdictsOf({}, 'P1')).toEqual(['pass', 'pass']);
  });

  test('a ratio outside the limit stays in the table as a miss', () => {
    expect(verdictsOf({}, 'P2')).toEqual(['miss']);
    expect(verdictsOf({ idleMb: 121 }, 'P8')).toEqual(['miss']);
  });

  test('a void point is not measured, however fast it looked', () => {
    const voided = [...points.slice(0, 2), point('parley 100 call', 1, 'wrong body'), ...points.slice(3)];
    expect(verdictsOf({ points: voided }, 'P1')).toEqual(['not measured', 'not measured']);
  });

  test('fast calls whose records did not arrive are a miss', () => {
    expect(verdictsOf({ records: { made: 100, arrived: 99 } }, 'P1')).toEqual(['miss', 'pass']);
    expect(verdictsOf({ records: { made: 100, arrived: 132 } }, 'P1')).toEqual(['pass', 'pass']);
  });

  test('the cold start is judged against the faster opening of the SDK', () => {
    const start = { tools: 100, cpuMs: 1, minMs: 1, runsMs: [], rssMb: null };
    const starts = [
      { ...start, name: 'sdk', opening: 'modern' as const, medianMs: 200 },
      { ...start, name: 'sdk', opening: '2025' as const, medianMs: 120 },
      { ...start, name: 'parley', opening: 'modern' as const, medianMs: 100 },
    ];
    expect(verdictsOf({ coldStarts: { starts, firstEverMs: null } }, 'P5')).toEqual(['miss']);
  });

  test('flat memory with a leaked descriptor is a miss', () => {
    const load = [{ calls: 1, calls2025: 0, errorsMade: 0, disconnectsMade: 0, failures: 0 }];
    const early = { calls: 1, rssMb: 100, descriptors: 20, timers: 1 };
    const flat = (late: object) => ({ early, late: { ...early, ...late }, load });
    const last = (measured: Measured) => judgeFull(measured).find(({ what }) => what.startsWith('memory at'));
    expect(last({ points, flat: flat({ rssMb: 105 }) })?.verdict).toBe('pass');
    expect(last({ points, flat: flat({ descriptors: 21 }) })?.verdict).toBe('miss');
    expect(last({ points, flat: flat({ rssMb: 111 }) })?.verdict).toBe('miss');
  });

  test('nothing measured means nothing passed', () => {
    const verdicts = judgeFull({ points: [] }).map(({ verdict }) => verdict);
    expect(new Set(verdicts)).toEqual(new Set(['not measured']));
  });
});
