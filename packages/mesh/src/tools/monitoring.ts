/** Tools on the log of calls. */
import * as z from 'zod';
import { Labels } from '../services/monitoring/dashboard.ts';
import { defineTool } from './define-tool.ts';
import { Id } from './fields.ts';
import { IsoTime } from './iso-time.ts';

/** The fields that most look at; the others are in docs/monitoring.md, and models need not read them before. */
const Entry = z.looseObject({ timestamp: z.string(), toolName: z.string(), isError: z.boolean() });

/** A line for whoever reads the text alone; everything is in the data. */
function lineOf({ timestamp, toolName, isError }: z.output<typeof Entry>): string {
  return `${timestamp} ${toolName} ${isError ? 'error' : 'ok'}`;
}

export const monitoringLogsList = defineTool({
  name: 'MONITORING_LOGS_LIST',
  title: 'List Monitoring Logs',
  description: 'Calls of tools, newest first, with short previews of input and output.',
  effect: 'read',
  input: z.object({
    connectionId: Id.optional().describe('Connection or toolset'),
    excludeConnectionIds: z.array(Id).max(100).optional().describe('Leave these out'),
    virtualMcpId: Id.optional(),
    toolName: z.string().min(1).max(200).optional(),
    isError: z.boolean().optional().describe('Only errors, or none'),
    startDate: IsoTime.optional(),
    endDate: IsoTime.optional(),
    limit: z.int().min(1).max(1000).default(20),
    offset: z.int().min(0).max(100_000).default(0),
    properties: Labels.optional().describe('Labels that are equal'),
    propertyKeys: z.array(z.string().min(1).max(64)).max(20).optional().describe('Labels that are there'),
    propertyPatterns: Labels.optional().describe('Labels like % and _'),
    propertyInValues: Labels.optional().describe('Comma lists with this member'),
  }),
  output: z.object({
    logs: z.array(Entry),
    total: z.int(),
    offset: z.int(),
    limit: z.int(),
    partial: z.literal(true).optional(),
  }),
  text: ({ logs, total }) => [`${total} ${total === 1 ? 'call' : 'calls'}`, ...logs.map(lineOf)].join('\n'),
  async run(query, { services, caller }) {
    const { logs, total, partial } = await services.monitoring.logs.list(caller.organizationId, query);
    const { offset, limit } = query;
    return {
      logs: logs.map((log) => ({ ...log })),
      total,
      offset,
      limit,
      ...(partial && { partial: true as const }),
    };
  },
});

export const monitoringStats = defineTool({
  name: 'MONITORING_STATS',
  title: 'Get Monitoring Stats',
  description: 'How many calls there were, how many failed, and how long they took.',
  effect: 'read',
  input: z.object({
    startDate: IsoTime.optional(),
    endDate: IsoTime.optional(),
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
