/** Routes of recorded calls: lists by anything that a record says, one in full, rates, errors, and files of them. */
import { download, limitUpTo, one, timeOrder } from '@parley/http/rest';
import { ToolError } from '@parley/kit';
import * as z from 'zod';
import type { NestedCall } from '../services/monitoring/call-in-full.ts';
import { LOG_LINES } from '../services/monitoring/log-lines.ts';
import { IsoTime } from '../tools/iso-time.ts';
import { defineRoute } from './route.ts';

const GRANTS = ['MONITORING_LOGS_LIST'];
const MOST = 200;
const MOST_PARTS = 400;
const DAY_MS = 86_400_000;

const text = (most: number, description: string) =>
  z.string().min(1).max(most).optional().describe(description);

const time = (description: string) =>
  IsoTime.transform((given) => Date.parse(given))
    .optional()
    .meta({ type: 'string', description });

const number = (most: number, description: string) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .refine((given) => given <= most, `must be at most ${most}`)
    .optional()
    .meta({ type: 'integer', description });

const Effect = z.enum(['read', 'create', 'update', 'delete', 'run']);

const filter = {
  connection: text(128, 'Connection or toolset'),
  tool: text(300, 'The whole name of a tool'),
  text: text(200, "A part of the tool's name"),
  caller: text(128, 'The id of a key, a member or an agent'),
  user: text(128, 'The id of a person'),
  source: text(32, 'Such as key, web, agent or schedule'),
  effect: Effect.optional(),
  outcome: z
    .enum(['ok', 'error', 'denied', 'cancelled', 'failed'])
    .optional()
    .describe('failed: error or denied'),
  code: text(128, 'The code of an error'),
  virtualMcp: text(128, 'The virtual MCP that it came through'),
  request: text(128, 'The id of the request'),
  minMs: number(86_400_000, 'Calls that took so long, or longer'),
  since: time('The earliest time'),
  until: time('The latest time'),
};

const nullable = z.string().nullable();

const Line = z.object({
  id: z.string(),
  timestamp: z.string(),
  connectionId: z.string(),
  connectionTitle: nullable,
  toolName: z.string(),
  effect: Effect.nullable(),
  outcome: z.string().describe('ok, error, denied or cancelled'),
  errorCode: nullable,
  errorMessage: nullable,
  durationMs: z.number(),
  callerId: z.string(),
  callerName: nullable,
  callerSource: z.string(),
  userId: nullable,
  userName: nullable,
  virtualMcpId: nullable,
});

const stats = {
  calls: z.int(),
  errors: z.int(),
  averageMs: z.number(),
  p50Ms: z.number(),
  p95Ms: z.number(),
  p99Ms: z.number(),
};

const place = { connectionId: z.string(), connectionTitle: nullable, toolName: z.string() };

const Rates = z.object({
  since: z.string(),
  until: z.string(),
  stepMs: z.int().describe('How long a point is'),
  stats: z.object(stats),
  points: z.array(z.object({ at: z.string(), ...stats })).describe('Those without a call are left out'),
  tools: z.array(z.object({ ...place, ...stats })).describe('The most called first'),
  partial: z.boolean(),
});

const ErrorGroups = z.object({
  groups: z.array(
    z.object({
      ...place,
      outcome: z.string(),
      code: nullable,
      count: z.int(),
      callers: z.int(),
      first: z.string(),
      last: z.string(),
      lastId: z.string(),
      message: nullable,
    }),
  ),
  partial: z.boolean(),
});

const Nested: z.ZodType<NestedCall> = z
  .object({
    id: z.string(),
    ...place,
    effect: Effect.nullable(),
    outcome: z.string(),
    errorCode: nullable,
    durationMs: z.number(),
    startMs: z.number().describe('After the outer call began'),
    calls: z.lazy(() => z.array(Nested)),
  })
  .meta({ id: 'NestedCall' });

/** Every field of the record, with names, the grant, and the calls inside it as a tree. */
const CallInFull = Line.extend({
  organizationId: z.string(),
  method: z.string().describe('tools/call, rest and the like'),
  isError: z.boolean(),
  input: nullable,
  output: nullable,
  upstreamMs: z.number().nullable(),
  requestId: nullable,
  traceId: nullable,
  userAgent: nullable,
  virtualMcpTitle: nullable,
  protocolVersion: nullable,
  bytesIn: z.number().nullable(),
  bytesOut: z.number().nullable(),
  properties: z.record(z.string(), z.string()).nullable(),
  grant: z
    .object({ resource: z.string(), name: z.string(), roles: z.array(z.string()) })
    .nullable()
    .describe('null: nothing allows it any more, or it is no tool'),
  calls: z.array(Nested),
  madeBy: z.object({ id: z.string(), toolName: z.string() }).nullable(),
});

/** Times as they come; without them the last day. */
function timesOf({ since, until = Date.now() }: { since?: number | undefined; until?: number | undefined }) {
  return { until, since: Math.min(since ?? until - DAY_MS, until) };
}

export const callRoutes = [
  defineRoute({
    method: 'GET',
    path: '/',
    summary: 'Recorded calls, newest first',
    who: 'team',
    grants: GRANTS,
    query: z.strictObject({
      ...filter,
      before: number(Number.MAX_SAFE_INTEGER, 'The id of the last one of the page before'),
      order: timeOrder,
      limit: limitUpTo(MOST, 100),
    }),
    answer: one('CallPage', z.object({ calls: z.array(Line), hasMore: z.boolean() })),
    run: ({ services, caller, query: { order, ...query } }) =>
      services.monitoring.calls.page(caller.organizationId, { ...query, oldestFirst: order === 'asc' }),
  }),
  defineRoute({
    method: 'GET',
    path: '/rates',
    summary: 'How many calls there were, how many failed and how long they took, part by part and by tool',
    who: 'team',
    grants: GRANTS,
    query: z.strictObject({
      ...filter,
      parts: limitUpTo(MOST_PARTS, 60).meta({ description: 'About how many points' }),
    }),
    answer: one('CallRates', Rates),
    async run({ services, caller, query: { parts, ...query } }) {
      const { since, until } = timesOf(query);
      const rates = await services.monitoring.calls.rates(caller.organizationId, {
        ...query,
        since,
        until,
        parts,
      });
      return { ...rates, since: new Date(since).toISOString(), until: new Date(until).toISOString() };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/errors',
    summary: 'What failed, alike failures together',
    who: 'team',
    grants: GRANTS,
    query: z.strictObject(filter),
    answer: one('CallErrors', ErrorGroups),
    run: ({ services, caller, query }) =>
      services.monitoring.calls.errors(caller.organizationId, { ...query, ...timesOf(query) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/export',
    summary: 'All that fit as a file, newest first, with what went in and came out',
    who: 'team',
    grants: GRANTS,
    query: z.strictObject({ ...filter, format: z.enum(['jsonl', 'csv']) }),
    answer: download,
    async run({ services, caller, query: { format, ...query } }) {
      const { header, line, type } = LOG_LINES[format];
      const pages = services.monitoring.calls.all(caller.organizationId, query);
      return {
        fileName: `calls.${format}`,
        type,
        async write(put) {
          if (header !== '') await put(header);
          for await (const page of pages) await put(page.map(line).join(''));
        },
      };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/:callId',
    summary: 'One call in full, with the calls inside it',
    who: 'team',
    grants: GRANTS,
    answer: one('Call', CallInFull),
    async run({ services, caller, params }) {
      const id = /^\d{1,15}$/.test(params.callId) ? Number(params.callId) : undefined;
      const found =
        id === undefined ? undefined : await services.monitoring.calls.one(caller.organizationId, id);
      if (found === undefined)
        throw new ToolError('not_found', 'Call not found. It may have been removed by age.');
      const { grant, properties } = found;
      return {
        ...found,
        grant: grant && { ...grant, roles: [...grant.roles] },
        properties: properties && { ...properties },
      };
    },
  }),
];
