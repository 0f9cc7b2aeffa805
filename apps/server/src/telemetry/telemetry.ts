/** All that tells operators what the server does: metrics, traces, and lines about slow calls. */
import type { ConnectionGateway, Gateway } from '@parley/gateway';
import type { RouteSet } from '@parley/http';
import type { CallRecord, Middleware, RequestInfo } from '@parley/kit';
import type { RunReport } from '@parley/tasks';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { HttpServer } from '../http.ts';
import type { SharedHost } from '../start/served-toolset.ts';
import { createClockedCalls } from './clocked-calls.ts';
import type { IsForEverybody } from './durations.ts';
import {
  connectionFamilies,
  eventFamilies,
  recordFamilies,
  storeFamilies,
  taskFamilies,
  trafficFamilies,
} from './figures.ts';
import type { Metrics } from './metrics.ts';
import { createMetrics } from './metrics.ts';
import { createSlowCalls } from './slow-calls.ts';
import type { TracedTimes, Tracing } from './tracing.ts';

/** What the host hands over as it happens. */
export interface Hooks {
  readonly middleware: readonly Middleware[];
  observe(record: CallRecord): void;
  onRun(report: RunReport): void;
  /** What a call came with, under its own span; absent without traces. */
  traced?(info: RequestInfo): RequestInfo;
}

/** The parts that count themselves. */
export interface WatchedHost extends Pick<SharedHost, 'store' | 'tasks' | 'events'> {
  readonly connections: Pick<ConnectionGateway, 'hiddenSecrets'>;
}

export interface Telemetry {
  readonly metrics: Metrics;
  readonly hooks: Hooks;
  /** Begins to count where time goes; before the first call. */
  watchHost(host: WatchedHost): void;
  watchTraffic(parts: { gateway: Gateway; routes: readonly RouteSet[]; http: HttpServer }): void;
  close(): Promise<void>;
}

export interface TelemetryOptions {
  readonly config: Pick<Config, 'otlpEndpoint' | 'slowCallMs'>;
  readonly log: Logger;
  readonly isForEverybody: IsForEverybody;
}

/** Opens what the configuration asks for. */
export async function openTelemetry({ config, log, isForEverybody }: TelemetryOptions): Promise<Telemetry> {
  const { otlpEndpoint, slowCallMs } = config;
  const metrics = createMetrics(isForEverybody);
  let host: Pick<SharedHost, 'store'> | undefined;
  const store = () => {
    if (host === undefined) throw new Error('A call came before its host was there.');
    return host.store;
  };
  const { middleware, spentOf } = createClockedCalls(() => store().spending);
  const tracing =
    otlpEndpoint === undefined
      ? undefined
      : await loadTracing(otlpEndpoint, {
          spentOf,
          current: () => store().spending.current(),
          system: () => store().figures().system,
        });
  const slow =
    slowCallMs === 0
      ? undefined
      : createSlowCalls({ log, slowMs: slowCallMs, spending: () => store().spending, spentOf });
  const isClocked = tracing !== undefined || slow !== undefined;

  return {
    metrics,
    hooks: {
      // The span is around the count, so that it ends with all of it.
      middleware: [
        ...(tracing === undefined ? [] : [tracing.middleware]),
        ...(isClocked ? [middleware] : []),
      ],
      observe(record) {
        metrics.observe(record);
        tracing?.observe(record);
        slow?.observe(record);
      },
      onRun: (report) => slow?.onRun(report),
      ...(tracing !== undefined && { traced: (info) => tracing.traced(info) }),
    },
    watchHost(given) {
      host = given;
      const { store: watched, tasks, events, connections } = given;
      if (isClocked) watched.spending.turnOn({ keepsStretches: tracing !== undefined });
      metrics.watch('store', async () => storeFamilies(watched.figures()));
      metrics.watch('connections', async () => connectionFamilies(connections));
      metrics.watch('records', async () => recordFamilies(watched.records));
      metrics.watch('task rows', async () => taskFamilies(await tasks.figures()), { isStored: true });
      metrics.watch('delivery rows', async () => eventFamilies(await events.figures()), { isStored: true });
    },
    watchTraffic({ gateway, routes, http }) {
      metrics.watch('traffic', async () =>
        trafficFamilies({ gateway: await gateway.figures(), routes, http: await http.figures() }),
      );
    },
    close: async () => tracing?.close(),
  };
}

/** OpenTelemetry is loaded only by those who use it. */
async function loadTracing(endpoint: string, times: TracedTimes): Promise<Tracing> {
  const { startTracing } = await import('./tracing.ts');
  return startTracing(endpoint, times);
}
