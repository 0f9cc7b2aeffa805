/** Every tool that the person may call, with all that a form for it needs. */
import { whole } from '@parley/http/rest';
import * as z from 'zod';
import { defineRoute } from '../scope.ts';
import { shownHints, tokensOf, toolsFor } from '../tool-list.ts';

const Schema = z.record(z.string(), z.unknown());

const Tool = z.object({
  endpoint: z.string().describe('What stands after /mcp/'),
  endpointTitle: z.string(),
  source: z.enum(['toolset', 'connection', 'virtual']),
  name: z.string(),
  title: z.string(),
  description: z.string(),
  effect: z.enum(['read', 'create', 'update', 'delete', 'run']),
  hints: z.record(z.string(), z.boolean()),
  tokens: z.int().describe('About what a model pays for knowing of it'),
  inputSchema: Schema,
  outputSchema: Schema.nullable(),
  task: z.enum(['allowed', 'required']).nullable(),
  isExternal: z.boolean(),
  isPrivileged: z.boolean(),
  app: z.string().optional().describe('The document that shows its results, where it has one'),
});

export const toolRoutes = [
  defineRoute({
    method: 'GET',
    path: '/tools',
    summary: 'Every tool that one may call: of toolsets, connections and virtual MCPs',
    who: 'person',
    isQuiet: true,
    query: z.strictObject({
      endpoint: z.string().max(200).optional().describe('Only those of this endpoint'),
    }),
    answer: whole('Tool', Tool),
    async run(scope) {
      const shown = await toolsFor(scope, scope.caller, scope.query.endpoint);
      return shown.map(({ endpoint, endpointTitle, source, tool }) => {
        const { definition } = tool;
        return {
          endpoint,
          endpointTitle,
          source,
          name: definition.name,
          title: definition.title ?? definition.name,
          description: definition.description ?? '',
          effect: tool.effect,
          hints: { ...shownHints(tool) },
          tokens: tokensOf(tool),
          inputSchema: { ...definition.inputSchema },
          outputSchema: definition.outputSchema === undefined ? null : { ...definition.outputSchema },
          task: tool.task ?? null,
          isExternal: tool.external,
          isPrivileged: tool.privileged !== undefined && tool.privileged !== false,
          ...appIn(definition._meta),
        };
      });
    },
  }),
];

/** The document of an MCP App, as the extension writes it. */
function appIn(meta: Readonly<Record<string, unknown>> | undefined): { app?: string } {
  const nested = meta?.['ui'];
  const inner =
    typeof nested === 'object' && nested !== null && 'resourceUri' in nested ? nested.resourceUri : undefined;
  const uri = inner ?? meta?.['ui/resourceUri'];
  return typeof uri === 'string' ? { app: uri } : {};
}
