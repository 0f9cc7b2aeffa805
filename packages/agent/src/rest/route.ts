/** What a handler of the agent routes gets besides what was asked, and the `defineRoute` that gives it. */
import { defineRouteFor } from '@parley/http/rest';
import type { AgentServices } from '../services/index.ts';

export interface AgentScope {
  readonly services: AgentServices;
}

export const defineRoute = defineRouteFor<AgentScope>();
