/** A host with nothing but what it is given: the parts that a test is not about are absent or empty. */
import { createChangeBus } from '@parley/kit';
import type { AgentHost } from '../src/toolset.ts';

export function bareHost(
  parts: Pick<AgentHost, 'store' | 'identity' | 'tasks' | 'events' | 'egress' | 'onFault'> &
    Partial<AgentHost>,
): AgentHost {
  return {
    changes: createChangeBus(),
    observe: () => undefined,
    onStop: () => undefined,
    names: { hosts: [], origins: [] },
    web: { publicUrl: undefined, trustedProxies: [] },
    countRequest: () => undefined,
    environment: { PATH: process.env['PATH'] ?? '' },
    settings: { projectRoots: [], workTasks: 'on', codeIndex: 'on' },
    projects: { list: async () => [], get: async () => undefined },
    dataDir: '/nonexistent',
    engine: () => {
      throw new Error('There is no engine in this bed.');
    },
    ...parts,
  };
}
