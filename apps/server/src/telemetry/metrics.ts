/** Prometheus metrics, named after the MCP semantic conventions. */
import type { CallRecord } from '@parley/kit';
import type { RecordLog } from '@parley/store';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Counts what the server does. */
export interface Metrics {
  readonly contentType: string;
  observe(record: CallRecord): void;
  /** Counts an error that nothing caught. */
  countUncaught(): void;
  watchRecords(records: Pick<RecordLog, 'dropped'>): void;
  text(): Promise<string>;
}

const BUCKETS_S = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60];

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'mcp_server_operation_duration_seconds',
    help: 'Duration of MCP operations as the server sees them.',
    labelNames: ['mcp_method_name', 'gen_ai_tool_name', 'error_type', 'parley_era'],
    buckets: BUCKETS_S,
    registers: [registry],
  });
  // Finding a labelled child costs more than counting with it.
  const children = new Map<string, { observe(seconds: number): void }>();

  let watched: Pick<RecordLog, 'dropped'> | undefined;
  const dropped: Gauge = new Gauge({
    name: 'parley_call_records_dropped',
    help: 'Call records that did not fit into the buffer and were dropped.',
    registers: [registry],
    collect: () => dropped.set(watched?.dropped ?? 0),
  });

  const uncaught = new Counter({
    name: 'parley_uncaught_errors_total',
    help: 'Errors that nothing caught; the server went on, and the log has each of them.',
    registers: [registry],
  });

  return {
    contentType: registry.contentType,
    observe({ method, name, outcome, code, durationMs, info }) {
      // A denied name may be anything; it must not become a label.
      const tool = outcome === 'denied' || method === 'resources/read' ? '' : name;
      const error = outcome === 'ok' ? '' : (code ?? outcome);
      const key = `${method} ${tool} ${error} ${info.era}`;
      let child = children.get(key);
      if (child === undefined) {
        child = duration.labels(method, tool, error, info.era);
        children.set(key, child);
      }
      child.observe(durationMs / 1000);
    },
    countUncaught: () => uncaught.inc(),
    watchRecords(records) {
      watched = records;
    },
    text: () => registry.metrics(),
  };
}
