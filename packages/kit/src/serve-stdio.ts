/** Serves toolsets over stdio as a program of its own, for whoever can start the process. */
import type { Caller } from './caller.ts';
import { ALL_GRANTS } from './caller.ts';
import { createEngine } from './engine.ts';
import type { ServerInfo } from './protocol/server.ts';
import type { AnyToolset } from './toolset.ts';
import { install } from './toolset.ts';

const LOCAL: Caller = {
  id: 'local',
  name: 'Local',
  organizationId: 'local',
  userId: null,
  roles: ['owner'],
  grants: ALL_GRANTS,
  source: 'stdio',
  unattended: false,
};

/** Serves until stdin ends; whoever started the process may call everything. */
export async function serveStdio(toolset: AnyToolset, info?: ServerInfo): Promise<void> {
  const { serveStdio: serve } = await import('@modelcontextprotocol/server/stdio');
  const { createProtocolServer } = await import('./protocol/server.ts');
  const engine = createEngine({ installed: [install(toolset, toolset.services?.({}))] });
  serve(({ era }) =>
    createProtocolServer({
      engine,
      info: info ?? { name: toolset.name, version: '0.0.0' },
      era,
      callerOf: () => LOCAL,
      watched: new Set(),
    }),
  );
}
