/** A tool that comes from outside (an upstream, an OpenAPI document): its JSON Schemas are kept word for word. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Caller } from '../access/caller.ts';
import type { Context, JsonSchema } from './context.ts';
import { refuseOwnAnnotations } from './effects.ts';
import type { Effect, Hints } from './effects.ts';
import type { Privileged } from '../access/resolver.ts';

/** The literal `defineOutsideTool` takes. */
export interface OutsideToolSpec {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: Effect;
  readonly external?: boolean;
  readonly privileged?: Privileged;
  readonly unattended?: 'block';
  available?(services: unknown, caller: Caller): boolean;
  readonly hints?: Partial<Hints>;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  /** Gets the arguments after they passed `inputSchema`; answers with a finished tool result. */
  run(input: Record<string, unknown>, ctx: Context): Promise<CallToolResult> | CallToolResult;
}

/** A defined outside tool. */
export interface OutsideTool extends OutsideToolSpec {
  readonly kind: 'outside-tool';
}

/** Puts a foreign definition into the same catalog, under the same guard. */
export function defineOutsideTool(spec: OutsideToolSpec): OutsideTool {
  refuseOwnAnnotations(spec);
  return { ...spec, kind: 'outside-tool' };
}
