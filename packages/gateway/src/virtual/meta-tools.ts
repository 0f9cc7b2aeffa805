/** The tools that stand for all others of a virtual MCP: finding them, reading what they take, calling one, running code over them. */
import type { AnyTool, Caller, OutsideTool } from '@parley/kit';
import { defineOutsideTool, defineTool, ToolError } from '@parley/kit';
import * as z from 'zod';
import { isObject } from '../messages.ts';
import type { CodeExecution } from '../sandbox/code-execution.ts';
import type { CodeTool } from '../sandbox/tool-universe.ts';
import type { Mode } from './modes.ts';

export const CALL_TOOL = 'GATEWAY_CALL_TOOL';

const schema = z.record(z.string(), z.unknown());
const found = z.object({ name: z.string(), description: z.string().optional(), connection: z.string() });

function listed({ name, description, connection }: CodeTool): z.infer<typeof found> {
  return { name, ...(description !== '' && { description }), connection };
}

/** What the meta tools stand on. */
export interface MetaParts {
  readonly code: Pick<CodeExecution, 'search' | 'describe' | 'run'>;
  /** True for whoever has one of the tools at least. */
  heldBy(caller: Caller): boolean;
}

/** The meta tools of a mode; none where every tool is shown itself. */
export function metaTools(mode: Mode, { code, heldBy }: MetaParts): (AnyTool | OutsideTool)[] {
  if (mode === 'passthrough') return [];
  const finding = [searchTools(code), describeTools(code)];
  if (mode === 'code_execution') return [...finding, runCode(code)].map((tool) => ({ ...tool, heldBy }));
  return [...finding.map((tool) => ({ ...tool, heldBy })), { ...callTool, heldBy }];
}

function searchTools(code: MetaParts['code']): AnyTool {
  return defineTool({
    name: 'GATEWAY_SEARCH_TOOLS',
    title: 'Search Tools',
    description: 'Finds tools by words, best match first.',
    effect: 'read',
    input: z.object({
      query: z.string().max(500).describe('Words of the name or description; empty lists the first by name'),
      limit: z.int().min(1).max(100).default(10),
    }),
    output: z.object({ query: z.string(), results: z.array(found), totalAvailable: z.int() }),
    run: async ({ query, limit }, { caller }) => {
      const { found: tools, total } = await code.search(caller, query, limit);
      return { query, results: tools.map(listed), totalAvailable: total };
    },
  });
}

function describeTools(code: MetaParts['code']): AnyTool {
  return defineTool({
    name: 'GATEWAY_DESCRIBE_TOOLS',
    title: 'Describe Tools',
    description: 'What tools take and return.',
    effect: 'read',
    input: z.object({
      tools: z.array(z.string().max(200)).min(1).max(50).describe('Names from the search'),
    }),
    output: z.object({
      tools: z.array(
        found.extend({
          inputSchema: schema,
          outputSchema: schema.optional(),
          annotations: schema.optional(),
        }),
      ),
      notFound: z.array(z.string()),
    }),
    run: async ({ tools }, { caller }) => {
      const { found: known, notFound } = await code.describe(caller, tools);
      const described = known.map((tool) => {
        const { inputSchema, outputSchema, annotations } = tool;
        return {
          ...listed(tool),
          inputSchema,
          ...(outputSchema && { outputSchema }),
          ...(annotations && { annotations }),
        };
      });
      return { tools: described, notFound: [...notFound] };
    },
  });
}

function runCode(code: MetaParts['code']): AnyTool {
  return defineTool({
    name: 'GATEWAY_RUN_CODE',
    title: 'Run Code',
    description:
      'Runs an ES module in a sandbox: export default async (tools) => { ... }. Call tools with await tools.NAME({ ... }); they are yours and recorded one by one. No imports, network or timers. A failure of the code is in error.',
    effect: 'run',
    external: true,
    input: z.object({
      code: z
        .string()
        .min(1)
        .max(100_000)
        .describe('The module; its default export is called with the tools'),
      timeoutMs: z.int().min(100).max(60_000).default(3000),
    }),
    output: z.object({
      returnValue: z.unknown().optional(),
      error: z.object({ code: z.string(), message: z.string() }).optional(),
      consoleLogs: z.array(z.object({ type: z.enum(['log', 'warn', 'error']), content: z.string() })),
    }),
    run: async (input, { caller, request, signal }) => {
      const { returnValue, error, consoleLogs } = await code.run(caller, input, { request, signal });
      return {
        ...(returnValue !== undefined && { returnValue }),
        ...(error !== undefined && { error: { code: error.code, message: error.message } }),
        consoleLogs: [...consoleLogs],
      };
    },
  });
}

/** Only listed: the engine calls the tool that is named in its place, so that hints and records are those of that tool. */
const callTool: OutsideTool = defineOutsideTool({
  name: CALL_TOOL,
  title: 'Call a Tool',
  description: 'Calls a tool that the search has found, and returns its result.',
  effect: 'run',
  external: true,
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 200, description: 'From the search' },
      arguments: { type: 'object', description: 'As the description of the tool says', default: {} },
    },
    required: ['name'],
    additionalProperties: false,
  },
  call() {
    throw new ToolError('invalid', 'Name one tool, with its arguments as an object.');
  },
});

/** The tool that a call of the meta tool means; undefined: it is not well-formed, and the schema says why. */
export function targetOf(
  args: unknown,
): { readonly name: string; readonly args: Record<string, unknown> } | undefined {
  if (!isObject(args)) return undefined;
  const { name, arguments: given = {}, ...rest } = args;
  if (typeof name !== 'string' || name === '' || name.length > 200) return undefined;
  return Object.keys(rest).length > 0 || !isObject(given) ? undefined : { name, args: given };
}
