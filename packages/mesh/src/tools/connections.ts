/** Tools on connections. */
import { Binding, Connection, ConnectionCreate, ConnectionUpdate } from '@parley/connections';
import { checkListQuery, listInput } from '@parley/kit';
import * as z from 'zod';
import { defineTool } from './define-tool.ts';
import { Id } from './fields.ts';

export const connectionList = defineTool({
  name: 'COLLECTION_CONNECTIONS_LIST',
  title: 'List Connections',
  description: 'Lists connections, filtered, ordered and paged.',
  effect: 'read',
  input: listInput.extend({
    binding: Binding.optional().describe(
      'LLM, ASSISTANTS, OBJECT_STORAGE or {TOOL: {inputSchema?, outputSchema?}}',
    ),
    include_virtual: z.boolean().default(false),
  }),
  output: z.object({ items: z.array(Connection), totalCount: z.int(), hasMore: z.boolean() }),
  async run(query, { caller, services: { connections } }) {
    checkListQuery(connections.fields, query);
    const { items, totalCount } = await connections.list(caller, query);
    return { items: [...items], totalCount, hasMore: query.offset + items.length < totalCount };
  },
});

export const connectionGet = defineTool({
  name: 'COLLECTION_CONNECTIONS_GET',
  title: 'Get Connection',
  description: 'Gets one connection; item is null when there is none.',
  effect: 'read',
  input: z.object({ id: Id }),
  output: z.object({ item: Connection.nullable() }),
  run: async (input, { caller, services }) => ({
    item: (await services.connections.get(caller, input.id)) ?? null,
  }),
});

export const connectionCreate = defineTool({
  name: 'COLLECTION_CONNECTIONS_CREATE',
  title: 'Create Connection',
  description: 'Makes a connection to an MCP server and asks it for its tools.',
  effect: 'create',
  input: z.object({ data: ConnectionCreate }),
  output: z.object({ item: Connection }),
  run: async ({ data }, { caller, services }) => ({ item: await services.connections.create(caller, data) }),
});

export const connectionUpdate = defineTool({
  name: 'COLLECTION_CONNECTIONS_UPDATE',
  title: 'Update Connection',
  description: 'Changes a connection; absent fields and [secret] stay as they are, null clears.',
  effect: 'update',
  input: z.object({ id: Id, data: ConnectionUpdate }),
  output: z.object({ item: Connection }),
  async run(input, ctx) {
    const changed = await ctx.services.connections.update(ctx.caller, input.id, input.data);
    if (changed === undefined) throw ctx.error('not_found', 'Connection not found');
    const { item, configuration } = changed;
    if (configuration !== undefined) ctx.addMeta({ configuration });
    return { item };
  },
});

export const connectionDelete = defineTool({
  name: 'COLLECTION_CONNECTIONS_DELETE',
  title: 'Delete Connection',
  description: 'Deletes a connection; deleted is false when there was none.',
  effect: 'delete',
  privileged: true,
  input: z.object({ id: Id, force: z.boolean().default(false).describe('Also take it out of virtual MCPs') }),
  output: z.object({ id: z.string(), item: Connection.nullable(), deleted: z.boolean() }),
  errors: { connection_in_use: 'Virtual MCPs or their tools use it; data.virtualMcps names them.' },
  async run(input, { caller, services }) {
    const item = await services.connections.delete(caller, input.id, input.force);
    return { id: input.id, item: item ?? null, deleted: item !== undefined };
  },
});

export const connectionTest = defineTool({
  name: 'CONNECTION_TEST',
  title: 'Test Connection',
  description: 'Connects as a call would and tells whether an MCP server answered.',
  effect: 'read',
  external: true,
  input: z.object({ id: Id }),
  output: z.object({
    id: z.string(),
    healthy: z.boolean(),
    latencyMs: z.int(),
    status: z.enum(['ok', 'unreachable', 'timeout', 'auth_required', 'invalid_protocol', 'disabled']),
    message: z.string().optional(),
  }),
  run: async (input, { caller, services }) => ({
    id: input.id,
    ...(await services.connections.test(caller, input.id)),
  }),
});
