/** The programs of STDIO connections: how many may run, in which folder and with which variables. */
import { mkdirSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { UpstreamProgram } from '@parley/connections';
import { NoProgram } from '../faults.ts';
import { MAX_PROGRAMS } from '../limits.ts';
import type { Child } from './child.ts';
import { endAtExit } from './child.ts';
import { ProgramTransport } from './program-transport.ts';

/** What programs get of the server's own surroundings. */
export interface ProgramOptions {
  /** The variables that every program gets; nothing else of the server's own is passed on. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where each connection has a working folder of its own. */
  readonly folder: string;
  /** The folders in which a connection may choose another one. */
  readonly roots: readonly string[];
}

export interface Programs {
  /** A way to talk to one new process of the program, which starts when the talk begins. */
  transport(connectionId: string, program: UpstreamProgram): ProgramTransport;
  /** Ends whatever still runs. */
  close(): Promise<void>;
}

export function createPrograms(options: ProgramOptions | undefined): Programs {
  const running = new Set<Child>();
  const forget = endAtExit(running);
  return {
    transport: (connectionId, program) =>
      new ProgramTransport(running, () => {
        if (options === undefined) throw new NoProgram('This server starts no programs.');
        if (running.size >= MAX_PROGRAMS)
          throw new NoProgram(`${MAX_PROGRAMS} programs run already. Try again later.`);
        return {
          command: program.command,
          args: program.args,
          cwd: folderOf(options, connectionId, program.cwd),
          env: { ...options.environment, ...program.env },
        };
      }),
    async close() {
      forget();
      await Promise.all([...running].map((child) => child.end()));
    },
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
    throw new NoProgram(
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
