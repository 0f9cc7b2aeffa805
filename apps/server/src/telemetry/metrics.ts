/** Prometheus metrics, named after the MCP semantic conventions. */
import type { CallRecord } from '@parley/kit';
import type { RecordLog } from '@parley/store';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { IsForEverybody } from './durations.ts';
import { CallDurations } from './durations.ts';

/** Counts what the server does. */
export interface Metrics {
  readonly contentType: string;
  observe(record: CallRecord): void;
  /** Counts an error that nothing caught. */
  countUncaught(): void;
  watchRecords(records: Pick<RecordLog, 'dropped' | 'droppedDetails'>): void;
  text(): Promise<string>;
}

export function createMetrics(isForEverybody: IsForEverybody): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new CallDurations(isForEverybody);

  let watched: Pick<RecordLog, 'dropped' | 'droppedDetails'> | undefined;
  const dropped: Gauge = new Gauge({
    name: 'parley_call_records_dropped',
    help: 'Call records that did not fit into the buffer or could not be stored.',
    registers: [registry],
    collect: () => dropped.set(watched?.dropped ?? 0),
  });
  const droppedBodies: Gauge = new Gauge({
    name: 'parley_call_bodies_dropped',
    help: 'Call records whose input and output were dropped.',
    registers: [registry],
    collect: () => droppedBodies.set(watched?.droppedDetails ?? 0),
  });

  const uncaught = new Counter({
    name: 'parley_uncaught_errors_total',
    help: 'Errors that nothing caught; the server went on, and the log has each of them.',
    registers: [registry],
  });

  return {
    contentType: registry.contentType,
    observe: (record) => durations.observe(record),
    countUncaught: () => uncaught.inc(),
    watchRecords(records) {
      watched = records;
    },
    text: async () => `${await registry.metrics()}\n${durations.text()}\n`,
  };
}
