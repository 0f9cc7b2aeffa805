/** Routes of definitions: what tools of a connection are, what was agreed to, the approval, and a fresh look. */
import { Connection } from '@parley/connections';
import { one } from '@parley/http/rest';
import { ToolError } from '@parley/kit';
import * as z from 'zod';
import { DEFINITIONS_APPROVE } from '../definitions.ts';
import { defineRoute } from './route.ts';

const MOST_APPROVALS = 1000;

const AnySchema = z.record(z.string(), z.unknown());

/** As its server gave it, word for word. */
const AnyDefinition = z.looseObject({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: AnySchema,
  outputSchema: AnySchema.optional(),
  annotations: AnySchema.optional(),
});

const FieldChange = z.object({
  field: z.string().describe('A path, such as inputSchema.properties.to.type'),
  before: z.string().nullable(),
  after: z.string().nullable(),
});

const Definition = z.object({
  tool: z.string(),
  state: z
    .enum(['approved', 'new', 'changed', 'held', 'removed'])
    .describe('held: in no list and not callable until it is approved'),
  reason: z.enum(['new', 'changed', 'probable_rename', 'hidden_text']).nullable(),
  hash: z.string().describe('An approval names it'),
  definition: AnyDefinition,
  approved: z
    .object({
      hash: z.string(),
      by: z.string().nullable(),
      at: z.string().nullable(),
      definition: AnyDefinition.nullable(),
    })
    .nullable(),
  renamedFrom: z.string().nullable(),
  diff: z.array(FieldChange).describe('What is different from what was agreed to'),
});

const LeftOut = z.object({
  kind: z.enum(['tools', 'resources', 'templates', 'prompts', 'skills', 'server']),
  name: z.string().nullable(),
  reason: z.string(),
});

const Refreshed = z.object({
  id: z.string(),
  status: z
    .enum(['active', 'degraded', 'error', 'inactive', 'needs_reauth'])
    .describe('degraded: it could not be read, and what was known before is served'),
  catalog: Connection.shape.catalog,
  tools: z.int(),
  held: z.int().describe('Tools that wait for approval'),
});

export const definitionRoutes = [
  defineRoute({
    method: 'GET',
    path: '/:id/definitions',
    summary: 'Definitions of the tools of a connection, with what was agreed to',
    who: 'team',
    grants: ['COLLECTION_CONNECTIONS_GET'],
    answer: one(
      'Definitions',
      z.object({
        definitions: z.array(Definition),
        leftOut: z.array(LeftOut).describe('What its server has that is not served, and why'),
      }),
    ),
    async run({ services, caller, params }) {
      const found = await services.definitions.list(caller, params.id);
      return {
        leftOut: await services.definitions.leftOut(caller, params.id),
        definitions: found.map(({ definition, approved, diff, ...rest }) => ({
          ...rest,
          definition: { ...definition },
          approved: approved && {
            ...approved,
            definition: approved.definition && { ...approved.definition },
          },
          diff: [...diff],
        })),
      };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/:id/definitions/approve',
    summary: 'Approve definitions, each by the hash that was shown',
    who: 'team',
    grants: [DEFINITIONS_APPROVE],
    effect: 'update',
    body: z.strictObject({
      definitions: z
        .array(
          z.strictObject({
            tool: z.string().min(1).max(2000),
            hash: z.string().regex(/^[0-9a-f]{64}$/, 'must be a hash of the definitions'),
          }),
        )
        .min(1)
        .max(MOST_APPROVALS),
    }),
    answer: one('Approved', z.object({ approved: z.int().describe('How many were not approved before') })),
    run: async ({ services, caller, params, body }) => ({
      approved: await services.definitions.approve(caller, params.id, body.definitions),
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/:id/refresh',
    summary: 'Ask the server of a connection for all that it has, now',
    who: 'team',
    grants: ['COLLECTION_CONNECTIONS_UPDATE'],
    effect: 'update',
    answer: one('Refreshed', Refreshed),
    async run({ services, caller, params: { id } }) {
      const status = await services.definitions.refresh(caller, id);
      const item = await services.connections.get(caller, id);
      if (item === undefined) throw new ToolError('not_found', 'Connection not found');
      const held = (await services.definitions.list(caller, id)).filter(({ state }) => state === 'held');
      const { catalog, tools } = item;
      return { id, status, catalog, tools: tools?.length ?? 0, held: held.length };
    },
  }),
];
