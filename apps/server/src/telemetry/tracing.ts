/** OpenTelemetry: one span per tool call and the duration metric, sent by OTLP. Loaded only when configured. */
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { CallRecord, Middleware } from '@parley/kit';
import { redact } from '../redaction/credentials.ts';
import { SERVER_INFO } from '../version.ts';

/** The parts of tracing that the server wires in. */
export interface Tracing {
  readonly middleware: Middleware;
  observe(record: CallRecord): void;
  close(): Promise<void>;
}

/** Starts exporting to an OTLP endpoint. */
export async function startTracing(endpoint: string): Promise<Tracing> {
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

  return {
    middleware: {
      async call({ tool, request }, next) {
        const attributes = {
          'mcp.method.name': 'tools/call',
          'gen_ai.tool.name': tool.name,
          'gen_ai.operation.name': 'execute_tool',
          ...(request.id !== null && { 'jsonrpc.request.id': redact(request.id) }),
        };
        const span = tracer.startSpan(
          `tools/call ${tool.name}`,
          { kind: SpanKind.SERVER, attributes },
          parentOf(request.traceparent),
        );
        try {
          const result = await next();
          if (result.isError)
            span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', 'tool_error');
          return result;
        } catch (error) {
          const type = error instanceof Error && 'code' in error ? String(error.code) : 'internal';
          span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', type);
          throw error;
        } finally {
          span.end();
        }
      },
    },
    observe({ method, name, outcome, code, durationMs }) {
      const failed = outcome === 'ok' ? {} : { 'error.type': code ?? outcome };
      const tool = outcome === 'denied' || method === 'resources/read' ? {} : { 'gen_ai.tool.name': name };
      duration.record(durationMs / 1000, { 'mcp.method.name': method, ...tool, ...failed });
    },
    async close() {
      await Promise.allSettled([traces.shutdown(), meters.shutdown()]);
    },
  };
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The caller's span as the parent of ours; anything malformed starts a trace of its own. */
function parentOf(traceparent: string | undefined) {
  const match = TRACEPARENT.exec(traceparent ?? '');
  if (match === null) return ROOT_CONTEXT;
  const [, traceId = '', spanId = '', flags = '00'] = match;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
  });
}
