/** Owns P11: how soon an event is with its subscriber, and how many can be published in a second. */
import { setTimeout as pause } from 'node:timers/promises';
import { bundleScript, bundleShipped } from './bundle.ts';
import { countAfterKill } from './event-kill.ts';
import type { EventKillCount } from './event-kill.ts';
import { startReceiver } from './event-receiver.ts';
import type { Receiver } from './event-receiver.ts';
import { latencyOf } from './latency.ts';
import type { Latency } from './latency.ts';
import type { Method } from './machine.ts';
import { inFolder } from './scratch-folder.ts';
import { startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';

/** What is measured on one database. */
export interface EventSpeed {
  /** From the call that publishes to the handler that has it. */
  delivered: Latency;
  publishedPerSecond: number;
  /** Published and taken, until the last one is. */
  takenPerSecond: number;
  /** Published and taken by eight webhooks over HTTP, an event each, until the last one is. */
  hookedPerSecond: number;
}

/** Everything P11 measures. */
export interface EventFigures {
  sqlite: EventSpeed;
  postgres?: EventSpeed;
  /** Two replicas on PostgreSQL, one of them killed. */
  kill?: EventKillCount;
}

export interface EventSettings {
  deliveries: number;
  publications: number;
  /** Published while a replica is killed. */
  killed: number;
}

/** Empty databases on PostgreSQL. */
export interface EventDatabases {
  speed: string;
  kill: string;
}

const WARM_UP = 20;
const FAILING = { share: 0.2, most: 2 };
const TAKING = { share: 0, most: 0 };

/** Measures P11 on SQLite, and once more on PostgreSQL where there is one. */
export async function measureEvents(
  settings: EventSettings,
  { method, databaseUrls }: { method: Method; databaseUrls: EventDatabases | undefined },
  progress: (line: string) => void,
): Promise<EventFigures> {
  const script = bundleScript('servers/event-bus.ts');
  progress('events: SQLite');
  const sqlite = await measureOn(script, [], settings, method);
  if (databaseUrls === undefined) return { sqlite };
  progress('events: PostgreSQL');
  const postgres = await measureOn(script, ['--database-url', databaseUrls.speed], settings, method);
  progress(`events: two replicas, ${settings.killed} events, one replica killed`);
  const kill = await countAfterKill({
    script: await bundleShipped('servers/parley-command.ts'),
    databaseUrl: databaseUrls.kill,
    publications: settings.killed,
    failing: FAILING,
  });
  return { sqlite, postgres, kill };
}

async function measureOn(
  script: string,
  databaseFlags: string[],
  { deliveries, publications }: EventSettings,
  method: Method,
): Promise<EventSpeed> {
  return inFolder(async (dataDir) => {
    const receiver = await startReceiver(TAKING);
    const flags = ['--data', dataDir, '--receiver', receiver.host, ...databaseFlags];
    const server = await startServer(script, flags, method.cores?.server);
    try {
      await server.ask(`deliver ${WARM_UP}`);
      const { latenciesMs } = await server.ask(`deliver ${deliveries}`);
      if (!Array.isArray(latenciesMs) || latenciesMs.length !== deliveries)
        throw new Error('Not every event was delivered.');
      const { publishedMs, takenAllMs } = await server.ask(`flood ${publications}`);
      const perSecond = (ms: unknown) => Math.round((publications / Number(ms)) * 1000);
      return {
        delivered: latencyOf(latenciesMs.map(Number)),
        publishedPerSecond: perSecond(publishedMs),
        takenPerSecond: perSecond(takenAllMs),
        hookedPerSecond: perSecond(await hookedMs(server, receiver, publications)),
      };
    } finally {
      await server.stop();
      await receiver.close();
    }
  });
}

/** How long it takes until webhooks have taken so many events. */
async function hookedMs(server: ServerProcess, receiver: Receiver, count: number): Promise<number> {
  const startedMs = performance.now();
  const { ids } = await server.ask(`hooks ${count}`);
  while (receiver.arrivals.length < count) await pause(1);
  const tookMs = performance.now() - startedMs;
  const taken = new Set(receiver.arrivals.map(({ id }) => id));
  if (!Array.isArray(ids) || !ids.every((id) => taken.has(String(id))))
    throw new Error('Not every event came to its webhook.');
  return tookMs;
}
