/** The spans of calls: one for each, with one below it for each time that it waited for something else. */
import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Spent, Stretch } from '@parley/store';

/** Times of `performance.now()` as spans have them. */
const at = (ms: number): number => performance.timeOrigin + ms;

/** What a span says about itself. */
export interface SpanFacts {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
  readonly startMs: number;
  /** The span that it is part of, as W3C writes it; anything malformed starts a trace of its own. */
  readonly parent: string | undefined;
}

/** Begins the span of a call. */
export function beginSpan(tracer: Tracer, { name, kind, attributes, startMs, parent }: SpanFacts): Span {
  return tracer.startSpan(name, { kind, attributes, startTime: at(startMs) }, parentOf(parent));
}

/** Ends it now, with what it waited for below it. */
export function endSpan(
  tracer: Tracer,
  span: Span,
  { spent, system }: { readonly spent: Spent | undefined; readonly system: string },
): void {
  const below = trace.setSpan(ROOT_CONTEXT, span);
  for (const stretch of spent?.stretches ?? []) {
    const { startMs, endMs } = stretch;
    const child = tracer.startSpan(
      nameOf(stretch),
      { ...factsOf(stretch, system), startTime: at(startMs) },
      below,
    );
    child.end(at(endMs));
  }
  if (spent !== undefined && spent.untoldStretches > 0)
    span.setAttribute('parley.spans_left_off', spent.untoldStretches);
  span.end(at(performance.now()));
}

export function failSpan(span: Span, type: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', type);
}

/** The span as W3C writes it, for whoever goes on with its work. */
export function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

const WAITS: Readonly<Record<'queue' | 'purpose', string>> = {
  queue: 'wait in line for',
  purpose: 'wait for',
};

function nameOf({ on, what }: Stretch): string {
  return on === 'queue' || on === 'purpose' ? `${WAITS[on]} ${what}` : what;
}

function factsOf({ on, what }: Stretch, system: string): { kind: SpanKind; attributes: Attributes } {
  if (on === 'database') {
    return { kind: SpanKind.CLIENT, attributes: { 'db.system.name': system, 'db.operation.name': what } };
  }
  if (on === 'upstream') return { kind: SpanKind.CLIENT, attributes: { 'mcp.method.name': what } };
  return { kind: SpanKind.INTERNAL, attributes: {} };
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

function parentOf(traceparent: string | undefined): Context {
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
