/** What the routes of connections ask of the process that serves them, which the program that serves the mesh brings. */
import type { Caller, Effect, JsonSchema, RequestInfo } from '@parley/kit';
import type { CodeOutcome } from './code.ts';

export interface ConnectionHealth {
  /** `open`: calls fail at once for a while, after too many failures; `half-open`: one call tries. */
  breakerOf(connectionId: string): 'closed' | 'open' | 'half-open';
  /** Lets the next call through. */
  resetBreaker(connectionId: string): void;
  /** The last that the program of a connection wrote to its standard error in this process, without secrets. */
  programWords(connectionId: string): string;
}

/** A tool that a virtual MCP shows. */
export interface ShownTool {
  readonly name: string;
  readonly title: string;
  readonly connection: { readonly id: string; readonly title: string } | null;
  readonly upstreamName: string;
  readonly effect: Effect;
  readonly tokens: number | null;
}

/** A virtual MCP as it is served. */
export interface ShownVirtualMcp {
  readonly isActive: boolean;
  readonly tools: readonly ShownTool[];
  readonly modes: readonly {
    readonly mode: 'passthrough' | 'smart_tool_selection' | 'code_execution';
    readonly tools: number;
    readonly tokens: number;
  }[];
  readonly notes: readonly string[];
}

/** A tool in code that is not stored yet. */
export interface DraftTool {
  readonly code: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema | null;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly dependencies: readonly string[];
}

export interface VirtualMcpDesk {
  /** Undefined: there is no such virtual MCP. */
  describe(caller: Caller, id: string): Promise<ShownVirtualMcp | undefined>;
  tryTool(
    call: { readonly caller: Caller; readonly request: RequestInfo; readonly signal: AbortSignal },
    id: string,
    draft: DraftTool,
  ): Promise<CodeOutcome | undefined>;
}
