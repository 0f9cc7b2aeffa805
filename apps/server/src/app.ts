/** The server, stage by stage: this file only wires. */
import { createGateway } from '@parley/gateway';
import type { RouteSet } from '@parley/http';
import type { CallRecord, Grants, Source, StartNotice } from '@parley/kit';
import { soleCaller } from '@parley/kit';
import { createProbes } from './probes.ts';
import type { Config } from './config.ts';
import { createClientsSeen } from './console/clients-seen.ts';
import { createFront } from './console/front.ts';
import type { CallFeed } from './console/index.ts';
import { createConsole } from './console/index.ts';
import { drainMsOf } from './drain.ts';
import { openHost } from './start/host.ts';
import type { TaskSettings } from './start/host.ts';
import { keepShort } from './start/retention.ts';
import type { ServedToolset, SharedHost } from './start/served-toolset.ts';
import { holdText } from './hold/held-row.ts';
import { createHttpServer } from './http.ts';
import { createHeapGrowth } from './lean-heap.ts';
import { createLog } from './log.ts';
import { leave, replicaAddress } from './replica-life.ts';
import { stopPart } from './stop-part.ts';
import type { StopStep } from './stop-steps.ts';
import { inTime } from './stop-steps.ts';
import { openTelemetry } from './telemetry/telemetry.ts';
import { SERVER_INFO } from './version.ts';

// A stop that cuts thousands off says the first few.
const NAMED = 5;

export interface AppOptions {
  readonly config: Config;
  /** Toolsets besides Parley's own. */
  readonly toolsets?: readonly ServedToolset[];
  /** Where tools come from besides toolsets. */
  readonly sources?: readonly Source[];
  /** Serves requests without a credential with these grants; for the conformance fixture, no flag sets it. */
  readonly anonymous?: Grants;
  /** True: lifts the hold of a restored server, so that it acts. */
  readonly resume?: boolean;
  /** Times and limits of tasks; for tests, no flag sets them. */
  readonly tasks?: TaskSettings;
  /** The folder of the built console, instead of where the build puts it; for tests. */
  readonly consoleFiles?: string;
}

/** A server that can be started and stopped. */
export interface App {
  readonly host: SharedHost;
  /** What toolsets serve besides MCP. */
  readonly routes: readonly RouteSet[];
  readonly ownerKeyFile: string;
  listen(): Promise<{ url: string; mcp: string }>;
  /** What to tell the person who started a server that holds its work back; undefined when it does not. */
  heldText(): string | undefined;
  /** What toolsets tell the person who started the server at this address. */
  noticesAt(url: string): Promise<StartNotice[]>;
  /** Resolves when the demo is complete; at once without one. */
  filled(): Promise<void>;
  /** Reports and counts an error that nothing caught. */
  onUncaught(error: unknown, where: string): void;
  /**
   * Stops accepting, finishes what runs, flushes records. `onLate` is called when a part of it does not end in its
   * time: a program that is its own then ends the process.
   */
  close(onLate?: () => void): Promise<void>;
}

/** Builds the server: telemetry, the base, the gateway, the port. */
export async function createApp({
  config,
  toolsets = [],
  sources = [],
  anonymous,
  resume = false,
  tasks,
  consoleFiles,
}: AppOptions): Promise<App> {
  const log = createLog(config);
  const onFault = (error: unknown, where: string) => log.error({ err: error, where }, 'fault');

  const telemetry = await openTelemetry({
    config,
    log,
    isForEverybody: (toolset) => host.isForEverybody(toolset),
  });
  const { metrics } = telemetry;

  const followers = new Set<(record: CallRecord) => void>();
  const calls: CallFeed = {
    follow(listener) {
      followers.add(listener);
      return () => followers.delete(listener);
    },
  };
  const nobody = anonymous && soleCaller('anonymous', 'Anonymous', { grants: anonymous, source: 'key' });
  const host = await openHost({
    config,
    toolsets,
    sources,
    delivers: true,
    onFault,
    anonymous: nobody,
    tasks,
    hooks: {
      ...telemetry.hooks,
      observe(record) {
        telemetry.hooks.observe(record);
        for (const tell of followers) tell(record);
      },
    },
  });
  telemetry.watchHost(host);

  const gateway = createGateway({
    engine: host.engine(),
    identity: host.identity,
    changes: host.changes,
    info: SERVER_INFO,
    limits: config.limits,
    names: host.names,
    countRequest: host.countRequest,
    virtual: host.virtual,
    isInactive: (organizationId, name) => host.connections.source.isInactive(organizationId, name),
    lookAgain: (organizationId) => host.connections.source.lookAgain(organizationId),
    watches: host.connections.watches,
    replicas: host.replicas,
    spending: host.store.spending,
    resumeParked: (id, owner, call) => host.connections.bridge.resume(id, owner, call),
    publicUrl: config.web.publicUrl,
    arrived: config.hasConsole ? createClientsSeen(host.store, onFault) : undefined,
    anonymous: nobody,
    onFault,
  });
  const probes = createProbes({
    gateway,
    identity: host.identity,
    store: host.store,
    hold: host.hold,
    metrics,
    degradedOf: async (caller) => {
      await host.engine().ready(caller);
      return host.connections.source.degradedOf(caller.organizationId);
    },
  });
  const others = host.createRoutes(gateway);
  const routes = config.hasConsole
    ? [...others, ...createConsole({ host, gateway, config, others, calls, files: consoleFiles })]
    : others;
  const http = createHttpServer({
    config,
    gateway,
    probes,
    routes,
    front: config.hasConsole ? createFront({ host, config, others }) : undefined,
    onFault,
    onRequest: createHeapGrowth(),
    onCut: (names) =>
      log.warn(
        { calls: names.length, names: names.slice(0, NAMED) },
        'calls cut off: they did not end in the time of a stop',
      ),
  });
  telemetry.watchTraffic({ gateway, routes, http });

  let filling = Promise.resolve();
  let isStopping = false;
  const fill = (playLiving: (on: typeof host) => Promise<void>) => {
    const begun = performance.now();
    filling = playLiving(host).then(
      () => log.info({ durationMs: Math.round(performance.now() - begun) }, 'the demo is complete'),
      // What is not there yet comes with the next start.
      (error: unknown) => (isStopping ? undefined : onFault(error, 'demo')),
    );
  };

  return {
    host,
    routes,
    ownerKeyFile: host.ownerKeyFile,
    async listen() {
      if (resume) await host.hold.resume();
      await host.beforeStart();
      const demo = config.settings['demo'] === true ? await import('./demo/index.ts') : undefined;
      // Whoever wants to look at something gets a server in any case.
      await demo?.seedStanding(host).catch((error: unknown) => onFault(error, 'demo'));
      await host.hold.whenFree(() => {
        host.tasks.start();
        host.events.start();
      });
      host.onStop(keepShort(host, config, onFault));
      const url = await http.listen();
      host.servedAt(url);
      await host.replicas?.join(replicaAddress(config, url));
      log.info({ url }, 'listening');
      if (demo !== undefined) await host.hold.whenFree(() => fill(demo.playLiving));
      const held = host.hold.held();
      if (held !== undefined) {
        log.warn({ reason: held.reason }, holdText(held));
        await host.hold.whenFree(() => log.info('resumed'));
      }
      return { url, mcp: `${url}/mcp` };
    },
    heldText() {
      const held = host.hold.held();
      return held && holdText(held);
    },
    async noticesAt(url) {
      const notices = await host.noticesAt(url);
      if (!config.hasConsole) return notices;
      return [await (await import('./console/notice.ts')).consoleNotice(host, config, url), ...notices];
    },
    filled: () => filling,
    onUncaught(error, where) {
      metrics.countUncaught();
      onFault(error, where);
    },
    async close(onLate) {
      isStopping = true;
      probes.stopping();
      http.letGo();
      const drainMs = drainMsOf(config.replicas, probes.askedEveryMs());
      const waiting = () => host.connections.parked.size;
      const steps: StopStep[] = [
        ['connections to drain', () => leave({ replicas: host.replicas, http, drainMs, waiting, onFault })],
        ['the port', () => http.stopAccepting()],
        // Calls that wait for a task or a note are answered; a task itself goes on at the next start.
        ['tasks and toolsets', () => host.stop()],
        ['routes', () => Promise.all(routes.map((set) => stopPart(() => set.close(), onFault)))],
        // Closing the gateway ends its streams, so the answers of running calls go first.
        ['calls', () => http.answered()],
        ['sessions and streams', () => stopPart(() => gateway.close(), onFault)],
        ['requests', () => http.finish()],
        ['traces', () => telemetry.close()],
        ['the database', () => host.close()],
      ];
      await inTime(steps, drainMs, (step) => {
        log.error({ step }, 'the stop took too long, and the process ends without the rest of it');
        onLate?.();
      });
      log.info('stopped');
    },
  };
}
