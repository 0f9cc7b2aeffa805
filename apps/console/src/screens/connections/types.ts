/** Owns the shapes of connections as their routes and tools answer them. */

/** What a connection leads to. */
export type ConnectionType = 'HTTP' | 'SSE' | 'Websocket' | 'STDIO' | 'OPENAPI' | 'VIRTUAL';

export type Health = 'active' | 'degraded' | 'error' | 'inactive' | 'needs_reauth';

/** How the person stands with the server of a connection. */
export interface AuthState {
  readonly kind: 'none' | 'personal_token' | 'oauth';
  readonly state: 'ok' | 'expiring' | 'needs_reauth' | 'never';
  readonly isShared: boolean;
  readonly expiresAt: string | null;
  readonly scope: string | null;
}

/** One step of an authorization. */
export interface AuthStep {
  readonly step: 'asked' | 'metadata' | 'server' | 'client' | 'sent' | 'returned' | 'token' | 'catalog';
  readonly state: 'done' | 'waiting' | 'failed';
  readonly text: string;
  readonly at: string;
}

/** A connection at a glance: `GET /api/connections`. */
export interface ConnectionGlance {
  readonly id: string;
  readonly title: string;
  readonly description: string | null;
  readonly icon: string | null;
  readonly type: ConnectionType;
  readonly place: string | null;
  readonly isSelf: boolean;
  readonly status: Health;
  readonly reason: string | null;
  readonly since: string | null;
  readonly failedWith: string | null;
  readonly breaker: 'closed' | 'open' | 'half-open';
  readonly fetchedAt: string | null;
  readonly pinning: Pinning;
  readonly tools: number;
  readonly held: number;
  readonly tokens: number;
  readonly auth: AuthState | null;
  readonly usedBy: readonly { readonly id: string; readonly title: string }[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type Pinning = 'off' | 'flag' | 'strict';

/** How the gateway treats a connection: `metadata.gateway`. */
export interface GatewaySettings {
  readonly pinning?: Pinning;
  readonly callTimeoutMs?: number;
  readonly maxResultBytes?: number;
  readonly resultBudget?: number | null;
  readonly allowPlain?: boolean;
  readonly allowPrivate?: boolean;
  readonly personalToken?: { readonly header: string; readonly template: string };
  readonly mappedHeader?: { readonly from: string; readonly to: string };
  readonly oauth?: 'personal' | 'shared';
  readonly callbackToken?: boolean;
  readonly openapiServer?: string;
  readonly taskAfterMs?: number;
}

/** How a server is spoken to; values that are secret are `[secret]`. */
export interface UpstreamSettings {
  readonly headers?: Readonly<Record<string, string>>;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly envVars?: Readonly<Record<string, string>>;
}

/** A connection in full: COLLECTION_CONNECTIONS_GET. */
export interface Connection {
  readonly id: string;
  readonly title: string;
  readonly description: string | null;
  readonly connection_type: ConnectionType;
  readonly connection_url: string | null;
  readonly has_connection_token: boolean;
  readonly connection_headers: UpstreamSettings | null;
  readonly oauth_config: Readonly<Record<string, unknown>> | null;
  readonly configuration_state?: Readonly<Record<string, unknown>> | null;
  readonly metadata: (Readonly<Record<string, unknown>> & { readonly gateway?: GatewaySettings }) | null;
  readonly status: 'active' | 'inactive' | 'error';
  readonly created_at: string;
  readonly updated_at: string;
}

/** A tool as its server defines it. */
export interface UpstreamTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** A tool with what somebody agreed to. */
export interface Definition {
  readonly tool: string;
  readonly state: 'approved' | 'new' | 'changed' | 'held' | 'removed';
  readonly reason: 'new' | 'changed' | 'probable_rename' | 'hidden_text' | null;
  readonly hash: string;
  readonly definition: UpstreamTool;
  readonly approved: {
    readonly hash: string;
    readonly by: string | null;
    readonly at: string | null;
    readonly definition: UpstreamTool | null;
  } | null;
  readonly renamedFrom: string | null;
  readonly diff: readonly {
    readonly field: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
}

/** `GET /api/connections/:id/definitions`. */
export interface Definitions {
  readonly definitions: readonly Definition[];
  readonly leftOut: readonly {
    readonly kind: string;
    readonly name: string | null;
    readonly reason: string;
  }[];
}

/** What a test of a connection said. */
export interface TestOutcome {
  readonly id: string;
  readonly healthy: boolean;
  readonly latencyMs: number;
  readonly status: string;
  readonly message?: string;
}

/** What became of a server of a client's JSON, or would. */
export interface ImportLine {
  readonly name: string;
  readonly outcome:
    | 'added'
    | 'replaced'
    | 'would_add'
    | 'would_replace'
    | 'needs_values'
    | 'skipped'
    | 'failed';
  readonly type: string | null;
  readonly place: string | null;
  readonly needs: readonly {
    readonly name: string;
    readonly description: string;
    readonly isSecret: boolean;
    readonly fallback: string | null;
  }[];
  readonly id: string | null;
  readonly tools: number | null;
  readonly reason: string | null;
}
