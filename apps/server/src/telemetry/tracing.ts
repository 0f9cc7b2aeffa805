/** OpenTelemetry: spans of calls, tasks and REST, and the duration metric, sent by OTLP. Loaded only when configured. */
import type { Span } from '@opentelemetry/api';
import { SpanKind } from '@opentelemetry/api';
import type { CallRecord, Middleware, RequestInfo } from '@parley/kit';
import type { Spent } from '@parley/store';
import { redact } from '../redaction/credentials.ts';
import { SERVER_INFO } from '../version.ts';
import { beginSpan, endSpan, failSpan, traceparentOf } from './spans.ts';

/** The parts of tracing that the server wires in. */
export interface Tracing {
  readonly middleware: Middleware;
  observe(record: CallRecord): void;
  /** What a call came with as others shall see it who go on with its work: under its own span. */
  traced(info: RequestInfo): RequestInfo;
  close(): Promise<void>;
}

/** Where the time of calls is found. */
export interface TracedTimes {
  /** Of a call of a tool. */
  spentOf(info: RequestInfo): Spent | undefined;
  /** Of the request that is being answered. */
  current(): Spent | undefined;
  /** The database, as OpenTelemetry calls it. */
  system(): string;
}

/** Codes of REST that are no fault of the client. */
const OWN_FAULTS: ReadonlySet<string | null> = new Set(['internal_error', 'unavailable']);

/** Starts exporting to an OTLP endpoint. */
export async function startTracing(endpoint: string, times: TracedTimes): Promise<Tracing> {
  const [
    { BasicTracerProvider, BatchSpanProcessor },
    { OTLPTraceExporter },
    metricsSdk,
    { OTLPMetricExporter },
    resources,
  ] = await Promise.all([
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/sdk-metrics'),
    import('@opentelemetry/exporter-metrics-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const base = endpoint.replace(/\/$/, '');
  const resource = resources.resourceFromAttributes({
    'service.name': SERVER_INFO.name,
    'service.version': SERVER_INFO.version,
  });
  const traces = new BasicTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${base}/v1/traces` }))],
  });
  const reader = new metricsSdk.PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url: `${base}/v1/metrics` }),
  });
  const meters = new metricsSdk.MeterProvider({ resource, readers: [reader] });
  const tracer = traces.getTracer(SERVER_INFO.name, SERVER_INFO.version);
  const duration = meters
    .getMeter(SERVER_INFO.name)
    .createHistogram('mcp.server.operation.duration', { unit: 's' });
  const spans = new WeakMap<RequestInfo, Span>();

  /** A call of REST is told when it is over, with its route: nobody knows that before. */
  function restSpan({ name, outcome, code, durationMs, info }: CallRecord): void {
    const spent = times.current();
    const [method = '', route = ''] = name.split(' ');
    const span = beginSpan(tracer, {
      name,
      kind: SpanKind.SERVER,
      attributes: {
        'http.request.method': method,
        'http.route': route,
        ...(outcome !== 'ok' && { 'error.type': code ?? outcome }),
      },
      startMs: spent?.startedMs ?? performance.now() - durationMs,
      parent: info.traceparent,
    });
    if (OWN_FAULTS.has(code)) failSpan(span, code ?? outcome);
    endSpan(tracer, span, { spent, system: times.system() });
  }

  return {
    middleware: {
      async call({ tool, request, taskId }, next) {
        const span = beginSpan(tracer, {
          name: `${taskId === null ? 'tools/call' : 'task'} ${tool.name}`,
          kind: taskId === null ? SpanKind.SERVER : SpanKind.CONSUMER,
          attributes: {
            ...(taskId === null && { 'mcp.method.name': 'tools/call' }),
            'gen_ai.tool.name': tool.name,
            'gen_ai.operation.name': 'execute_tool',
            ...(request.id !== null && { 'jsonrpc.request.id': redact(request.id) }),
          },
          startMs: performance.now(),
          parent: request.traceparent,
        });
        spans.set(request, span);
        try {
          const result = await next();
          if (result.isError) failSpan(span, 'tool_error');
          return result;
        } catch (error) {
          failSpan(span, error instanceof Error && 'code' in error ? String(error.code) : 'internal');
          throw error;
        } finally {
          endSpan(tracer, span, { spent: times.spentOf(request), system: times.system() });
        }
      },
    },
    observe(record) {
      const { method, name, outcome, code, durationMs } = record;
      const failed = outcome === 'ok' ? {} : { 'error.type': code ?? outcome };
      const tool = outcome === 'denied' || method === 'resources/read' ? {} : { 'gen_ai.tool.name': name };
      duration.record(durationMs / 1000, { 'mcp.method.name': method, ...tool, ...failed });
      if (method === 'rest') restSpan(record);
    },
    traced(info) {
      const span = spans.get(info);
      return span === undefined ? info : { ...info, traceparent: traceparentOf(span) };
    },
    async close() {
      await Promise.allSettled([traces.shutdown(), meters.shutdown()]);
    },
  };
}
