/** Tools on the log of calls. */
import * as z from 'zod';
import { Labels } from '../services/monitoring/dashboard.ts';
import { defineTool } from './define-tool.ts';

const Date8601 = z.iso.datetime({ offset: true });
const Id = z.string().min(1).max(64);
const text = z.string().nullable();
const number = z.number().nullable();

const LogEntry = z.object({
  id: z.string(),
  organizationId: z.string(),
  connectionId: z.string(),
  connectionTitle: text,
  toolName: z.string(),
  effect: text,
  input: text,
  output: text,
  isError: z.boolean(),
  errorCode: text,
  errorMessage: text,
  durationMs: z.number(),
  upstreamMs: number,
  timestamp: z.string(),
  userId: text,
  callerId: z.string(),
  callerSource: z.string(),
  requestId: text,
  traceId: text,
  userAgent: text,
  virtualMcpId: text,
  protocolVersion: text,
  bytesIn: number,
  bytesOut: number,
  properties: z.record(z.string(), z.string()).nullable(),
});

/** A line for whoever reads the text alone; everything is in the data. */
function lineOf(log: z.output<typeof LogEntry>): string {
  const { timestamp, toolName, connectionId, callerId, durationMs, isError, errorCode } = log;
  const outcome = isError ? (errorCode ?? 'error') : 'ok';
  return `${timestamp} ${connectionId} ${toolName} ${outcome} ${durationMs} ms ${callerId}`;
}

export const monitoringLogsList = defineTool({
  name: 'MONITORING_LOGS_LIST',
  title: 'List Monitoring Logs',
  description: 'Calls of tools, newest first, with short previews of input and output.',
  effect: 'read',
  input: z.object({
    connectionId: Id.optional().describe('Connection or toolset'),
    excludeConnectionIds: z.array(Id).max(100).optional().describe('Leave these out'),
    virtualMcpId: Id.optional().describe('Virtual MCP'),
    toolName: z.string().min(1).max(200).optional().describe('Tool'),
    isError: z.boolean().optional().describe('Only errors, or none'),
    startDate: Date8601.optional().describe('Earliest'),
    endDate: Date8601.optional().describe('Latest'),
    limit: z.int().min(1).max(1000).default(20).describe('Most entries'),
    offset: z.int().min(0).max(100_000).default(0).describe('Entries to skip'),
    properties: Labels.optional().describe('Labels that are equal'),
    propertyKeys: z.array(z.string().min(1).max(64)).max(20).optional().describe('Labels that are there'),
    propertyPatterns: Labels.optional().describe('Labels like % and _'),
    propertyInValues: Labels.optional().describe('Comma lists with this member'),
  }),
  output: z.object({
    logs: z.array(LogEntry),
    total: z.int(),
    offset: z.int(),
    limit: z.int(),
    partial: z.literal(true).optional(),
  }),
  text: ({ logs, total }) => [`${total} calls`, ...logs.map(lineOf)].join('\n'),
  async run(query, { services, caller }) {
    const { logs, total, partial } = await services.monitoring.logs.list(caller.organizationId, query);
    const { offset, limit } = query;
    return { logs, total, offset, limit, ...(partial && { partial: true as const }) };
  },
});

export const monitoringStats = defineTool({
  name: 'MONITORING_STATS',
  title: 'Get Monitoring Stats',
  description: 'How many calls there were, how many failed, and how long they took.',
  effect: 'read',
  input: z.object({
    startDate: Date8601.optional().describe('From'),
    endDate: Date8601.optional().describe('Until'),
  }),
  output: z.object({
    totalCalls: z.int(),
    errorRate: z.number(),
    avgDurationMs: z.number(),
    errorRatePercent: z.string(),
    p50Ms: z.number(),
    p95Ms: z.number(),
    p99Ms: z.number(),
  }),
  async run({ startDate, endDate }, { services, caller }) {
    const stats = await services.monitoring.logs.stats(caller.organizationId, {
      ...(startDate !== undefined && { since: Date.parse(startDate) }),
      ...(endDate !== undefined && { until: Date.parse(endDate) }),
    });
    const { calls, errors, averageMs, p50Ms, p95Ms, p99Ms } = stats;
    const errorRate = calls === 0 ? 0 : errors / calls;
    return {
      totalCalls: calls,
      errorRate,
      avgDurationMs: averageMs,
      errorRatePercent: (errorRate * 100).toFixed(2),
      p50Ms,
      p95Ms,
      p99Ms,
    };
  },
});
