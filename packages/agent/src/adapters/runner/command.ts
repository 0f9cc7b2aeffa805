/** The runner `command`: a program of the operator, which gets the prompt on its input and a key to act as the agent. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ToolError } from '@parley/kit';
import { runProgram } from './program.ts';
import type { Runner, Said, SessionRequest } from './runner.ts';

/** A key that the program acts with. */
export interface RunKey {
  readonly text: string;
  /** The key is worth nothing from then on. */
  end(): Promise<void>;
}

export interface CommandRunnerOptions {
  readonly command: readonly [string, ...string[]];
  /** The variables of the server that every program gets; nothing else of its own is passed on. */
  readonly environment: Readonly<Record<string, string>>;
  /** The address of the agent's tools; undefined while nothing is served. */
  readonly mcpUrl: () => string | undefined;
  /** Undefined when the agent, or its person, is gone. */
  readonly keyFor: (request: SessionRequest) => Promise<RunKey | undefined>;
}

const MAX_AT_ONCE = 32;

export function createCommandRunner({ command, environment, mcpUrl, keyFor }: CommandRunnerOptions): Runner {
  let atOnce = 0;
  const run = async (request: SessionRequest, key: RunKey) => {
    const url = mcpUrl();
    const env = { ...environment, PARLEY_KEY: key.text, ...(url !== undefined && { PARLEY_MCP_URL: url }) };
    const { cwd, signal } = request;
    const folder = cwd ?? (await mkdtemp(join(tmpdir(), 'parley-run-')));
    try {
      return await runProgram({ command, cwd: folder, env, input: inputOf(request), signal });
    } finally {
      if (cwd === undefined) await rm(folder, { recursive: true, force: true });
    }
  };
  return {
    async run(request) {
      if (atOnce >= MAX_AT_ONCE)
        throw new ToolError('unavailable', `${MAX_AT_ONCE} agents run already. Try again later.`);
      atOnce += 1;
      try {
        const key = await keyFor(request);
        if (key === undefined) return { status: 'failed', text: '' };
        try {
          const { exitCode, output } = await run(request, key);
          if (request.signal.aborted) return { status: 'cancelled', text: output };
          return { status: exitCode === 0 ? 'completed' : 'failed', text: output };
        } finally {
          await key.end();
        }
      } finally {
        atOnce -= 1;
      }
    },
  };
}

/** What the program reads: what it is told in any case, what was said before, and the prompt. */
function inputOf({
  instructions,
  history,
  prompt,
}: Pick<SessionRequest, 'instructions' | 'history' | 'prompt'>): string {
  const line = ({ from, text }: Said) => `${from}: ${text}`;
  const earlier = history.length === 0 ? '' : `Earlier in this thread:\n${history.map(line).join('\n')}`;
  return [instructions, earlier, prompt].filter((part) => part !== '').join('\n\n');
}

/** Reads the setting: a JSON list of texts, the program first. */
export function commandOf(text: string | undefined): readonly [string, ...string[]] | undefined {
  if (text === undefined) return undefined;
  const [file, ...args] = listIn(text);
  const isList = file !== undefined && [file, ...args].every((part) => typeof part === 'string');
  if (!isList || file === '')
    throw new Error('--runner-command: must be a JSON list of texts, such as ["claude","-p"]');
  return [file, ...args];
}

function listIn(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
