/** A tool of a member as a virtual MCP shows it: other words, a stricter hint, arguments that are given, a shorter answer. */
import type { ToolOverride } from '@parley/connections';
import { misfitOf, stricterHints } from '@parley/connections';
import type { AnyTool, JsonSchema, OutsideTool } from '@parley/kit';
import { isToolResult, ToolError } from '@parley/kit';
import { isObject } from '../messages.ts';
import type { FaultOf } from '../upstream/schema-checks/checker.ts';
import { uncheckedArguments } from '../upstream/schema-checks/unchecked.ts';
import { effectOf, isExternal } from './hints.ts';
import type { KeptResults } from './kept-results.ts';
import type { Place } from './holdings.ts';

/** Where a definition says that it is not as its server has it. */
export const OVERRIDE_META = 'parley/override';

type Applied<Tool> = { readonly tool: Tool } | { readonly misfit: string };
type Values = Readonly<Record<string, unknown>>;

/** What an override is applied with. */
export interface OverrideParts {
  readonly place: Place;
  readonly results: KeptResults;
  /** The check of values against a schema of somebody else. */
  faultsOf(schema: JsonSchema): FaultOf;
}

/** Applies an override; one that does not fit is applied in no part. */
export async function overridden(
  tool: AnyTool | OutsideTool,
  override: ToolOverride,
  { place, results, faultsOf }: OverrideParts,
): Promise<Applied<AnyTool | OutsideTool>> {
  if (tool.kind === 'tool') return ownOverridden(tool, override);
  const misfit = await misfitOf(override, tool.inputSchema);
  if (misfit !== undefined) return { misfit };
  const { title, description, stricter, defaults = {}, fixed = {}, resultBudget } = override;
  const words = { ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
  const inputSchema = schemaWith(tool.inputSchema, defaults, fixed);
  const meta = { ...metaOf(tool), [OVERRIDE_META]: { fields: Object.keys(override) } };
  const annotations = { ...annotationsOf(tool), ...(stricter && stricterHints(stricter)) };
  const { outputSchema, ...rest } = tool;
  const definition = tool.definition && definitionOf(tool.definition, resultBudget !== undefined);
  return {
    tool: {
      ...rest,
      ...words,
      inputSchema,
      // A shortened answer has no structure.
      ...(outputSchema !== undefined && resultBudget === undefined && { outputSchema }),
      ...(stricter !== undefined && {
        effect: effectOf(annotations),
        external: isExternal(annotations),
        hints: { ...tool.hints, ...stricterHints(stricter) },
      }),
      ...(definition === undefined
        ? { _meta: meta }
        : {
            definition: {
              ...definition,
              ...words,
              // An object schema before, and still one.
              inputSchema: inputSchema as NonNullable<OutsideTool['definition']>['inputSchema'],
              ...(stricter !== undefined && { annotations }),
              _meta: meta,
            },
          }),
      ...withArguments(tool, { ...override, faultOf: faultsOf(tool.inputSchema) }),
      call: async (args, call) => {
        const answer = await tool.call({ ...defaults, ...args, ...fixed }, call);
        const isWhole = resultBudget === undefined || call.request.isForCode === true;
        if (isWhole || !isToolResult(answer)) return answer;
        const from = { toolset: place.toolset, tool: tool.granted ?? tool.name };
        return results.within(call.caller, answer, resultBudget, from);
      },
    },
  };
}

function ownOverridden(tool: AnyTool, override: ToolOverride): Applied<AnyTool> {
  const { title, description, stricter, ...more } = override;
  if (Object.keys(more).length > 0)
    return { misfit: 'tools of this server take a title, a description and a stricter hint only' };
  return {
    tool: {
      ...tool,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(stricter !== undefined && { hints: { ...tool.hints, ...stricterHints(stricter) } }),
      _meta: { ...tool._meta, [OVERRIDE_META]: { fields: Object.keys(override) } },
    },
  };
}

function metaOf({ definition, _meta }: OutsideTool): Values {
  return definition?._meta ?? _meta ?? {};
}

function annotationsOf({ definition, effect, external }: OutsideTool): Values {
  if (definition !== undefined) return definition.annotations ?? {};
  const isRead = effect === 'read';
  return {
    readOnlyHint: isRead,
    destructiveHint: effect === 'delete' || effect === 'run',
    idempotentHint: isRead || effect === 'update' || effect === 'delete',
    openWorldHint: external ?? false,
  };
}

function definitionOf(definition: NonNullable<OutsideTool['definition']>, isShortened: boolean) {
  if (!isShortened) return definition;
  const { outputSchema: _outputSchema, ...rest } = definition;
  return rest;
}

/** Checks what the other server will get, which is more than the caller sends. */
function withArguments(
  tool: OutsideTool,
  { defaults = {}, fixed = {}, faultOf }: Pick<ToolOverride, 'defaults' | 'fixed'> & { faultOf: FaultOf },
): Pick<OutsideTool, 'check'> | undefined {
  if (Object.keys(defaults).length + Object.keys(fixed).length === 0) return undefined;
  return {
    async check(args, callerId) {
      if (typeof args !== 'object' || args === null || Array.isArray(args))
        throw new ToolError('invalid', 'The arguments must be an object.');
      const all = { ...defaults, ...args, ...fixed };
      if (tool.check !== undefined) return tool.check(all, callerId);
      const fault = await faultOf(all, callerId).catch((error: unknown) => {
        throw uncheckedArguments(error);
      });
      if (fault !== undefined) throw new ToolError('invalid', (await tool.faultsIn?.(all)) ?? fault);
      return all;
    },
  };
}

/** The schema without the fixed arguments, and with the defaults of others. */
function schemaWith(
  schema: OutsideTool['inputSchema'],
  defaults: Values,
  fixed: Values,
): OutsideTool['inputSchema'] {
  const given = new Set([...Object.keys(defaults), ...Object.keys(fixed)]);
  if (given.size === 0) return schema;
  const { properties, required, ...rest } = schema;
  const shown = Object.entries(isObject(properties) ? properties : {})
    .filter(([name]) => !Object.hasOwn(fixed, name))
    .map(([name, property]) => {
      const hasDefault = Object.hasOwn(defaults, name) && isObject(property);
      return [name, hasDefault ? { ...property, default: defaults[name] } : property] as const;
    });
  const left = Array.isArray(required) ? required.filter((name) => !given.has(String(name))) : [];
  return {
    ...rest,
    properties: Object.fromEntries(shown),
    ...(left.length > 0 && { required: left }),
  };
}
