/** Owns the servers of a run: which are started, on which core, and that all of them end. */
import { bundleScript } from './bundle.ts';
import type { Method } from './machine.ts';
import type { Target } from './points.ts';
import { startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';
import { hasParley, startParley } from './servers/parley.ts';
import type { RequestKind } from './wire.ts';

/** The servers a point can be measured on. */
export type ServerName = 'floor' | 'sdk' | 'parley' | 'parley-postgres';

/** One running server of the fleet. */
export interface FleetMember {
  name: ServerName;
  toolCount: number;
  server: ServerProcess;
  listKey: string;
}

/** The servers of one run; starting the same one twice gives the same process. */
export interface Fleet {
  member: (name: ServerName, toolCount: number) => Promise<FleetMember | undefined>;
  target: (name: ServerName, toolCount: number, kind: RequestKind) => Promise<Target | undefined>;
  members: () => FleetMember[];
  stop: () => Promise<void>;
}

/** Opens an empty fleet; a server that this checkout or machine cannot start is left out. */
export function openFleet(method: Method, databaseUrl: string | undefined): Fleet {
  const started = new Map<string, FleetMember>();
  const core = method.cores?.server;

  const start = async (name: ServerName, toolCount: number): Promise<FleetMember | undefined> => {
    if (name === 'floor' || name === 'sdk') {
      const script = bundleScript(`servers/${name}.ts`);
      const server = await startServer(script, ['--tools', String(toolCount), '--port', '0'], core);
      return { name, toolCount, server, listKey: server.ready.key };
    }
    if (!hasParley() || (name === 'parley-postgres' && databaseUrl === undefined)) return undefined;
    const server = await startParley({
      tools: toolCount,
      ...(core === undefined ? {} : { core }),
      ...(name === 'parley-postgres' && databaseUrl !== undefined ? { databaseUrl } : {}),
    });
    return { name, toolCount, server, listKey: server.listKey };
  };

  const member: Fleet['member'] = async (name, toolCount) => {
    const id = `${name} ${toolCount}`;
    const found = started.get(id) ?? (await start(name, toolCount));
    if (found) started.set(id, found);
    return found;
  };

  return {
    member,
    target: async (name, toolCount, kind) => {
      const found = await member(name, toolCount);
      if (!found) return undefined;
      const { pid, ready } = found.server;
      const key = kind === 'list' ? found.listKey : ready.key;
      return { name: `${name} ${toolCount} ${kind}`, pid, url: ready.url, key, kind, toolCount };
    },
    members: () => [...started.values()],
    stop: async () => {
      await Promise.all([...started.values()].map(({ server }) => server.stop()));
      started.clear();
    },
  };
}
