/** Who may use a route: the team, administrators where it says so, and keys that hold the matching grant. */
import { rankOf } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { isGranted, isTeam } from '@parley/kit';
import { feedbackTools } from '../tools/index.ts';
import { RestError } from './errors.ts';
import type { Route } from './route.ts';

const TOOLSET = 'feedback';
const WATCHED = new Set<string>(
  feedbackTools.filter((tool) => tool.unattended === 'block').map(({ name }) => name),
);

/** Refuses visitors of the portal, whatever they ask for. */
export function requireTeamCaller(caller: Caller): void {
  if (!isTeam(caller)) throw new RestError('FORBIDDEN', 'Only team members may use this API.');
}

/** Checks rank and grants before the body is read. */
export function authorize(route: Route, caller: Caller): void {
  if (route.who === 'admin' && rankOf(caller.roles) !== 'admin')
    throw new RestError('FORBIDDEN', 'Only administrators may do this.');
  if (!route.grants.some((tool) => holds(caller, tool))) throw missingGrant(route.grants);
}

/** Checks the grants that the body asks for. */
export function authorizeBody(route: Route, caller: Caller, body: unknown): void {
  const missing = route.grantsOf(body).filter((tool) => !holds(caller, tool));
  if (missing.length > 0) throw missingGrant(missing);
}

function holds(caller: Caller, tool: string): boolean {
  if (caller.unattended && WATCHED.has(tool))
    throw new RestError(
      'FORBIDDEN',
      `${TOOLSET}:${tool} is blocked while nobody is watching, and this caller is unattended.`,
    );
  return isGranted(caller.grants, TOOLSET, tool);
}

function missingGrant(tools: readonly string[]): RestError {
  const names = tools.map((tool) => `${TOOLSET}:${tool}`).join(' or ');
  return new RestError('FORBIDDEN', `This key does not have the grant ${names}.`);
}
