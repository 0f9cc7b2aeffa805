/** Tools that a program gives to a session: tools of the kit, and values made by `tool()` of the Claude Agent SDK. */
import type { AnyTool, Effect, Hints, OutsideCall, OutsideTool, ToolAnswer } from '@parley/kit';
import { defineOutsideTool } from '@parley/kit';
import { agentResources } from '../resources.ts';
import { RIGHTS } from '../rights.ts';
import { AGENT_TOOLS } from '../tools/sets.ts';
import { shapeOf } from './zod-shape.ts';

/** Hints that may be left out, or be undefined. */
type SaidHints = { readonly [Hint in keyof Hints]?: boolean | undefined };

/** What `tool(name, description, shape, handler)` of the Claude Agent SDK returns. */
export interface SdkTool {
  readonly name: string;
  readonly description: string;
  /** Zod schemas by the names of the fields. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: (SaidHints & { readonly title?: string | undefined }) | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
  // oxlint-disable-next-line typescript/no-explicit-any -- each handler has the type of its own shape
  handler(args: any, extra: unknown): Promise<unknown>;
}

export type PluginTool = AnyTool | OutsideTool | SdkTool;

/** Checks the names, and makes tools of the kit of all; throws for a name that is taken. */
export function pluginToolsOf(given: readonly PluginTool[]): (AnyTool | OutsideTool)[] {
  // Grants, lists and what every agent holds go by name alone, so one name never stands for two things.
  const taken = new Set([...AGENT_TOOLS, ...agentResources].map(({ name }) => name).concat(RIGHTS));
  return given.map((tool) => {
    if (taken.has(tool.name))
      throw new Error(`The name "${tool.name}" is taken. Give the plugin tool a name of its own.`);
    taken.add(tool.name);
    if (!isOfKit(tool)) return outsideTool(tool);
    return { ...tool, callers: 'agents' };
  });
}

function isOfKit(tool: PluginTool): tool is AnyTool | OutsideTool {
  return 'kind' in tool && (tool.kind === 'tool' || tool.kind === 'outside-tool');
}

function outsideTool(tool: SdkTool): OutsideTool {
  const { name, description, annotations = {}, _meta } = tool;
  const { title = name, openWorldHint: external = true, ...hints } = annotations;
  const shape = shapeOf(tool.inputSchema, name);
  return defineOutsideTool({
    name,
    title,
    description,
    effect: effectOf(hints),
    external,
    hints: saidOf(hints),
    callers: 'agents',
    inputSchema: shape.json,
    ...(_meta !== undefined && { _meta }),
    check: shape.check,
    // The engine looks at every answer of a tool that is not its own.
    call: async (args, call) => (await tool.handler(args, extraOf(call))) as ToolAnswer,
  });
}

/** What handlers get besides their arguments, as far as it makes sense here. */
function extraOf({ signal, request }: OutsideCall) {
  return { signal, requestId: request.id };
}

/** The worst that the annotations allow; without them anything. */
function effectOf({ readOnlyHint, destructiveHint = true, idempotentHint = false }: SaidHints): Effect {
  if (readOnlyHint === true) return 'read';
  if (destructiveHint) return idempotentHint ? 'delete' : 'run';
  return idempotentHint ? 'update' : 'create';
}

/** The hints that were given, word for word. */
function saidOf({ readOnlyHint, destructiveHint, idempotentHint }: SaidHints): Partial<Hints> {
  return {
    ...(readOnlyHint !== undefined && { readOnlyHint }),
    ...(destructiveHint !== undefined && { destructiveHint }),
    ...(idempotentHint !== undefined && { idempotentHint }),
  };
}
