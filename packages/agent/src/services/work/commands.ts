/** The commands that an owner wrote down for a project, run by the shell; no text of an agent gets here. */
import type { ProgramEnd } from './program.ts';
import { runProgram } from './program.ts';

const COMMAND_MS = 10 * 60_000;
// Every package manager of Node reads one of these.
const NO_SCRIPTS = {
  npm_config_ignore_scripts: 'true',
  pnpm_config_ignore_scripts: 'true',
  YARN_ENABLE_SCRIPTS: '0',
};

export interface CommandPlace {
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

export function runCheck(command: string, place: CommandPlace): Promise<ProgramEnd> {
  return shell(command, place, {});
}

/** Dependencies come without running their scripts. */
export function runInstall(command: string, place: CommandPlace): Promise<ProgramEnd> {
  return shell(command, place, NO_SCRIPTS);
}

function shell(
  command: string,
  { environment, cwd, signal }: CommandPlace,
  more: Readonly<Record<string, string>>,
): Promise<ProgramEnd> {
  return runProgram({
    command: 'sh',
    args: ['-c', command],
    cwd,
    env: { ...environment, CI: 'true', ...more },
    timeoutMs: COMMAND_MS,
    signal,
  });
}
