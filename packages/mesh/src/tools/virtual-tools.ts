/** Tools on virtual tools, which are written in code and belong to a virtual MCP. */
import { ToolName, VirtualTool, VirtualToolCreate, VirtualToolUpdate } from '@parley/connections';
import * as z from 'zod';
import { defineTool } from './define-tool.ts';
import { Id } from './fields.ts';

const place = { virtual_mcp_id: Id, name: ToolName.describe('Name of the tool') };

export const virtualToolList = defineTool({
  name: 'COLLECTION_VIRTUAL_TOOLS_LIST',
  title: 'List Virtual Tools',
  description: 'Lists the tools that a virtual MCP has of its own.',
  effect: 'read',
  input: z.object({
    virtual_mcp_id: Id,
    limit: z.int().min(1).max(1000).default(100),
    offset: z.int().min(0).default(0),
  }),
  output: z.object({ items: z.array(VirtualTool), totalCount: z.int(), hasMore: z.boolean() }),
  async run(query, { caller, services }) {
    const { items, totalCount } = await services.virtualTools.list(caller, query);
    return { items: [...items], totalCount, hasMore: query.offset + items.length < totalCount };
  },
});

export const virtualToolGet = defineTool({
  name: 'COLLECTION_VIRTUAL_TOOLS_GET',
  title: 'Get Virtual Tool',
  description: 'Gets one virtual tool; item is null when there is none.',
  effect: 'read',
  input: z.object(place),
  output: z.object({ item: VirtualTool.nullable() }),
  run: async (input, { caller, services }) => ({
    item: (await services.virtualTools.get(caller, input)) ?? null,
  }),
});

export const virtualToolCreate = defineTool({
  name: 'COLLECTION_VIRTUAL_TOOLS_CREATE',
  title: 'Create Virtual Tool',
  description: 'Writes a tool in code for a virtual MCP.',
  effect: 'create',
  input: z.object({ virtual_mcp_id: Id, data: VirtualToolCreate }),
  output: z.object({ item: VirtualTool }),
  run: async (input, { caller, services }) => ({
    item: await services.virtualTools.create(caller, input.virtual_mcp_id, input.data),
  }),
});

export const virtualToolUpdate = defineTool({
  name: 'COLLECTION_VIRTUAL_TOOLS_UPDATE',
  title: 'Update Virtual Tool',
  description: 'Changes or renames a virtual tool; absent fields stay as they are, null clears.',
  effect: 'update',
  input: z.object({ ...place, data: VirtualToolUpdate }),
  output: z.object({ item: VirtualTool }),
  async run({ data, ...tool }, ctx) {
    const item = await ctx.services.virtualTools.update(ctx.caller, tool, data);
    if (item === undefined) throw ctx.error('not_found', 'Virtual tool not found');
    return { item };
  },
});

export const virtualToolDelete = defineTool({
  name: 'COLLECTION_VIRTUAL_TOOLS_DELETE',
  title: 'Delete Virtual Tool',
  description: 'Deletes a virtual tool; deleted is false when there was none.',
  effect: 'delete',
  privileged: true,
  input: z.object(place),
  output: z.object({ name: z.string(), item: VirtualTool.nullable(), deleted: z.boolean() }),
  async run(input, { caller, services }) {
    const item = await services.virtualTools.delete(caller, input);
    return { name: input.name, item: item ?? null, deleted: item !== undefined };
  },
});
