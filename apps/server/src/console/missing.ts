/** Why a tool is missing at an endpoint, for whoever looks for it there or looks after those who do. */
import { servedVirtualMcps } from '@parley/connections';
import type { Missing, Searched } from '@parley/gateway';
import { reachOf, whyMissing } from '@parley/gateway';
import { HttpRefusal } from '@parley/http';
import type { Caller, Engine } from '@parley/kit';
import { MANAGEMENT } from '@parley/mesh/name';
import { engineNamed } from './engine-named.ts';
import type { ConsoleParts } from './index.ts';

interface Asked {
  /** Who does not have it, and who asks. */
  readonly caller: Caller;
  readonly asker: Caller;
  readonly tool: string;
  /** What stands after `/mcp/`; absent: everything. */
  readonly endpoint?: string | undefined;
}

const VIRTUAL = 'virtual-mcp/';
/** The status of what is there and switched off. */
export const SWITCHED_OFF = 503;

export async function missingAt(
  parts: Pick<ConsoleParts, 'host' | 'gateway'>,
  { caller, asker, tool, endpoint }: Asked,
): Promise<Missing> {
  try {
    const engine = await engineAt(parts, caller, endpoint);
    return whyMissing({ caller, asker, tool }, await searched(parts, { engine, caller, endpoint }));
  } catch (error) {
    if (!(error instanceof HttpRefusal) || error.status !== SWITCHED_OFF) throw error;
    return { reason: 'inactive', text: error.message };
  }
}

async function engineAt(
  { host, gateway }: Pick<ConsoleParts, 'host' | 'gateway'>,
  caller: Caller,
  endpoint: string | undefined,
): Promise<Engine> {
  if (endpoint !== undefined) return engineNamed(gateway, caller, { endpoint });
  const engine = host.engine();
  await engine.ready(caller);
  return engine;
}

async function searched(
  { host }: Pick<ConsoleParts, 'host'>,
  {
    engine,
    caller,
    endpoint,
  }: { readonly engine: Engine; readonly caller: Caller; readonly endpoint: string | undefined },
): Promise<Searched> {
  const { organizationId } = caller;
  const { source } = host.connections;
  const rows = await servedVirtualMcps(host.store, organizationId);
  const id = endpoint?.startsWith(VIRTUAL) === true ? endpoint.slice(VIRTUAL.length) : endpoint;
  const virtual = id === undefined ? undefined : reachOf(rows, rows.standIns.get(id)?.virtualId ?? id);
  const isReached = (connectionId: string) =>
    virtual === undefined ? id === undefined || id === connectionId : virtual.members.has(connectionId);
  const degraded = new Map(source.degradedOf(organizationId).map((each) => [each.connectionId, each]));
  const own = host.engine().catalogFor(caller).tools;
  return {
    engine,
    connections: source.connectionsOf(organizationId).filter((connection) => isReached(connection.id)),
    degradedOf: (connectionId) => degraded.get(connectionId),
    virtual,
    self: {
      toolset: MANAGEMENT,
      tools: new Set(own.filter(({ toolset }) => toolset === MANAGEMENT).map(({ name }) => name)),
    },
  };
}
