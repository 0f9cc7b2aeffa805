/** Routes of virtual MCPs: all of them at a glance, what one shows under which name and what it leaves out, and trying a tool in code. */
import { randomUUID } from 'node:crypto';
import { memberGlances, VirtualToolCreate } from '@parley/connections';
import { one, page } from '@parley/http/rest';
import { requestInfo, ToolError } from '@parley/kit';
import * as z from 'zod';
import { defineRoute } from './route.ts';
import { pageOfVirtualMcps, virtualQuery } from './virtual-mcp-pages.ts';

const Glance = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  status: z.enum(['active', 'inactive', 'error']),
  members: z.array(z.object({ id: z.string(), title: z.string() })),
  ownTools: z.int().describe('Tools in code'),
  tools: z.int().describe('All that it shows, as far as its members were read'),
  collisions: z.int(),
  notes: z.array(z.string()),
  updatedAt: z.string(),
});

const ShownTool = z.object({
  name: z.string(),
  title: z.string(),
  connection: z
    .object({ id: z.string(), title: z.string() })
    .nullable()
    .describe('null: it is a tool in code of the virtual MCP'),
  upstreamName: z.string(),
  effect: z.enum(['read', 'create', 'update', 'delete', 'run']),
  tokens: z.int().nullable().describe('null: you do not have it'),
});

const MemberTool = z.object({
  name: z.string(),
  title: z.string().nullable(),
  description: z.string().nullable(),
  tokens: z.int(),
  isSelected: z.boolean(),
  isHeld: z.boolean().describe('It waits for approval'),
  hasOverride: z.boolean(),
});

const Member = z.object({
  connectionId: z.string(),
  title: z.string(),
  type: z.enum(['HTTP', 'SSE', 'Websocket', 'STDIO', 'OPENAPI', 'VIRTUAL']),
  isSelf: z.boolean(),
  status: z.enum(['active', 'degraded', 'error', 'inactive', 'needs_reauth']),
  reason: z.string().nullable(),
  alias: z.string(),
  tools: z.array(MemberTool).nullable().describe('null: this server serves it itself, or it was never read'),
});

const Described = z.object({
  shown: z.array(ShownTool),
  members: z.array(Member),
  modes: z.array(
    z.object({
      mode: z.enum(['passthrough', 'smart_tool_selection', 'code_execution']),
      tools: z.int(),
      tokens: z.int(),
    }),
  ),
  notes: z.array(z.string()),
});

const { code, inputSchema, outputSchema, connection_dependencies } = VirtualToolCreate.shape;

const Draft = z.strictObject({
  code,
  inputSchema,
  outputSchema,
  connection_dependencies,
  arguments: z.record(z.string(), z.unknown()).default({}),
});

const Tried = z.object({
  returnValue: z.unknown().optional(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  consoleLogs: z.array(z.object({ type: z.enum(['log', 'warn', 'error']), content: z.string() })),
  durationMs: z.int(),
});

/** A run ends by itself after 30 s; a thread may have to be waited for. */
const TRIAL_MS = 60_000;

export const virtualMcpRoutes = [
  defineRoute({
    method: 'GET',
    path: '/',
    summary: 'Virtual MCPs at a glance, by their titles',
    who: 'team',
    grants: ['COLLECTION_VIRTUAL_MCP_LIST'],
    query: virtualQuery,
    answer: page('VirtualMcpGlance', Glance),
    async run({ store, services, caller, query }) {
      const self = () => services.ownNames(caller);
      const { items, ...rest } = await pageOfVirtualMcps(store, caller, query, self);
      return {
        ...rest,
        items: items.map((item) => ({ ...item, members: [...item.members], notes: [...item.notes] })),
      };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/:id/tools',
    summary:
      'What a virtual MCP shows under which name, what its members have besides, and what each mode costs',
    who: 'team',
    grants: ['COLLECTION_VIRTUAL_MCP_GET'],
    answer: one('DescribedVirtualMcp', Described),
    async run({ store, virtualMcps, caller, params }) {
      const members = await memberGlances(store, caller, params.id);
      const described = await virtualMcps?.describe(caller, params.id);
      return {
        shown: [...(described?.tools ?? [])],
        members: members.map((member) => ({ ...member, tools: member.tools && [...member.tools] })),
        modes: [...(described?.modes ?? [])],
        notes: [...(described?.notes ?? [])],
      };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/:id/try',
    summary: 'Run a tool in code that is not stored yet, with what the stored one would reach',
    who: 'team',
    grants: ['COLLECTION_VIRTUAL_TOOLS_CREATE', 'CODE_EXECUTION_RUN_CODE'],
    effect: 'run',
    body: Draft,
    answer: one('TriedTool', Tried),
    async run({ virtualMcps, caller, params, body }) {
      const startedMs = performance.now();
      const outcome = await virtualMcps?.tryTool(
        {
          caller,
          request: requestInfo({ id: randomUUID(), era: 'local', client: null }),
          signal: AbortSignal.timeout(TRIAL_MS),
        },
        params.id,
        {
          code: body.code,
          inputSchema: body.inputSchema,
          outputSchema: body.outputSchema ?? null,
          arguments: body.arguments,
          dependencies: body.connection_dependencies ?? [],
        },
      );
      if (outcome === undefined) throw new ToolError('not_found', 'Virtual MCP not found');
      const { returnValue, error, consoleLogs } = outcome;
      return {
        ...(returnValue !== undefined && { returnValue }),
        error: error === undefined ? null : { code: error.code, message: error.message },
        consoleLogs: [...consoleLogs],
        durationMs: Math.round(performance.now() - startedMs),
      };
    },
  }),
];
