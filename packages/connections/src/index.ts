/** Connections: the rows that the mesh and the gateway share. */
export { connectionMigrations } from './migrations/index.ts';
export { maskedState, restoredState } from './secrets/masking.ts';
export type { ConnectionTables } from './schema.ts';
export { seedSelfConnection, selfConnectionId } from './self-connection.ts';
export { CONNECTIONS_CHANGED } from './services/base.ts';
export type { CheckCode } from './services/base.ts';
export { Binding } from './services/bindings.ts';
export type { ConfigurationOutcome } from './services/ask-upstream.ts';
export { createConnections } from './services/connections.ts';
export type { Connections } from './services/connections.ts';
export { createDeliver } from './services/deliver-events.ts';
export type { DeliveryCall, DeliverParts } from './services/deliver-events.ts';
export type { TestOutcome } from './services/test-connection.ts';
export { saveToken } from './services/tokens.ts';
export type { NewToken, TokenOwner } from './services/tokens.ts';
export { slugOf } from './services/members.ts';
export { namesFor } from './services/exposed-names.ts';
export { settleNames } from './services/naming.ts';
export type { NamingMember } from './services/naming.ts';
export { misfitOf } from './services/override-fit.ts';
export { servedVirtualMcps } from './services/served-virtual.ts';
export type {
  ServedMember,
  ServedVirtualMcp,
  ServedVirtualMcps,
  ServedVirtualTool,
} from './services/served-virtual.ts';
export { uriSelection } from './services/uri-patterns.ts';
export { createVirtualMcps } from './services/virtual-mcps.ts';
export type { VirtualMcps } from './services/virtual-mcps.ts';
export { createVirtualTools } from './services/virtual-tools.ts';
export type { VirtualTools } from './services/virtual-tools.ts';
export { ConnectionCreate, ConnectionUpdate } from './shapes/connection-data.ts';
export { Connection } from './shapes/connection.ts';
export { GATEWAY_DEFAULTS, GatewaySettings } from './shapes/gateway-settings.ts';
export type { Degraded, ServedConnection, ServedTool } from './served.ts';
export { STRICTER } from './shapes/tool-override.ts';
export type { ToolOverride } from './shapes/tool-override.ts';
export { VirtualMcp, VirtualMcpCreate, VirtualMcpUpdate } from './shapes/virtual-mcp.ts';
export { ToolName, VirtualTool, VirtualToolCreate, VirtualToolUpdate } from './shapes/virtual-tool.ts';
export type {
  CallLimits,
  Upstream,
  UpstreamAnswer,
  UpstreamFailure,
  UpstreamProgram,
  UpstreamStatus,
  UpstreamTarget,
  UpstreamTool,
} from './upstream.ts';
export { briefConnections } from './services/brief.ts';
