/** Which programs may be started at all, in which folder and with which variables. */
import { mkdirSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { UpstreamProgram } from '@parley/connections';
import { refusedProgram } from '@parley/connections';
import { UpstreamFault } from '../link.ts';
import type { Start } from './child.ts';

/** What programs get of the server's own surroundings. */
export interface ProgramOptions {
  /** The variables that every program gets; nothing else of the server's own is passed on. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where each connection has a working folder of its own. */
  readonly folder: string;
  /** The folders in which a connection may choose another one. */
  readonly roots: readonly string[];
  /** The only commands that may be started, word for word. Absent: any. */
  readonly commands?: readonly string[] | undefined;
  /** True: only what was stored by somebody on this machine, not what came over the network. */
  readonly isOnlyLocal?: boolean | undefined;
}

/** True when this server starts such a program, whoever asks. */
export function mayStart(
  options: ProgramOptions | undefined,
  { isLocal }: Pick<UpstreamProgram, 'isLocal'>,
): boolean {
  return options !== undefined && (options.isOnlyLocal !== true || isLocal === true);
}

/** What is started for a connection; throws a fault of the kind `not_allowed`. */
export function startOf(
  options: ProgramOptions | undefined,
  connectionId: string,
  program: UpstreamProgram | null,
): Start {
  if (program === null) throw refused('The connection has no command. Set connection_headers.command.');
  if (options === undefined || !mayStart(options, program))
    throw refused('This server starts no programs. Start it with --allow-stdio.');
  const { command, args, cwd, env } = program;
  const reason = refusedProgram(options.commands, program);
  if (reason !== undefined) throw refused(reason);
  // The shell that binds a program to this process would take it for an option.
  if (command.startsWith('-') || command === '')
    throw refused('The command is not the name of a program. Set connection_headers.command.');
  if ([command, ...args, ...Object.entries(env).flat()].some((text) => text.includes('\0')))
    throw refused('The command, its arguments and its variables must not contain a zero character.');
  return {
    command,
    args,
    cwd: folderOf(options, connectionId, cwd),
    env: { ...options.environment, ...env },
  };
}

function folderOf({ folder, roots }: ProgramOptions, connectionId: string, chosen: string | null): string {
  if (chosen === null) {
    const own = join(folder, connectionId);
    mkdirSync(own, { recursive: true, mode: 0o700 });
    return own;
  }
  const real = realOf(chosen);
  const isInside = roots
    .map(realOf)
    .some((root) => root !== undefined && real !== undefined && `${real}${sep}`.startsWith(`${root}${sep}`));
  if (real === undefined || !isInside)
    throw refused(
      'The working folder is not one that programs may use. Leave cwd out, or use one in your home.',
    );
  return real;
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function refused(message: string): UpstreamFault {
  return new UpstreamFault('not_allowed', message, { wasSent: false });
}
