/** How a tool of agents is defined: with the services of this toolset, for callers that act as an agent, given who acts. */
import type { DefineTool } from '@parley/kit';
import { defineToolWith } from '@parley/kit';
import type { AgentServices } from '../services/index.ts';
import type { Acting } from '../session.ts';
import { begin } from '../session.ts';

const define = defineToolWith<AgentServices, Acting>(begin);

/** The third argument of `run` is the agent that acts. */
export const defineTool: DefineTool<AgentServices, [acting: Acting]> = (spec) =>
  define({ ...spec, callers: 'agents', faults: 'result' });
