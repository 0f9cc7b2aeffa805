/** The tables of connections, as queries see them. */

export type ConnectionType = 'HTTP' | 'SSE' | 'Websocket' | 'STDIO' | 'VIRTUAL';
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
  created_at: number;
  updated_at: number;
  created_by: string;
  updated_by: string | null;
}

/** The last complete answer of an upstream. */
export interface ConnectionCatalogRow {
  connection_id: string;
  organization_id: string;
  kind: 'tools' | 'resources' | 'templates' | 'prompts';
  body: string;
  hash: string;
  fetched_at: number;
  last_error: string | null;
}

/** A definition that somebody agreed to, or that waits for it. */
export interface ToolPinRow {
  connection_id: string;
  organization_id: string;
  tool_name: string;
  definition_hash: string;
  definition: string;
  state: 'approved' | 'changed' | 'new' | 'removed';
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
  created_at: number;
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

export interface ConnectionTables {
  connections: ConnectionRow;
  connection_catalogs: ConnectionCatalogRow;
  tool_pins: ToolPinRow;
  connection_aggregations: ConnectionAggregationRow;
  exposed_names: ExposedNameRow;
  virtual_tools: VirtualToolRow;
  downstream_tokens: DownstreamTokenRow;
  kept_results: KeptResultRow;
}
