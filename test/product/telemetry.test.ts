/** OpenTelemetry: one span per call under the caller's trace, the metric, and silence unless it was asked for. */
import { beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { callTool, message, post } from './mcp-messages.ts';
import { startCollector } from './otlp-collector.ts';
import { scratchFolder, startParley } from './parley.ts';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly Attribute[];
}

interface Traces {
  readonly resourceSpans: { readonly scopeSpans: { readonly spans: Span[] }[] }[];
}

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const SPAN_ID = 'b7ad6b7169203331';

beforeAll(ensureBuilt);

test('a call is one span under the trace of its caller, and the metric counts it', async () => {
  using folder = scratchFolder();
  await using collector = await startCollector();
  const server = await startParley(folder.path, { args: ['--otlp-endpoint', `${collector.url}/`] });
  const body = (traceparent: string) =>
    message('req-7', 'tools/call', { name: 'parley_whoami', arguments: {} }, { traceparent });
  await post(server.mcp, server.key, body(`00-${TRACE_ID}-${SPAN_ID}-01`));
  await post(server.mcp, server.key, body('00-nonsense'));
  expect((await server.stop()).code).toBe(0);

  const spans = collector.received
    .filter(({ path }) => path === '/v1/traces')
    .flatMap(({ body: sent }) => (sent as Traces).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
    // Below each of them is what it waited for.
    .filter(({ name }) => name.startsWith('tools/call'));
  expect(spans.map(({ name }) => name)).toEqual(['tools/call parley_whoami', 'tools/call parley_whoami']);
  expect(spans[0]).toMatchObject({ traceId: TRACE_ID, parentSpanId: SPAN_ID });
  expect(spans[1]?.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(spans[1]?.traceId).not.toBe(TRACE_ID);
  const attributes = Object.fromEntries(
    spans[0]?.attributes.map(({ key, value }) => [key, value.stringValue]) ?? [],
  );
  expect(attributes).toMatchObject({
    'mcp.method.name': 'tools/call',
    'gen_ai.tool.name': 'parley_whoami',
    'jsonrpc.request.id': 'req-7',
  });

  const metrics = JSON.stringify(collector.received.filter(({ path }) => path === '/v1/metrics'));
  expect(metrics).toContain('"mcp.server.operation.duration"');
  expect(metrics).toContain('"parley_whoami"');
  expect(JSON.stringify(collector.received)).not.toContain(server.key);
});

test('a collector that is gone stops neither calls nor the exit', async () => {
  using folder = scratchFolder();
  const server = await startParley(folder.path, { args: ['--otlp-endpoint', 'http://127.0.0.1:1'] });
  expect((await callTool(server, 'parley_whoami')).status).toBe(200);
  expect((await server.stop()).code).toBe(0);
});

test('nothing is sent when nothing is configured', async () => {
  using folder = scratchFolder();
  await using collector = await startCollector();
  const server = await startParley(folder.path, {
    env: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.url },
  });
  await callTool(server, 'parley_whoami');
  expect((await server.stop()).code).toBe(0);
  expect(collector.received).toEqual([]);
});
