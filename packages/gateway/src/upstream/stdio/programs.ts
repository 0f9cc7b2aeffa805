/** The programs of single conversations: each starts with its own and ends with it. */
import type { UpstreamProgram } from '@parley/connections';
import { NoProgram } from '../faults.ts';
import { MAX_PROGRAMS } from '../limits.ts';
import { UpstreamFault } from '../link.ts';
import type { ProgramOptions } from './allowed-start.ts';
import { startOf } from './allowed-start.ts';
import type { Child } from './child.ts';
import { ProgramTransport } from './program-transport.ts';

export interface Programs {
  /** A way to talk to one new process of the program, which starts when the talk begins. */
  transport(connectionId: string, program: UpstreamProgram): ProgramTransport;
  /** Ends whatever still runs. */
  close(): Promise<void>;
}

export function createPrograms(options: ProgramOptions | undefined): Programs {
  const running = new Set<Child>();
  return {
    transport: (connectionId, program) =>
      new ProgramTransport(running, () => {
        if (running.size >= MAX_PROGRAMS)
          throw new NoProgram(`${MAX_PROGRAMS} programs run already. Try again later.`);
        try {
          return startOf(options, connectionId, program);
        } catch (error) {
          throw error instanceof UpstreamFault ? new NoProgram(error.message) : error;
        }
      }),
    async close() {
      await Promise.all([...running].map((child) => child.end()));
    },
  };
}
