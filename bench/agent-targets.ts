/** Owns the targets of agents as callers: what P16 promises, and whether the figures keep it. */
import type { AgentFigures } from './agents.ts';
import { ruled } from './verdict.ts';
import type { Verdict } from './verdict.ts';

/** Judges the call by the plain call beside it, and the resolution by itself. */
export function judgeAgents(agents: AgentFigures | undefined): Verdict[] {
  const costOf = (name: string) => {
    const point = agents?.points.find((measured) => measured.name === name);
    return point?.voidReason === undefined ? point?.cpuUs : undefined;
  };
  const [call, plain] = [costOf('agent call'), costOf('plain call')];
  const resolution = agents?.resolution;
  return [
    ruled(
      {
        id: 'P16',
        what: 'call of an agent tool against a plain one',
        limit: 1.5,
        better: 'lower',
        unit: 'x',
      },
      call === undefined || plain === undefined ? undefined : call / plain,
      { text: `${call ?? '-'} and ${plain ?? '-'} us of CPU for the same work`, isBroken: false },
    ),
    ruled(
      {
        id: 'P16',
        what: 'resolution of the tools of an agent, warm',
        limit: 50,
        better: 'under',
        unit: ' us',
      },
      resolution?.microseconds,
      resolution && { text: `from the key to ${resolution.tools} tools`, isBroken: resolution.tools === 0 },
    ),
  ];
}
