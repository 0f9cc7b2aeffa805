/** Runs of agents: their sessions, and the runner that the settings ask for. */
import { commandOf, createCommandRunner } from '../adapters/runner/command.ts';
import type { Runner } from '../adapters/runner/runner.ts';
import type { AgentCallers } from '../permissions/lookup.ts';
import type { AgentHost } from '../toolset.ts';
import type { AgentOptions } from './options.ts';
import type { Runs } from './runs.ts';
import { createRunKeys, createRuns } from './runs.ts';
import type { Sessions } from './sessions/sessions.ts';
import { createSessions } from './sessions/sessions.ts';

export interface RunningServices {
  readonly sessions: Sessions;
  readonly runs: Runs;
  /** Says where this process serves MCP, once it does. */
  servedAt(url: string): void;
}

export function createRunningServices(
  host: AgentHost,
  now: () => number,
  { callers, runner, session }: { readonly callers: AgentCallers } & Pick<AgentOptions, 'runner' | 'session'>,
): RunningServices {
  const { store, onFault } = host;
  const sessions = createSessions({ store, now, onFault });
  let mcpUrl: string | undefined;
  const ownRunner = runner ?? runnerOf(host, { callers, mcpUrl: () => mcpUrl });
  return {
    sessions,
    runs: createRuns({ store, runner: session?.runner ?? (() => ownRunner), sessions, onFault }),
    servedAt(url) {
      mcpUrl = `${url}/mcp/agent`;
    },
  };
}

/** The runner that the settings ask for. */
function runnerOf(
  { settings, environment, identity }: AgentHost,
  { callers, mcpUrl }: { readonly callers: AgentCallers; readonly mcpUrl: () => string | undefined },
): Runner | undefined {
  const command = commandOf(settings.runnerCommand);
  if (settings.runner === undefined || settings.runner === 'inbox') return undefined;
  if (settings.runner !== 'command') throw new Error('--runner: must be inbox or command');
  if (command === undefined)
    throw new Error('--runner command needs --runner-command, such as \'["claude","-p"]\'');
  return createCommandRunner({ command, environment, mcpUrl, keyFor: createRunKeys(identity, callers) });
}
