/** What could do most harm in the hands of somebody who finds an open browser: it asks again who one is, whatever the way to it. */
import type { Middleware } from '@parley/kit';
import { mustProve, ToolError } from '@parley/kit';
import { MANAGEMENT } from '@parley/mesh/name';

/** The code of the refusal. */
export const FRESH_SIGN_IN = 'fresh_sign_in';

type Concerns = (input: unknown) => boolean;

const always: Concerns = () => true;

const OF_PROGRAMS = ['command', 'args', 'cwd', 'envVars'];

/** True for a connection that starts a program on this machine. */
const startsProgram: Concerns = (input) => {
  const data = fieldOf(input, 'data');
  const settings = fieldOf(data, 'connection_headers');
  if (fieldOf(data, 'connection_type') === 'STDIO') return true;
  return OF_PROGRAMS.some((name) => fieldOf(settings, name) !== undefined);
};

/** The management tools, and with which input; routes say so themselves, by `isSensitive`. */
const TOOLS: Readonly<Record<string, Concerns>> = {
  API_KEY_CREATE: always,
  API_KEY_UPDATE: always,
  API_KEY_DELETE: always,
  ORGANIZATION_MEMBER_ADD: always,
  ORGANIZATION_MEMBER_UPDATE_ROLE: always,
  ORGANIZATION_DELETE: always,
  COLLECTION_CONNECTIONS_CREATE: startsProgram,
  COLLECTION_CONNECTIONS_UPDATE: startsProgram,
};

/** The names, for whoever holds them against the tools that there are. */
export const SENSITIVE_TOOLS: readonly string[] = Object.keys(TOOLS);

/** Stands before those tools, for people in a browser; no other call is slower by it. */
export function freshSignInFor(now: () => number): Middleware {
  const concernOf = ({
    toolset,
    name,
    granted = name,
  }: {
    toolset: string;
    name: string;
    granted?: string | undefined;
  }) => (toolset === MANAGEMENT && Object.hasOwn(TOOLS, granted) ? TOOLS[granted] : undefined);
  return {
    concerns: (tool) => concernOf(tool) !== undefined,
    async call(call, next) {
      const { tool, caller, input } = call;
      if (mustProve(caller, now()) && concernOf(tool)?.(input) === true)
        throw new ToolError(FRESH_SIGN_IN, 'Show again who you are: it is more than 15 minutes ago.');
      return next();
    },
  };
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Object.entries(value).find(([field]) => field === name)?.[1];
}
