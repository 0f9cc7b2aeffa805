/** Commands with actions, such as `parley members invite`: one is chosen, run as the caller, and its answer printed. */
import type { AgentRight } from '@parley/agent';
import { AGENT } from '@parley/agent/name';
import type { Caller } from '@parley/kit';
import { hiddenReason, ToolError } from '@parley/kit';
import type { Config } from '../config.ts';
import { UsageError } from '../config.ts';
import type { Host } from '../start/host.ts';
import type { ServedToolset } from '../start/served-toolset.ts';
import { withCaller } from './session.ts';

/** What an action has: who acts, and where. */
export interface Acting {
  readonly host: Host;
  readonly caller: Caller;
  readonly config: Config;
}

/** What to print, for people and for programs. */
export interface Outcome {
  readonly json: unknown;
  readonly text: string;
  /** What was asked for did not come about: exit code 1. */
  readonly isFailure?: boolean;
}

/** Does the work and tells what to print. */
export type Action = (acting: Acting, rest: readonly string[]) => Promise<Outcome>;

/** Runs the action that is named first. */
export function runAction(
  config: Config,
  toolsets: readonly ServedToolset[],
  {
    actions,
    given,
    usage,
  }: {
    readonly actions: Readonly<Record<string, Action>>;
    readonly given: readonly string[];
    readonly usage: string;
  },
): Promise<number> {
  const [name = '', ...rest] = given;
  const run = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (run === undefined) throw new UsageError(usage);
  return withCaller(config, toolsets, async (host, caller) => {
    const { json, text, isFailure = false } = await run({ host, caller, config }, rest);
    process.stdout.write(`${config.json ? JSON.stringify(json) : text}\n`);
    return isFailure ? 1 : 0;
  });
}

/** Throws unless the caller has the tool that does the same, so that both ask for the same rights. */
export function requireTool({ host, caller }: Acting, name: string): void {
  if (host.engine().view(caller).tool(name, caller) !== undefined) return;
  throw new ToolError('forbidden', `This key may not do that. It would need the tool ${name}.`);
}

/** Throws unless the caller has the right that the routes of agents ask for. */
export function requireRight({ caller }: Pick<Acting, 'caller'>, name: AgentRight): void {
  if (hiddenReason({ toolset: AGENT, name }, caller) === undefined) return;
  throw new ToolError('forbidden', `This key may not do that. It would need the grant ${AGENT}:${name}.`);
}
