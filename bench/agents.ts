/** Owns P16: what a call costs an agent, and how fast its tools are found. */
import { bundleScript } from './bundle.ts';
import type { Method } from './machine.ts';
import { measurePoints } from './points.ts';
import type { Point, PointSettings } from './points.ts';
import { startServer } from './server-process.ts';

/** Everything P16 measures. */
export interface AgentFigures {
  /** One tool called by an agent, and its plain twin. */
  points: Point[];
  resolution: Resolution;
}

/** From a key that is known to the list of its tools. */
export interface Resolution {
  tools: number;
  microseconds: number;
}

const RESOLUTIONS = 20_000;
const ROUNDS = 5;

/** Measures P16 on one server, whose two tools do the same. */
export async function measureAgents(
  settings: PointSettings,
  method: Method,
  progress: (line: string) => void,
): Promise<AgentFigures> {
  const script = bundleScript('servers/agent-calls.ts');
  const server = await startServer(script, ['--port', '0'], method.cores?.server);
  try {
    const { url, key, agentUrl, agentKey } = server.ready;
    const one = { pid: server.pid, toolCount: 1 };
    const points = await measurePoints(
      [
        { ...one, name: 'plain call', kind: 'plain call', url, key },
        { ...one, name: 'agent call', kind: 'agent call', url: String(agentUrl), key: String(agentKey) },
      ],
      settings,
      method,
      progress,
    );
    return { points, resolution: await fastestOf(() => server.ask(`resolve ${RESOLUTIONS}`)) };
  } finally {
    await server.stop();
  }
}

/** The fastest round, as for CPU: whatever else runs only adds to it. */
async function fastestOf(resolve: () => Promise<Record<string, unknown>>): Promise<Resolution> {
  let best = { tools: 0, microseconds: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round += 1) {
    const { tools, microseconds } = await resolve();
    if (Number(microseconds) < best.microseconds)
      best = { tools: Number(tools), microseconds: Number(microseconds) };
  }
  return best;
}
