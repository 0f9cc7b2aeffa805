/** The server, stage by stage: this file only wires. */
import { createGateway } from '@parley/gateway';
import type { RouteSet } from '@parley/http';
import type { Grants, Source, StartNotice } from '@parley/kit';
import { soleCaller } from '@parley/kit';
import { createProbes } from './probes.ts';
import type { Config } from './config.ts';
import { keepAuditShort } from './start/audit-retention.ts';
import { openHost } from './start/host.ts';
import type { TaskSettings } from './start/host.ts';
import type { ServedToolset, SharedHost } from './start/served-toolset.ts';
import { createHttpServer } from './http.ts';
import { createHeapGrowth } from './lean-heap.ts';
import { createLog } from './log.ts';
import { stopPart } from './stop-part.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { SERVER_INFO } from './version.ts';

export interface AppOptions {
  readonly config: Config;
  /** Toolsets besides Parley's own. */
  readonly toolsets?: readonly ServedToolset[];
  /** Where tools come from besides toolsets. */
  readonly sources?: readonly Source[];
  /** Serves requests without a credential with these grants; for the conformance fixture, no flag sets it. */
  readonly anonymous?: Grants;
  /** Times and limits of tasks; for tests, no flag sets them. */
  readonly tasks?: TaskSettings;
}

/** A server that can be started and stopped. */
export interface App {
  readonly host: SharedHost;
  /** What toolsets serve besides MCP. */
  readonly routes: readonly RouteSet[];
  readonly ownerKeyFile: string;
  listen(): Promise<{ url: string; mcp: string }>;
  /** What toolsets tell the person who started the server at this address. */
  noticesAt(url: string): Promise<StartNotice[]>;
  /** Reports and counts an error that nothing caught. */
  onUncaught(error: unknown, where: string): void;
  /** Stops accepting, finishes what runs, flushes records. */
  close(): Promise<void>;
}

/** Builds the server: telemetry, the base, the gateway, the port. */
export async function createApp({
  config,
  toolsets = [],
  sources = [],
  anonymous,
  tasks,
}: AppOptions): Promise<App> {
  const log = createLog(config);
  const onFault = (error: unknown, where: string) => log.error({ err: error, where }, 'fault');

  const metrics = createMetrics((toolset) => host.isForEverybody(toolset));
  const tracing = config.otlpEndpoint === undefined ? undefined : await loadTracing(config.otlpEndpoint);

  const nobody = anonymous && soleCaller('anonymous', 'Anonymous', { grants: anonymous, source: 'key' });
  const host = await openHost({
    config,
    toolsets,
    sources,
    delivers: true,
    onFault,
    anonymous: nobody,
    tasks,
    middleware: tracing === undefined ? [] : [tracing.middleware],
    observe(record) {
      metrics.observe(record);
      tracing?.observe(record);
    },
  });
  metrics.watchRecords(host.store.records);

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
    watches: host.connections.watches,
    anonymous: nobody,
    onFault,
  });
  const probes = createProbes({
    gateway,
    identity: host.identity,
    store: host.store,
    metrics,
    degradedOf: async (caller) => {
      await host.engine().ready(caller);
      return host.connections.source.degradedOf(caller.organizationId);
    },
  });
  const routes = host.createRoutes(gateway);
  const http = createHttpServer({ config, gateway, probes, routes, onFault, onRequest: createHeapGrowth() });

  return {
    host,
    routes,
    ownerKeyFile: host.ownerKeyFile,
    async listen() {
      await host.beforeStart();
      host.tasks.start();
      host.events.start();
      host.onStop(keepAuditShort(host.identity, config.auditKeepMs, onFault));
      const url = await http.listen();
      host.servedAt(url);
      log.info({ url }, 'listening');
      return { url, mcp: `${url}/mcp` };
    },
    noticesAt: (url) => host.noticesAt(url),
    onUncaught(error, where) {
      metrics.countUncaught();
      onFault(error, where);
    },
    async close() {
      probes.stopping();
      await http.stopAccepting();
      // Calls that wait for a task or a note are answered; a task itself goes on at the next start.
      await host.stop();
      await Promise.all(routes.map((set) => stopPart(() => set.close(), onFault)));
      // Closing the gateway ends its streams, so the answers of running calls go first.
      await http.answered();
      await stopPart(() => gateway.close(), onFault);
      await http.finish();
      await tracing?.close();
      await host.close();
      log.info('stopped');
    },
  };
}

/** OpenTelemetry is loaded only by those who use it. */
async function loadTracing(endpoint: string) {
  const { startTracing } = await import('./telemetry/tracing.ts');
  return startTracing(endpoint);
}
