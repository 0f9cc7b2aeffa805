/** Tools that find other tools and run code over them. */
import * as z from 'zod';
import type { CodeTool } from '../services/code.ts';
import { defineTool } from './define-tool.ts';

const schema = z.record(z.string(), z.unknown());
const found = z.object({ name: z.string(), description: z.string().optional(), connection: z.string() });

/** A tool in a list, without a description that says nothing. */
function listed({ name, description, connection }: CodeTool): z.infer<typeof found> {
  return { name, ...(description !== '' && { description }), connection };
}

export const codeSearchTools = defineTool({
  name: 'CODE_EXECUTION_SEARCH_TOOLS',
  title: 'Search Tools for Code',
  description: 'Finds tools that your code can call, best match first.',
  effect: 'read',
  input: z.object({
    query: z.string().max(500).describe('Words of the name or description; empty lists the first by name'),
    limit: z.int().min(1).max(100).default(10),
  }),
  output: z.object({ query: z.string(), results: z.array(found), totalAvailable: z.int() }),
  run: async ({ query, limit }, { services, caller }) => {
    const { found: tools, total } = await services.code.search(caller, query, limit);
    return { query, results: tools.map(listed), totalAvailable: total };
  },
});

export const codeDescribeTools = defineTool({
  name: 'CODE_EXECUTION_DESCRIBE_TOOLS',
  title: 'Describe Tools for Code',
  description: 'What tools take and return, for the code that calls them.',
  effect: 'read',
  input: z.object({
    tools: z.array(z.string().max(200)).min(1).max(50).describe('Names from the search'),
  }),
  output: z.object({
    tools: z.array(found.extend({ inputSchema: schema, outputSchema: schema.optional() })),
    notFound: z.array(z.string()),
  }),
  run: async ({ tools }, { services, caller }) => {
    const { found: known, notFound } = await services.code.describe(caller, tools);
    const described = known.map((tool) => {
      const { inputSchema, outputSchema } = tool;
      return { ...listed(tool), inputSchema, ...(outputSchema && { outputSchema }) };
    });
    return { tools: described, notFound: [...notFound] };
  },
});

export const codeRun = defineTool({
  name: 'CODE_EXECUTION_RUN_CODE',
  title: 'Run Code',
  description:
    'Runs an ES module in a sandbox: export default async (tools) => { ... }. Call tools with await tools.NAME({ ... }); they are yours and recorded one by one. No imports, network or timers. A failure of the code is in error.',
  effect: 'run',
  external: true,
  privileged: true,
  input: z.object({
    code: z.string().min(1).max(100_000).describe('The module; its default export is called with the tools'),
    timeoutMs: z.int().min(100).max(60_000).default(3000),
  }),
  output: z.object({
    returnValue: z.unknown().optional(),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
    consoleLogs: z.array(z.object({ type: z.enum(['log', 'warn', 'error']), content: z.string() })),
  }),
  run: async (input, { services, caller, request, signal }) => {
    const { returnValue, error, consoleLogs } = await services.code.run(caller, input, { request, signal });
    return {
      ...(returnValue !== undefined && { returnValue }),
      ...(error !== undefined && { error: { code: error.code, message: error.message } }),
      consoleLogs: [...consoleLogs],
    };
  },
});
