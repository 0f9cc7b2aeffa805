/** What REST and MCP ask before they look at anything: what the service needs, and never less than the team. */
import { administratorsOnly, teamOnly } from '@parley/kit';
import type { Need } from './services/guard.ts';

/** For the `who` of a route. */
export function whoFor(need: Need): 'team' | 'admin' {
  return need === 'admin' ? 'admin' : 'team';
}

/** For the `available` of a tool or resource. */
export function availableFor(need: Need): typeof teamOnly {
  return need === 'admin' ? administratorsOnly : teamOnly;
}
