/** What operators see: figures of every part at /metrics, spans that hang together, and where the time of slow calls went. */
import { join } from 'node:path';
import { scratchDatabase } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { modern, modernHeaders } from '@parley/test-support/wire';
import { serveWire } from '@parley/test-support/wire-upstream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openStream } from '../../packages/gateway/test/event-stream.ts';
import { openSession } from '../../packages/gateway/test/session.ts';
import { callTool, message, post } from './mcp-messages.ts';
import { startCollector } from './otlp-collector.ts';
import type { Server } from './parley.ts';
import { startParley } from './parley.ts';

const program = join(import.meta.dirname, 'seen-program.ts');
const SLOW_MS = 500;
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const TRACEPARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`;
const ECHO = { name: 'echo', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { key: string; value: { stringValue?: string } }[];
}

interface Traces {
  readonly resourceSpans: { readonly scopeSpans: { readonly spans: Span[] }[] }[];
}

interface SlowLine {
  readonly msg: string;
  readonly name?: string;
  readonly kind?: string;
  readonly admitMs: number;
  readonly queueMs: number;
  readonly databaseMs: number;
  readonly upstreamMs: number;
  readonly toolMs: number;
}

/** The values of a metric, by its labels as they stand in the text. */
async function metricsOf(server: Server): Promise<Map<string, number>> {
  const response = await fetch(`${server.url}/metrics`, {
    headers: { authorization: `Bearer ${server.key}` },
  });
  expect(response.status).toBe(200);
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

function slowLines(stderr: string): SlowLine[] {
  return stderr
    .split('\n')
    .filter((line) => line.includes('"msg":"slow '))
    .map((line) => JSON.parse(line) as SlowLine);
}

async function serve(engine: 'sqlite' | 'postgres', args: readonly string[]): Promise<Server> {
  const database = await scratchDatabase(engine);
  onTestFinished(() => database.remove());
  const { dataDir, databaseUrl } = database.options;
  const where = databaseUrl === undefined ? [] : ['--database-url', databaseUrl];
  return startParley(dataDir, { program, args: [...where, ...args] });
}

describe.each(['sqlite', 'postgres'] as const)('what operators see on %s', (engine) => {
  test('where the time of slow calls went, and the figures of every part', async () => {
    await using server = await serve(engine, ['--slow-call', String(SLOW_MS)]);
    for (const name of [
      'quick',
      'thinks',
      'asks_the_database',
      'waits_in_line',
      'waits_on_purpose',
      'long_work',
    ])
      expect((await callTool(server, name)).body.result?.isError).not.toBe(true);
    expect((await fetch(`${server.url}/mcp`, { method: 'POST', body: '{}' })).status).toBe(401);
    const to = { port: Number(new URL(server.url).port), key: server.key };
    const session = await openSession(to);
    const listen = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const stream = await openStream({ ...to, headers: modernHeaders(listen), body: JSON.stringify(listen) });
    // It is open once it has said what it tells of.
    await stream.next();

    const metrics = await metricsOf(server);
    const value = (name: string) => metrics.get(name);
    expect(value('parley_database_connections_max{lane="general"}')).toBe(engine === 'postgres' ? 10 : 1);
    expect(value('parley_database_waiting{lane="general"}')).toBe(0);
    expect(value('parley_database_wait_duration_seconds_count{lane="general"}')).toBeGreaterThan(0);
    expect(value('parley_database_statement_duration_seconds_sum{lane="general"}')).toBeGreaterThan(0);
    expect(value('parley_signal_link_up')).toBe(1);
    expect(value('parley_signal_link_losses_total')).toBe(0);
    expect(value('parley_signals_sent_total')).toBeGreaterThan(0);
    expect(value('parley_tasks{pool="caller",state="waiting"}')).toBe(0);
    expect(value('parley_task_oldest_seconds{pool="caller",state="waiting"}')).toBe(0);
    expect(value('parley_tasks_ended_total{outcome="completed"}')).toBeGreaterThanOrEqual(1);
    expect(value('parley_task_wait_duration_seconds_count{pool="caller"}')).toBe(1);
    expect(value('parley_task_lease_losses_total')).toBe(0);
    expect(value('parley_task_takeovers_total')).toBe(0);
    expect(value('parley_secrets_hidden_total')).toBe(0);
    expect(value('parley_event_deliveries{state="dead"}')).toBe(0);
    expect(value('parley_sessions')).toBe(1);
    expect(value('parley_streams{kind="listen"}')).toBe(1);
    expect(value('parley_http_connections')).toBeGreaterThan(0);
    expect(value('parley_http_refusals_total{surface="mcp",status="401"}')).toBe(1);
    expect(value('parley_call_records_waiting')).toBeGreaterThanOrEqual(0);
    expect([...metrics.keys()].filter((name) => name.startsWith('parley_metrics_missing'))).toEqual([]);

    await stream.close();
    await session.end();
    const after = await eventually(async () => {
      const found = await metricsOf(server);
      expect(found.get('parley_streams{kind="listen"}')).toBe(0);
      return found;
    });
    expect(after.get('parley_sessions')).toBe(0);

    const { stderr } = await server.stop();
    const lines = slowLines(stderr);
    const told = lines.map(({ msg, name, kind }) => `${msg} ${name ?? kind}`);
    const [thinks, asks, waits, work] = [
      'slow call thinks',
      'slow call asks_the_database',
      'slow call waits_in_line',
      'slow task tool:long_work',
    ].map((wanted) => lines[told.indexOf(wanted)]);
    // What it was called for is not slow, and the call that made the task waited for it.
    for (const name of ['waits_on_purpose', 'long_work']) expect(told).not.toContain(`slow call ${name}`);
    expect(thinks?.toolMs).toBeGreaterThanOrEqual(SLOW_MS);
    expect(thinks).toMatchObject({
      level: 40,
      method: 'tools/call',
      toolset: 'seen',
      outcome: 'ok',
      waitedMs: 0,
    });
    expect(asks?.databaseMs).toBeGreaterThan(asks?.toolMs ?? 0);
    expect(waits?.queueMs).toBeGreaterThanOrEqual(SLOW_MS);
    expect(work?.toolMs).toBeGreaterThanOrEqual(SLOW_MS);
  });

  test('spans for database and upstream, for a task under its call, and for REST', async () => {
    await using collector = await startCollector();
    const upstream = await serveWire({
      era: '2026',
      capabilities: { tools: {} },
      methods: {
        'tools/list': ({ result }) => result({ tools: [ECHO], ttlMs: 0, cacheScope: 'private' }),
        'tools/call': ({ result }) => result({ content: [] }),
      },
    });
    await using server = await serve(engine, [
      '--slow-call',
      '0',
      '--otlp-endpoint',
      collector.url,
      '--allow-egress',
      new URL(upstream.url).host,
    ]);
    const data = { id: 'conn_1', title: 'Echo', connection_type: 'HTTP', connection_url: upstream.url };
    await callTool(server, 'COLLECTION_CONNECTIONS_CREATE', { data });
    const call = (name: string) =>
      post(
        server.mcp,
        server.key,
        message(1, 'tools/call', { name, arguments: {} }, { traceparent: TRACEPARENT }),
      );
    for (const name of ['quick', 'long_work', 'echo']) expect((await call(name)).status).toBe(200);
    const headers = { authorization: `Bearer ${server.key}`, traceparent: TRACEPARENT };
    expect((await fetch(`${server.url}/api/connections/conn_1/definitions`, { headers })).status).toBe(200);
    const { stderr } = await server.stop();
    expect(slowLines(stderr)).toEqual([]);

    const spans = collector.received
      .filter(({ path }) => path === '/v1/traces')
      .flatMap(({ body }) => (body as Traces).resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
      .filter(({ traceId }) => traceId === TRACE_ID);
    const named = (name: string) => spans.find((span) => span.name === name);
    const below = (span: Span | undefined) =>
      spans.filter(({ parentSpanId }) => parentSpanId === span?.spanId);
    const systemsOf = (span: Span | undefined) =>
      below(span).flatMap(({ attributes }) =>
        attributes.filter(({ key }) => key === 'db.system.name').map(({ value }) => value.stringValue),
      );
    const system = engine === 'postgres' ? 'postgresql' : 'sqlite';

    expect(below(named('tools/call quick')).map(({ name }) => name)).toEqual(['select']);
    expect(systemsOf(named('tools/call quick'))).toEqual([system]);
    const task = named('task long_work');
    expect(task?.parentSpanId).toBe(named('tools/call long_work')?.spanId);
    expect(systemsOf(task)).toContain(system);
    const echo = named('tools/call echo');
    expect(below(echo).map(({ name }) => name)).toContain('tools/call');
    expect(upstream.heard.at(-1)?.headers.traceparent).toBe(`00-${TRACE_ID}-${echo?.spanId}-01`);
    const rest = spans.find(({ name }) => name.startsWith('GET /api/connections/'));
    expect(rest?.parentSpanId).toBe('b7ad6b7169203331');
    expect(systemsOf(rest)).toContain(system);
  });
});
