/** Tools on virtual MCPs. */
import { VirtualMcp, VirtualMcpCreate, VirtualMcpUpdate } from '@parley/connections';
import { collectionTools } from '@parley/kit';
import type { MeshServices } from '../services/index.ts';

const tools = collectionTools<MeshServices>()({
  name: 'VIRTUAL_MCP',
  one: 'Virtual MCP',
  many: 'Virtual MCPs',
  entity: VirtualMcp,
  create: VirtualMcpCreate,
  update: VirtualMcpUpdate,
  of: ({ virtualMcps }) => virtualMcps,
});

export const virtualMcpList = tools.list;
export const virtualMcpGet = tools.get;
export const virtualMcpCreate = tools.create;
export const virtualMcpUpdate = tools.update;
export const virtualMcpDelete = {
  ...tools.delete,
  errors: { connection_in_use: 'Another virtual MCP or connection uses it; data names them.' },
};
