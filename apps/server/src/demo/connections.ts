/** Connections of the demo: three servers that come with Parley, one that does not answer, and a virtual MCP of them. */
import { fileURLToPath } from 'node:url';
import { connectionStates, selfConnectionId } from '@parley/connections';
import { meshToolset } from '@parley/mesh';
import type { Part } from './scene.ts';

// From the bundle in dist and from the source alike.
const PROGRAM = import.meta.url.endsWith('.ts')
  ? '../../demo/example-server.js'
  : '../demo/example-server.js';

/** The ids of the connections; calls of the demo name them too. */
export const DOCS = 'harbor-docs';
export const WEATHER = 'harbor-weather';
export const RELEASES = 'harbor-releases';

const PROGRAMS = [
  { id: DOCS, title: 'Harbor manual', description: 'The manual, for agents that answer.', server: 'docs' },
  { id: WEATHER, title: 'Weather', description: 'Forecasts and tides.', server: 'weather' },
  {
    id: RELEASES,
    title: 'Releases',
    description: 'What was shipped and what will be; it hears of events too.',
    server: 'releases',
    // Its calls are tasks for clients that can follow them.
    metadata: { gateway: { taskAfterMs: 0 } },
  },
];

// A port that nothing listens on.
const SILENT = { url: 'http://127.0.0.1:9/mcp', allow: '127.0.0.1:9' };

export const connections: Part = {
  name: 'connections',
  async isThere({ host, organizationId }) {
    const own = selfConnectionId(organizationId);
    return (await connectionStates(host.store, organizationId)).some(({ id }) => id !== own);
  },
  async play({ host, owner }) {
    const services = host.servicesOf(meshToolset);
    const program = fileURLToPath(new URL(PROGRAM, import.meta.url));
    // Being able to start the server is the permission to start these, as it is for the command line.
    const stored = PROGRAMS.map(({ server, ...facts }) =>
      services.connections.create(
        owner,
        {
          ...facts,
          connection_type: 'STDIO',
          connection_headers: { command: process.execPath, args: [program, server] },
        },
        { allow: null },
      ),
    );
    await Promise.all([
      ...stored,
      services.connections.create(
        owner,
        {
          id: 'billing-staging',
          title: 'Billing (staging)',
          connection_type: 'HTTP',
          connection_url: SILENT.url,
        },
        { allow: SILENT.allow },
      ),
    ]);
    const { id } = await services.virtualMcps.create(owner, {
      title: 'Support desk',
      description: 'What somebody who answers customers needs, and nothing else.',
      metadata: { instructions: 'Look into the manual before you answer. Say which release has a fix.' },
      connections: [
        { connection_id: DOCS, prefix: 'manual_' },
        { connection_id: RELEASES, selected_tools: ['list_releases'] },
        { connection_id: WEATHER, selected_tools: ['get_forecast'] },
      ],
    });
    await services.virtualTools.create(owner, id, {
      name: 'latest_release',
      description: 'The newest release that is published.',
      inputSchema: { type: 'object', properties: {} },
      code: LATEST,
      connection_dependencies: [RELEASES],
    });
  },
};

const LATEST = `export default async (tools) => {
  const { releases } = await tools.list_releases({});
  return releases.filter(({ state }) => state === 'published').at(-1);
};
`;
