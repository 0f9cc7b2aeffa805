/** The tables of connections, as queries see them. */
import type { UpstreamStatus } from './upstream.ts';

export type ConnectionType = 'HTTP' | 'SSE' | 'Websocket' | 'STDIO' | 'OPENAPI' | 'VIRTUAL';
export type ConnectionStatus = 'active' | 'inactive' | 'error';

/** A connection, or a virtual MCP, which can stand wherever a connection can. */
export interface ConnectionRow {
  id: string;
  organization_id: string;
  title: string;
  description: string | null;
  icon: string | null;
  app_name: string | null;
  app_id: string | null;
  connection_type: ConnectionType;
  /** With `[secret]` for what nobody may read back, like the two below. */
  connection_url: string | null;
  connection_headers: string | null;
  oauth_config: string | null;
  has_connection_token: 0 | 1;
  configuration_scopes: string | null;
  metadata: string | null;
  bindings: string | null;
  status: ConnectionStatus;
  /** What is known of the catalog, as entities show it. */
  catalog: string;
  is_virtual_mcp: 0 | 1;
  /** The virtual MCP behind a connection of the type VIRTUAL. */
  virtual_id: string | null;
  /** Sealed: everything that was given, without a mask. */
  secrets: string | null;
  /** Counts the changes after which the upstream has to be asked again. */
  revision: number;
  /** Hosts, `host:port`, that this one connection may reach besides what the guard allows; JSON. */
  egress_allow: string | null;
  created_at: number;
  updated_at: number;
  created_by: string;
  updated_by: string | null;
}

/** What is kept of an upstream: its lists, and under `server` what it says about itself. */
export type CatalogKind = 'tools' | 'resources' | 'templates' | 'prompts' | 'skills' | 'server' | 'era';

/** The last complete answer of an upstream. */
export interface ConnectionCatalogRow {
  connection_id: string;
  organization_id: string;
  kind: CatalogKind;
  body: string;
  hash: string;
  fetched_at: number;
  last_error: string | null;
}

/** When an upstream is asked again, who does it, and how the last time went. */
export interface ConnectionRefreshRow {
  connection_id: string;
  organization_id: string;
  due_at: number;
  /** Who asks now, until when. */
  lease_owner: string | null;
  lease_until: number | null;
  started_at: number | null;
  /** Counts the announcements of changes: how many there were, how many the running refresh and the last one cover. */
  wanted: number;
  started: number;
  done: number;
  /** In a row. */
  failures: number;
  failed_with: Exclude<UpstreamStatus, 'ok'> | null;
  failing_since: number | null;
  /** When a list without tools was first seen in the place of one with tools. */
  empty_since: number | null;
  /** Another one whenever a pin has changed. */
  pins_revision: number;
}

/** Why a definition waits for somebody to agree. */
export type HeldReason = 'new' | 'changed' | 'probable_rename' | 'hidden_text';

/** A definition that somebody agreed to, or that waits for it. */
export interface ToolPinRow {
  connection_id: string;
  organization_id: string;
  tool_name: string;
  /** Of the definition as it is now, like the definition beside it. */
  definition_hash: string;
  definition: string;
  state: 'approved' | 'changed' | 'new' | 'removed';
  reason: HeldReason | null;
  /** The tool that was there before, where this one looks like it. */
  renamed_from: string | null;
  /** What somebody agreed to last. */
  approved_hash: string | null;
  approved_definition: string | null;
  approved_by: string | null;
  approved_at: number | null;
}

/** A member of a virtual MCP: shown by it (`direct`), or needed by its own tools only (`indirect`). */
export interface ConnectionAggregationRow {
  id: string;
  organization_id: string;
  parent_id: string;
  child_id: string;
  selected_tools: string | null;
  selected_resources: string | null;
  selected_prompts: string | null;
  alias: string;
  position: number;
  dependency_mode: 'direct' | 'indirect';
  /** Stands before all its names. */
  prefix: string | null;
  /** What is shown otherwise than its server says, by the name of the tool. */
  overrides: string | null;
}

/** The name under which a virtual MCP shows something, fixed when it was first seen. */
export interface ExposedNameRow {
  virtual_mcp_id: string;
  organization_id: string;
  connection_id: string;
  kind: 'tools' | 'resources' | 'prompts';
  upstream_name: string;
  exposed_name: string;
}

/** A tool written in code. */
export interface VirtualToolRow {
  id: string;
  organization_id: string;
  virtual_mcp_id: string;
  name: string;
  description: string | null;
  input_schema: string;
  output_schema: string | null;
  hints: string | null;
  code: string;
  connection_dependencies: string;
  created_at: number;
  updated_at: number;
  created_by: string;
  updated_by: string | null;
}

/** What an upstream gave for one person, or for everybody (`user_id` empty). */
export interface DownstreamTokenRow {
  id: string;
  organization_id: string;
  connection_id: string;
  user_id: string;
  /** Sealed: access token, refresh token and client secret. */
  secrets: string;
  scope: string | null;
  expires_at: number | null;
  token_endpoint: string | null;
  client_id: string | null;
  needs_reauth: 0 | 1;
  /** Who gave it; null where only its endpoints are known. */
  issuer: string | null;
  /** What it is for: it goes to no server of another origin. Null: to whatever server the connection has. */
  resource: string | null;
  revocation_endpoint: string | null;
  auth_method: ClientAuthMethod | null;
  /** Who renews it, and until when others wait for that. */
  lease_owner: string | null;
  lease_until: number | null;
  /** Not before this time is it tried to renew it again, after so many failures. */
  retry_at: number | null;
  failures: number;
  /** Counts what was written to the row. */
  version: number;
  created_at: number;
  updated_at: number;
}

/** How a client proves to a token endpoint who it is. */
export type ClientAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post';

/** A token that somebody brought along. */
export interface PersonalTokenRow {
  connection_id: string;
  organization_id: string;
  user_id: string;
  /** Sealed. */
  secrets: string;
  updated_at: number;
}

/** What this server is registered as with the authorization server of a connection. */
export interface OAuthClientRow {
  connection_id: string;
  organization_id: string;
  issuer: string;
  redirect_uri: string;
  client_id: string;
  auth_method: ClientAuthMethod;
  /** Sealed: the client secret, where there is one. */
  secrets: string | null;
  expires_at: number | null;
  created_at: number;
}

/** An authorization that somebody has begun. */
export interface OAuthFlowRow {
  /** Of the `state` that comes back: whoever reads the table cannot finish the flow. */
  state_hash: string;
  connection_id: string;
  organization_id: string;
  /** Who began it. */
  user_id: string;
  /** Whom the token will be for; empty: everybody. */
  token_user_id: string;
  /** Sealed: everything that is needed to finish it. */
  secrets: string;
  expires_at: number;
  created_at: number;
}

/** How the last authorization of a connection by a person went, step by step. */
export interface AuthTrailRow {
  connection_id: string;
  organization_id: string;
  user_id: string;
  /** JSON. */
  steps: string;
  updated_at: number;
}

/** What was too long for an answer, for the caller who got it. */
export interface KeptResultRow {
  id: string;
  organization_id: string;
  caller_id: string;
  toolset: string;
  tool: string;
  /** In characters. */
  size: number;
  mime_type: string;
  /** Sealed. */
  body: string;
  created_at: number;
  expires_at: number;
}

/** An id that a deleted connection or virtual MCP had: grants may still name it, so nothing else gets it. */
export interface ConnectionIdUsedRow {
  organization_id: string;
  id: string;
  deleted_at: number;
}

export interface ConnectionTables {
  connections: ConnectionRow;
  connection_catalogs: ConnectionCatalogRow;
  connection_refreshes: ConnectionRefreshRow;
  tool_pins: ToolPinRow;
  connection_aggregations: ConnectionAggregationRow;
  exposed_names: ExposedNameRow;
  virtual_tools: VirtualToolRow;
  downstream_tokens: DownstreamTokenRow;
  personal_tokens: PersonalTokenRow;
  oauth_clients: OAuthClientRow;
  oauth_flows: OAuthFlowRow;
  oauth_trails: AuthTrailRow;
  kept_results: KeptResultRow;
  connection_ids_used: ConnectionIdUsedRow;
}
