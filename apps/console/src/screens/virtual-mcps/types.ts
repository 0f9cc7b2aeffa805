/** Owns the shapes of virtual MCPs as their routes and tools answer them. */
import type { DescribedVirtualMcp } from '../../api/schema.ts';

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
export type ShownTool = DescribedVirtualMcp['shown'][number];

/** A member with what it has. */
export type MemberGlance = DescribedVirtualMcp['members'][number];

export type MemberTool = NonNullable<MemberGlance['tools']>[number];

export type Mode = DescribedVirtualMcp['modes'][number]['mode'];

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
