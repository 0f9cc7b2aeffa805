/** What each part of the server counts of itself, under the names that operators know it by. */
import type { EventFigures } from '@parley/events';
import type { ConnectionGateway, GatewayFigures } from '@parley/gateway';
import type { RouteSet } from '@parley/http';
import type { RecordLog, StoreFigures } from '@parley/store';
import type { TaskFigures } from '@parley/tasks';
import type { HttpFigures } from '../http-figures.ts';
import type { Family, Sample } from './families.ts';

const familyOf =
  (type: 'gauge' | 'counter') =>
  (name: string, help: string, samples: readonly Sample[]): Family => ({
    name,
    help,
    type,
    samples,
  });
const gauge = familyOf('gauge');
const counter = familyOf('counter');

/** The database, as this process uses it. */
export function storeFamilies({ lanes, unavailable, signals }: StoreFigures): Family[] {
  return [
    gauge(
      'parley_database_connections',
      'Connections to the database; on SQLite the one that writes.',
      lanes.flatMap(({ lane, busy, idle }) => [
        { labels: { lane, state: 'busy' }, value: busy },
        { labels: { lane, state: 'idle' }, value: idle },
      ]),
    ),
    gauge(
      'parley_database_connections_max',
      'Connections that there may be.',
      lanes.map(({ lane, size }) => ({ labels: { lane }, value: size })),
    ),
    gauge(
      'parley_database_waiting',
      'Statements that wait for a connection.',
      lanes.map(({ lane, waiting }) => ({ labels: { lane }, value: waiting })),
    ),
    {
      name: 'parley_database_wait_duration_seconds',
      help: 'How long those who found no free connection waited for one.',
      type: 'histogram',
      samples: lanes.map(({ lane, waits }) => ({ labels: { lane }, durations: waits })),
    },
    {
      name: 'parley_database_statement_duration_seconds',
      help: 'How long statements and commits took.',
      type: 'histogram',
      samples: lanes.map(({ lane, statements }) => ({ labels: { lane }, durations: statements })),
    },
    counter(
      'parley_database_unavailable_total',
      'How often the database did not do what it was asked to.',
      [...unavailable].map(([reason, value]) => ({ labels: { reason }, value })),
    ),
    gauge('parley_signal_link_up', 'Whether changes of other processes arrive.', [
      { value: signals.isBroken ? 0 : 1 },
    ]),
    counter('parley_signal_link_losses_total', 'How often the link for them was lost.', [
      { value: signals.losses },
    ]),
    counter('parley_signals_sent_total', 'Changes that this process told of.', [{ value: signals.sent }]),
    counter('parley_signals_received_total', 'Changes that other processes told of.', [
      { value: signals.received },
    ]),
  ];
}

/** Call records on their way to the database. */
export function recordFamilies(
  records: Pick<RecordLog, 'pending' | 'pendingDetails' | 'dropped' | 'droppedDetails'>,
): Family[] {
  return [
    gauge('parley_call_records_waiting', 'Call records that wait in memory.', [{ value: records.pending }]),
    gauge('parley_call_bodies_waiting', 'Those of them with input and output.', [
      { value: records.pendingDetails },
    ]),
    gauge(
      'parley_call_records_dropped',
      'Call records that did not fit into the buffer or could not be stored.',
      [{ value: records.dropped }],
    ),
    gauge('parley_call_bodies_dropped', 'Call records whose input and output were dropped.', [
      { value: records.droppedDetails },
    ]),
  ];
}

const POOLS = ['caller', 'system'] as const;
const TASK_STATES = ['waiting', 'running', 'asking', 'later'] as const;

/** Tasks: of the database, and what this process did with them. */
export function taskFamilies({ runs, living }: TaskFigures): Family[] {
  const each = (value: (found: TaskFigures['living'][number] | undefined) => number): Sample[] =>
    POOLS.flatMap((pool) =>
      TASK_STATES.map((state) => ({
        labels: { pool, state },
        value: value(living.find((one) => one.pool === pool && one.state === state)),
      })),
    );
  return [
    gauge(
      'parley_tasks',
      'Tasks of the whole database that have not ended, up to 10,000 of each.',
      each((found) => found?.count ?? 0),
    ),
    gauge(
      'parley_task_oldest_seconds',
      'How long the oldest of them has been due, or has been there.',
      each((found) => (found?.oldestMs ?? 0) / 1000),
    ),
    gauge(
      'parley_task_runs_active',
      'Tasks that this process runs.',
      POOLS.map((pool) => ({ labels: { pool }, value: runs.running[pool] })),
    ),
    {
      name: 'parley_task_wait_duration_seconds',
      help: 'How long tasks were due before this process began with them.',
      type: 'histogram',
      samples: POOLS.map((pool) => ({ labels: { pool }, durations: runs.waits[pool] })),
    },
    counter(
      'parley_tasks_ended_total',
      'Tasks that this process brought to their end.',
      Object.entries(runs.ended).map(([outcome, value]) => ({ labels: { outcome }, value })),
    ),
    counter('parley_task_lease_losses_total', 'Runs that found that another worker has their task.', [
      { value: runs.leaseLosses },
    ]),
    counter('parley_task_takeovers_total', 'Tasks that were taken away from workers that were gone.', [
      { value: runs.takenOver },
    ]),
  ];
}

const DELIVERY_STATES = ['due', 'later', 'processing', 'dead'] as const;

/** Events on their way: of the database, and what this process brought. */
export function eventFamilies({ delivered, standing }: EventFigures): Family[] {
  const of = (state: string) => standing.find((one) => one.state === state);
  return [
    gauge(
      'parley_event_deliveries',
      'Deliveries of the whole database that have not arrived, up to 10,000 of each.',
      DELIVERY_STATES.map((state) => ({ labels: { state }, value: of(state)?.count ?? 0 })),
    ),
    gauge('parley_event_delivery_oldest_seconds', 'How long the oldest delivery has been due.', [
      { value: (of('due')?.oldestMs ?? 0) / 1000 },
    ]),
    counter(
      'parley_event_delivery_attempts_total',
      'What became of the events that this process brought, each attempt counted.',
      delivered
        .entries()
        .flatMap(([kind, { outcomes }]) =>
          [...outcomes].map(([outcome, value]) => ({ labels: { kind, outcome }, value })),
        ),
    ),
    {
      name: 'parley_event_attempt_duration_seconds',
      help: 'How long such attempts took.',
      type: 'histogram',
      samples: delivered.entries().map(([kind, { attempts }]) => ({ labels: { kind }, durations: attempts })),
    },
  ];
}

/** Other servers, as this process passes on what they say. */
export function connectionFamilies({ hiddenSecrets }: Pick<ConnectionGateway, 'hiddenSecrets'>): Family[] {
  return [
    counter(
      'parley_secrets_hidden_total',
      'How often a secret was cut out of what another server answered.',
      [{ value: hiddenSecrets() }],
    ),
  ];
}

/** What is open in this process, and what it refused. */
export function trafficFamilies(parts: {
  readonly gateway: GatewayFigures;
  readonly routes: readonly RouteSet[];
  readonly http: HttpFigures;
}): Family[] {
  const { gateway, routes, http } = parts;
  const streams: Sample[] = [
    ...Object.entries(gateway.streams).map(([kind, value]) => ({ labels: { kind }, value })),
    ...routes.flatMap(({ prefix, streams: open }) =>
      open === undefined ? [] : [{ labels: { kind: prefix }, value: open() }],
    ),
  ];
  return [
    gauge('parley_sessions', 'Sessions of 2025 clients that are open here.', [{ value: gateway.sessions }]),
    gauge('parley_streams', 'Streams and sockets that are open here.', streams),
    gauge('parley_http_connections', 'Connections of clients that are open here.', [
      { value: http.connections },
    ]),
    counter(
      'parley_http_connections_refused_total',
      'Connections that were closed because there were too many.',
      [{ value: http.refusedConnections }],
    ),
    counter(
      'parley_http_refusals_total',
      'Requests that were answered with a status of 400 or above.',
      http.refusals.map(({ surface, status, count }) => ({
        labels: { surface, status: String(status) },
        value: count,
      })),
    ),
  ];
}
