/** Runs of agents: their sessions, and the runner that the settings ask for. */
import { commandOf, createCommandRunner } from '../adapters/runner/command.ts';
import type { Runner } from '../adapters/runner/runner.ts';
import type { AgentCallers } from '../permissions/lookup.ts';
import type { AgentHost } from '../toolset.ts';
import type { AgentOptions } from './options.ts';
import type { Runs } from './runs.ts';
import { createRunKeys, createRuns } from './runs.ts';
import type { Sessions } from './sessions/sessions.ts';

export interface RunningServices {
  readonly sessions: Sessions;
  readonly runs: Runs;
  /** Says where this process serves MCP, once it does. */
  servedAt(url: string): void;
}

export interface RunningParts extends Pick<AgentOptions, 'runner' | 'session'> {
  readonly sessions: Sessions;
  readonly callers: AgentCallers;
}

export function createRunningServices(
  host: AgentHost,
  now: () => number,
  { sessions, callers, runner, session }: RunningParts,
): RunningServices {
  const { store, onFault } = host;
  let mcpUrl: string | undefined;
  const ownRunner = runner ?? runnerOf(host, { callers, now, mcpUrl: () => mcpUrl });
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
  { settings, environment, identity, onFault }: AgentHost,
  {
    mcpUrl,
    ...parts
  }: {
    readonly callers: AgentCallers;
    readonly now: () => number;
    readonly mcpUrl: () => string | undefined;
  },
): Runner | undefined {
  const command = commandOf(settings.runnerCommand);
  if (settings.runner === undefined || settings.runner === 'inbox') return undefined;
  if (settings.runner !== 'command') throw new Error('--runner: must be inbox or command');
  if (command === undefined)
    throw new Error('--runner command needs --runner-command, such as \'["claude","-p"]\'');
  return createCommandRunner({
    command,
    environment,
    mcpUrl,
    keyFor: createRunKeys({ identity, onFault, ...parts }),
  });
}
