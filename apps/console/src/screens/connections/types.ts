/** Owns the shapes of connections as their routes and tools answer them. */
import type { AuthStanding, ConnectionGlance, Definitions, Import } from '../../api/schema.ts';

/** What a connection leads to. */
export type ConnectionType = ConnectionGlance['type'];

export type Health = ConnectionGlance['status'];

/** How the person stands with the server of a connection. */
export type AuthState = NonNullable<ConnectionGlance['auth']>;

/** One step of an authorization. */
export type AuthStep = AuthStanding['steps'][number];

export type Pinning = ConnectionGlance['pinning'];

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

/** A tool with what somebody agreed to. */
export type Definition = Definitions['definitions'][number];

/** A tool as its server defines it. */
export type UpstreamTool = Definition['definition'];

/** What a test of a connection said. */
export interface TestOutcome {
  readonly id: string;
  readonly healthy: boolean;
  readonly latencyMs: number;
  readonly status: string;
  readonly message?: string;
}

/** What became of a server of a client's JSON, or would. */
export type ImportLine = Import['servers'][number];
