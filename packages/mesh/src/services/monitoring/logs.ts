/** Call records as the organization reads them: pages of the log, and figures over all of it. */
import type { Effect } from '@parley/kit';
import type { CallDetail, CallStats, DetailedCallRecord, RecordFilter, RecordLog } from '@parley/store';
import { connectionIdOf, toolsetOf } from './connection-ids.ts';
import { effectOf } from './effect-of.ts';
import type { PropertyFilter } from './properties.ts';
import { propertyTest } from './properties.ts';
import { scanRecords } from './scan.ts';
import type { TitlesOf } from './titles.ts';

/** Which records to show. */
export interface LogQuery extends PropertyFilter {
  readonly connectionId?: string | undefined;
  readonly excludeConnectionIds?: readonly string[] | undefined;
  readonly virtualMcpId?: string | undefined;
  readonly toolName?: string | undefined;
  readonly isError?: boolean | undefined;
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** A record as tools show it. */
export interface LogEntry {
  readonly id: string;
  readonly organizationId: string;
  readonly connectionId: string;
  readonly connectionTitle: string | null;
  readonly toolName: string;
  readonly effect: Effect | null;
  readonly input: string | null;
  readonly output: string | null;
  readonly isError: boolean;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly durationMs: number;
  readonly upstreamMs: number | null;
  readonly timestamp: string;
  readonly userId: string | null;
  readonly callerId: string;
  readonly callerSource: string;
  readonly requestId: string | null;
  readonly traceId: string | null;
  readonly userAgent: string | null;
  readonly virtualMcpId: string | null;
  readonly protocolVersion: string | null;
  readonly bytesIn: number | null;
  readonly bytesOut: number | null;
  readonly properties: Readonly<Record<string, string>> | null;
}

export interface Logs {
  /** Newest first; `partial` when too many records would have had to be looked at for their labels. */
  list(
    organizationId: string,
    query: LogQuery,
  ): Promise<{ logs: LogEntry[]; total: number; partial: boolean }>;
  stats(organizationId: string, range: { since?: number; until?: number }): Promise<CallStats>;
}

/** All previews of a page together, so that a page fits into one answer. */
const PREVIEW_CHARACTERS = 200_000;
const LONGEST_PREVIEW = 1_000;
const MODERN_VERSION = '2026-07-28';
const REVISION = /^\d{4}-\d{2}-\d{2}$/;

export function createLogs(records: RecordLog, titlesOf: TitlesOf): Logs {
  async function found(filter: RecordFilter, { limit, offset }: LogQuery) {
    const total = await records.count(filter);
    if (offset >= total) return { rows: [], total, partial: false };
    const skipped = offset === 0 ? [] : await records.list({ ...filter, limit: offset });
    const before = skipped.at(-1)?.id;
    const rows = await records.listDetailed({ ...filter, limit, ...(before !== undefined && { before }) });
    return { rows, total, partial: false };
  }

  async function labelled(
    filter: RecordFilter,
    { limit, offset }: LogQuery,
    passes: (json: string | null) => boolean,
  ) {
    const rows: DetailedCallRecord[] = [];
    let total = 0;
    const partial = await scanRecords(records, filter, (record) => {
      if (!passes(record.detail?.properties ?? null)) return;
      if (total >= offset && rows.length < limit) rows.push(record);
      total += 1;
    });
    return { rows, total, partial };
  }

  return {
    async list(organizationId, query) {
      const filter = filterOf(organizationId, query);
      const passes = propertyTest(query);
      const { rows, ...counts } = await (passes === undefined
        ? found(filter, query)
        : labelled(filter, query, passes));
      const length = Math.min(LONGEST_PREVIEW, Math.floor(PREVIEW_CHARACTERS / Math.max(1, rows.length) / 2));
      const titles = await titlesOf(
        organizationId,
        rows.map(({ toolset }) => toolset),
      );
      const logs = rows.map((row) => logEntry(row, titles.get(row.toolset) ?? null, length));
      return { logs, ...counts };
    },
    stats: (organizationId, range) => records.stats({ organizationId, ...range }),
  };
}

function filterOf(organizationId: string, query: LogQuery): RecordFilter {
  const { connectionId, excludeConnectionIds, virtualMcpId, toolName, isError, startDate, endDate } = query;
  return {
    organizationId,
    ...(connectionId !== undefined && { toolset: toolsetOf(organizationId, connectionId) }),
    ...(excludeConnectionIds !== undefined && {
      exceptToolsets: excludeConnectionIds.map((id) => toolsetOf(organizationId, id)),
    }),
    ...(virtualMcpId !== undefined && { virtualMcpId }),
    ...(toolName !== undefined && { tool: toolName }),
    ...(isError !== undefined && { isError }),
    ...(startDate !== undefined && { since: Date.parse(startDate) }),
    ...(endDate !== undefined && { until: Date.parse(endDate) }),
  };
}

const NO_DETAIL: CallDetail = {
  input: null,
  output: null,
  message: null,
  bytesIn: null,
  bytesOut: null,
  upstreamUs: null,
  traceId: null,
  properties: null,
};

/** The record as it is shown, its input and output cut to a length. */
export function logEntry(record: DetailedCallRecord, title: string | null, length = Infinity): LogEntry {
  const { organizationId, toolset, outcome } = record;
  const detail = record.detail ?? NO_DETAIL;
  return {
    id: String(record.id),
    organizationId,
    connectionId: connectionIdOf(organizationId, toolset),
    connectionTitle: title,
    toolName: record.tool,
    effect: effectOf(record),
    input: preview(detail.input, length),
    output: preview(detail.output, length),
    isError: outcome === 'error' || outcome === 'denied',
    // Neither a success nor a failure: without a code it would look like the first.
    errorCode: outcome === 'cancelled' ? outcome : record.code,
    errorMessage: detail.message,
    durationMs: record.durationUs / 1000,
    upstreamMs: detail.upstreamUs === null ? null : detail.upstreamUs / 1000,
    timestamp: new Date(record.at).toISOString(),
    userId: record.userId,
    callerId: record.callerId,
    callerSource: record.source,
    requestId: record.requestId,
    traceId: detail.traceId,
    userAgent: record.client,
    virtualMcpId: record.virtualMcpId,
    protocolVersion: versionOf(record.era),
    bytesIn: detail.bytesIn,
    bytesOut: detail.bytesOut,
    // What was stored is an object of texts.
    properties: detail.properties === null ? null : (JSON.parse(detail.properties) as Record<string, string>),
  };
}

/** The revision of MCP that a call was made with; none for REST, commands and deliveries. */
function versionOf(era: string): string | null {
  if (era === 'modern') return MODERN_VERSION;
  return REVISION.test(era) ? era : null;
}

function preview(text: string | null, length: number): string | null {
  if (text === null || text.length <= length) return text;
  return `${text.slice(0, length)}…`;
}
