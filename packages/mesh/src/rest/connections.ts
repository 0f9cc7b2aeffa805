/** Routes of connections: how all of them do, what a program wrote, whose credentials there are, and servers of clients' files. */
import { actsAsAdministrator, CLIENT_KINDS } from '@parley/connections';
import { nothing, one, page, requireFresh } from '@parley/http/rest';
import { ToolError } from '@parley/kit';
import * as z from 'zod';
import { AuthState } from './connection-auth.ts';
import { glanceQuery, pageOfGlances } from './connection-pages.ts';
import { defineRoute } from './route.ts';

const Named = z.object({ id: z.string(), title: z.string() });

const Glance = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  icon: z.string().nullable(),
  type: z.enum(['HTTP', 'SSE', 'Websocket', 'STDIO', 'OPENAPI', 'VIRTUAL']),
  place: z.string().nullable().describe('Its address with masks, or the program without its arguments'),
  isSelf: z.boolean().describe('The connection to this server itself'),
  status: z.enum(['active', 'degraded', 'error', 'inactive', 'needs_reauth']),
  reason: z.string().nullable().describe('Why it could not be read when it was asked last'),
  since: z.string().nullable(),
  failedWith: z.string().nullable(),
  breaker: z
    .enum(['closed', 'open', 'half-open'])
    .describe('open: calls fail at once for a while, after too many failures; of the process that answers'),
  fetchedAt: z.string().nullable(),
  pinning: z.enum(['off', 'flag', 'strict']),
  tools: z.int(),
  held: z.int().describe('Tools that wait for approval'),
  tokens: z.int().describe('Tokens that the definitions of its tools take, about'),
  auth: AuthState.nullable().describe('How you stand with its server; null: you may not use it'),
  usedBy: z.array(Named).describe('Virtual MCPs that it is a member of'),
  createdAt: z.string(),
  updatedAt: z.string(),
});

const Person = z.object({
  userId: z.string().nullable().describe('null: it is for everybody'),
  name: z.string(),
  kind: z.enum(['personal_token', 'oauth']),
  state: z.enum(['ok', 'expiring', 'needs_reauth', 'never']),
  expiresAt: z.string().nullable(),
  updatedAt: z.string(),
});

const ImportLine = z.object({
  name: z.string(),
  outcome: z.enum(['added', 'replaced', 'would_add', 'would_replace', 'needs_values', 'skipped', 'failed']),
  type: z.string().nullable(),
  place: z.string().nullable(),
  needs: z.array(
    z.object({
      name: z.string().describe('The key in values'),
      description: z.string(),
      isSecret: z.boolean(),
      fallback: z.string().nullable(),
    }),
  ),
  id: z.string().nullable(),
  tools: z.int().nullable(),
  reason: z.string().nullable(),
});

const MOST_VALUES = 200;

const ImportBody = z.strictObject({
  text: z
    .string()
    .min(2)
    .max(1_000_000)
    .describe("A client's JSON, or a map of servers")
    .meta({ writeOnly: true }),
  client: z.enum([...CLIENT_KINDS, 'any']).default('any'),
  values: z
    .record(z.string().min(1).max(300), z.string().max(8192))
    .refine((given) => Object.keys(given).length <= MOST_VALUES, {
      error: `must have at most ${MOST_VALUES} entries`,
    })
    .default({})
    .describe('What the text leaves open, by the names of needs')
    .meta({ writeOnly: true }),
  only: z.array(z.string().min(1).max(255)).min(1).max(200).optional(),
  replace: z.boolean().default(false).describe('Changes a connection of the same name'),
  allowPrivate: z
    .boolean()
    .default(false)
    .describe('Each may reach the private address that it leads to; for owners and administrators'),
  dryRun: z.boolean().default(false),
});

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());

export const connectionRoutes = [
  defineRoute({
    method: 'GET',
    path: '/',
    summary: 'How all connections do, how much they have, and how you stand with each',
    who: 'team',
    grants: ['COLLECTION_CONNECTIONS_LIST'],
    query: glanceQuery,
    answer: page('ConnectionGlance', Glance),
    run: ({ services, connectionAuth, connectionHealth, caller, query }) =>
      pageOfGlances(
        services.connectionGlances,
        async (placed) => {
          const states = await connectionAuth.states(
            caller,
            placed.map(({ glance }) => glance.id),
          );
          return placed.map(({ glance, position }) => {
            const { expiresAt = null, ...state } = states.get(glance.id) ?? {};
            const breaker = connectionHealth?.breakerOf(glance.id) ?? ('closed' as const);
            const item = {
              ...glance,
              // Only this process knows that calls are being tried again.
              status: glance.status === 'active' && breaker === 'half-open' ? 'degraded' : glance.status,
              usedBy: [...glance.usedBy],
              breaker,
              auth: 'kind' in state ? { ...state, expiresAt: iso(expiresAt) } : null,
            };
            return { item, position };
          });
        },
        { caller, query },
      ),
  }),
  defineRoute({
    method: 'POST',
    path: '/import',
    summary:
      'Make connections of the servers in the JSON of a client; with dryRun only tell what would happen',
    who: 'team',
    grants: ['COLLECTION_CONNECTIONS_CREATE', 'COLLECTION_CONNECTIONS_UPDATE'],
    grantsOf: ({ replace }) => [
      'COLLECTION_CONNECTIONS_CREATE',
      ...(replace ? ['COLLECTION_CONNECTIONS_UPDATE'] : []),
    ],
    body: ImportBody,
    answer: one('Import', z.object({ servers: z.array(ImportLine) })),
    async run({ services, store, caller, body: { replace, dryRun, allowPrivate, only, ...request } }) {
      const asked = { ...request, only, isReplacing: replace, isPrivateAllowed: allowPrivate };
      // A program starts on this machine, which somebody who finds an open browser must not bring about.
      const planned = await services.importServers(caller, { ...asked, isDry: true });
      if (!dryRun && planned.some(({ type }) => type === 'STDIO')) requireFresh(caller, store.now());
      const lines = dryRun ? planned : await services.importServers(caller, { ...asked, isDry: false });
      return { servers: lines.map(({ needs, ...line }) => ({ ...line, needs: [...needs] })) };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/:id/people',
    summary: 'Whose credentials there are for a connection, for owners and administrators',
    who: 'team',
    grants: ['COLLECTION_CONNECTIONS_GET'],
    answer: one('People', z.object({ people: z.array(Person), members: z.int() })),
    async run({ connectionAuth, identity, caller, params }) {
      const found = await connectionAuth.people(caller, params.id);
      const members = await identity.listMembers(caller.organizationId);
      const names = new Map(members.map(({ userId, name }) => [userId, name]));
      const people = found.flatMap(({ userId, expiresAt, updatedAt, ...rest }) => {
        const name = userId === null ? 'Everybody' : names.get(userId);
        if (name === undefined) return [];
        const times = { expiresAt: iso(expiresAt), updatedAt: new Date(updatedAt).toISOString() };
        return [{ ...rest, userId, name, ...times }];
      });
      return { people, members: members.length };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/:id/log',
    summary:
      'The last that the program of a connection wrote to its standard error, in the process that answers',
    who: 'team',
    grants: ['COLLECTION_CONNECTIONS_GET'],
    answer: one('ProgramLog', z.object({ text: z.string() })),
    async run({ services, connectionHealth, caller, params }) {
      await existing(services, caller, params.id);
      // What a program writes is for those who may start one.
      if (!actsAsAdministrator(caller))
        throw new ToolError('forbidden', 'Only owners and administrators see this. Ask one of them.');
      return { text: connectionHealth?.programWords(params.id) ?? '' };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/:id/reset',
    summary: 'Let calls through again that fail at once after too many failures, in the process that answers',
    who: 'team',
    grants: ['COLLECTION_CONNECTIONS_UPDATE'],
    effect: 'update',
    answer: nothing,
    async run({ services, connectionHealth, caller, params }) {
      await existing(services, caller, params.id);
      connectionHealth?.resetBreaker(params.id);
    },
  }),
];

async function existing(
  { connections }: { connections: { exists(organizationId: string, id: string): Promise<boolean> } },
  { organizationId }: { readonly organizationId: string },
  id: string,
): Promise<void> {
  if (!(await connections.exists(organizationId, id)))
    throw new ToolError('not_found', 'Connection not found');
}
