/** What programs of connections get of this server: folders, variables, and which of them may be started. */
import { join } from 'node:path';
import type { ProgramOptions } from '@parley/gateway';
import type { Config } from '../config.ts';

/** Without leave only those that were stored on this machine. */
export function programsOf({ programs, dataDir }: Pick<Config, 'programs' | 'dataDir'>): ProgramOptions {
  const { environment, commands, isAllowed } = programs;
  const folder = join(dataDir, 'connections');
  return {
    environment,
    folder,
    commands,
    isOnlyLocal: !isAllowed,
    roots: [folder, ...(environment['HOME'] === undefined ? [] : [environment['HOME']])],
  };
}
