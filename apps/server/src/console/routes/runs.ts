/** What people ran in the console themselves, as it was recorded: theirs to see without a grant on recorded calls. */
import { limitUpTo, one } from '@parley/http/rest';
import { ToolError } from '@parley/kit';
import type { Caller } from '@parley/kit';
import { meshToolset } from '@parley/mesh';
import * as z from 'zod';
import type { ConsoleScope } from '../scope.ts';
import { defineRoute } from '../scope.ts';

const SOURCE = 'web';
const VIRTUAL = 'virtual-mcp/';
const MOST = 200;
const ID = /^\d{1,15}$/;

const Line = z.object({
  id: z.string(),
  timestamp: z.string(),
  toolName: z.string(),
  outcome: z.string().describe('ok, error, denied or cancelled'),
  errorCode: z.string().nullable(),
  errorMessage: z.string().nullable(),
  durationMs: z.number(),
});

const Run = Line.extend({
  input: z.string().nullable().describe('JSON as it was recorded; null: it was not'),
  output: z.string().nullable(),
});

const before = z
  .string()
  .regex(ID, 'must be the id of a run')
  .transform(Number)
  .optional()
  .meta({ type: 'string', description: 'The id of the last one of the page before' });

const callsIn = ({ host }: Pick<ConsoleScope, 'host'>) => host.servicesOf(meshToolset).monitoring.calls;

/** The organization's own tools are recorded under a name of its own. */
function placeOf({ organizationId }: Caller, endpoint: string) {
  if (endpoint.startsWith(VIRTUAL)) return { virtualMcp: endpoint.slice(VIRTUAL.length) };
  return { connection: endpoint === 'self' ? `${organizationId}_self` : endpoint };
}

export const runRoutes = [
  defineRoute({
    method: 'GET',
    path: '/runs',
    summary: 'What one ran in the console oneself, newest first',
    who: 'person',
    isQuiet: true,
    query: z.strictObject({
      endpoint: z.string().min(1).max(200).describe('What stands after /mcp/'),
      tool: z.string().min(1).max(300),
      before,
      limit: limitUpTo(MOST, 50),
    }),
    answer: one('RunPage', z.object({ runs: z.array(Line), hasMore: z.boolean() })),
    async run({ host, caller, query: { endpoint, ...query } }) {
      if (caller.userId === null) return { runs: [], hasMore: false };
      const { calls, hasMore } = await callsIn({ host }).page(caller.organizationId, {
        ...query,
        ...placeOf(caller, endpoint),
        user: caller.userId,
        source: SOURCE,
      });
      return { runs: calls.map((call) => Line.parse(call)), hasMore };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/runs/:callId',
    summary: 'One of them, with what went in and came out',
    who: 'person',
    isQuiet: true,
    answer: one('Run', Run),
    async run({ host, caller, params: { callId } }) {
      const { organizationId, userId } = caller;
      const found = ID.test(callId) ? await callsIn({ host }).one(organizationId, Number(callId)) : undefined;
      const isOwn = found !== undefined && found.userId === userId && found.callerSource === SOURCE;
      if (!isOwn || userId === null)
        throw new ToolError('not_found', 'Run not found. It may have been removed by age.');
      return Run.parse(found);
    },
  }),
];
