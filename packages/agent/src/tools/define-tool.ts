/** How a tool of agents is defined: with the services of this toolset, for callers that act as an agent, given who acts. */
import type { DefineTool } from '@parley/kit';
import { defineToolWith } from '@parley/kit';
import type { AgentServices } from '../services/index.ts';
import type { Acting } from '../session.ts';
import { begin, beginReading } from '../session.ts';

const define = defineToolWith<AgentServices, Acting>(begin);
const defineReading = defineToolWith<AgentServices, Acting>(beginReading);

/** The third argument of `run` is the agent that acts. */
export const defineTool: DefineTool<AgentServices, [acting: Acting]> = (spec) =>
  (spec.effect === 'read' ? defineReading : define)({ ...spec, callers: 'agents', faults: 'result' });
