/** Owns the shapes of virtual MCPs as their routes and tools answer them. */
import type { Effect } from '../../api/types.ts';
import type { ConnectionType, Health } from '../connections/types.ts';

/** A virtual MCP at a glance: `GET /api/virtual-mcps`. */
export interface VirtualGlance {
  readonly id: string;
  readonly title: string;
  readonly description: string | null;
  readonly status: 'active' | 'inactive' | 'error';
  readonly members: readonly { readonly id: string; readonly title: string }[];
  readonly ownTools: number;
  readonly tools: number;
  readonly collisions: number;
  readonly notes: readonly string[];
  readonly updatedAt: string;
}

/** What is shown of a member's tool otherwise than its server says. */
export interface ToolOverride {
  readonly title?: string;
  readonly description?: string;
  readonly stricter?: Hint;
  readonly defaults?: Readonly<Record<string, unknown>>;
  readonly fixed?: Readonly<Record<string, unknown>>;
  readonly resultBudget?: number;
}

export type Hint = 'readOnlyHint' | 'destructiveHint' | 'idempotentHint' | 'openWorldHint';

/** A member as it is stored. */
export interface Member {
  readonly connection_id: string;
  /** Null: all, also those that come later. */
  readonly selected_tools: readonly string[] | null;
  readonly selected_resources: readonly string[] | null;
  readonly selected_prompts: readonly string[] | null;
  readonly prefix?: string;
  readonly overrides?: Readonly<Record<string, ToolOverride>>;
}

export interface Collision {
  readonly exposed_name: string;
  readonly connection_id: string;
  readonly upstream_name: string;
  readonly winner_connection_id: string;
}

/** A virtual MCP in full: COLLECTION_VIRTUAL_MCP_GET. */
export interface VirtualMcp {
  readonly id: string;
  readonly title: string;
  readonly description: string | null;
  readonly status: 'active' | 'inactive' | 'error';
  readonly metadata: { readonly instructions?: string | null } | null;
  readonly connections: readonly Member[];
  readonly collisions?: readonly Collision[];
  readonly notes?: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
}

/** A tool under the name that clients see. */
export interface ShownTool {
  readonly name: string;
  readonly title: string;
  readonly connection: { readonly id: string; readonly title: string } | null;
  readonly upstreamName: string;
  readonly effect: Effect;
  readonly tokens: number | null;
}

export interface MemberTool {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly tokens: number;
  readonly isSelected: boolean;
  readonly isHeld: boolean;
  readonly hasOverride: boolean;
}

export interface MemberGlance {
  readonly connectionId: string;
  readonly title: string;
  readonly type: ConnectionType;
  readonly isSelf: boolean;
  readonly status: Health;
  readonly reason: string | null;
  readonly alias: string;
  readonly tools: readonly MemberTool[] | null;
}

export type Mode = 'passthrough' | 'smart_tool_selection' | 'code_execution';

/** `GET /api/virtual-mcps/:id/tools`. */
export interface Described {
  readonly shown: readonly ShownTool[];
  readonly members: readonly MemberGlance[];
  readonly modes: readonly { readonly mode: Mode; readonly tools: number; readonly tokens: number }[];
  readonly notes: readonly string[];
}

/** A tool in code. */
export interface VirtualTool {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema: Readonly<Record<string, unknown>> | null;
  readonly annotations: Readonly<Record<string, unknown>>;
  readonly code: string;
  readonly connection_dependencies: readonly string[];
  readonly updated_at: string;
}

/** What came of a run of a tool that is not stored. */
export interface Tried {
  readonly returnValue?: unknown;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly consoleLogs: readonly { readonly type: 'log' | 'warn' | 'error'; readonly content: string }[];
  readonly durationMs: number;
}
