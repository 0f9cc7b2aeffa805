/** Connections: the rows that the mesh and the gateway share. */
export { CLIENT_KINDS, entriesIn, MOST_ENTRIES } from './client-files/entries.ts';
export type { ClientEntry, ClientKind } from './client-files/entries.ts';
export { parseJsonWithComments } from './client-files/json-with-comments.ts';
export { wantedOf } from './client-files/plan.ts';
export { inputsIn } from './client-files/variables.ts';
export type { ClientValues } from './client-files/variables.ts';
export { connectionData } from './client-files/wanted.ts';
export type { Wanted } from './client-files/wanted.ts';
export { connectionMigrations } from './migrations/index.ts';
export { hasHiddenText, UNSEEN_IN_RESULTS, visibleText, visibleValue } from './definitions/hidden-text.ts';
export {
  definitionHash,
  documentHash,
  isDocumentOf,
  isRequestOf,
  UI_SCHEME,
  uiUriOf,
  valueDigest,
} from './definitions/hash.ts';
export { pinningOf } from './definitions/modes.ts';
export { createRefresher } from './refresh/refresher.ts';
export type { Refresher, RefresherOptions } from './refresh/refresher.ts';
export { maskedState, restoredState } from './secrets/masking.ts';
export { TailFinder, Tails, withMasks } from './secrets/found-texts.ts';
export type { Span, TextSearch } from './secrets/found-texts.ts';
export { searchFor } from './secrets/known-secrets.ts';
export type { CatalogKind, ConnectionTables, HeldReason } from './schema.ts';
export { seedSelfConnection, selfConnectionId } from './self-connection.ts';
export { CONNECTIONS_CHANGED } from './services/base.ts';
export type { CheckCode } from './services/base.ts';
export { Binding } from './services/bindings.ts';
export { askConnection, askWithNewCredentials, targetOf } from './services/ask-upstream.ts';
export type { ConfigurationOutcome } from './services/ask-upstream.ts';
export type { FromMachine } from './services/change-connection.ts';
export { createConnections } from './services/connections.ts';
export type { Connections } from './services/connections.ts';
export { createDefinitions } from './services/definitions.ts';
export type { Approval, Definitions, ToolDefinition } from './services/definitions.ts';
export { createDeliver } from './services/deliver-events.ts';
export type { DeliverParts } from './services/deliver-events.ts';
export { allowAddress } from './services/private-address.ts';
export { servedConnections } from './services/served-connections.ts';
export { connectionStates, servedStatus, statusOf } from './services/status.ts';
export type { ConnectionState } from './services/status.ts';
export type { TestOutcome } from './services/test-connection.ts';
export type {
  AuthBrowser,
  AuthorizationOffer,
  Authorized,
  ConnectionAuth,
  PersonAuth,
} from './connection-auth.ts';
export type { ClientAuthMethod, ConnectionRow, DownstreamTokenRow } from './schema.ts';
export { openConnection } from './secrets/vault.ts';
export type { ConnectionSecrets } from './secrets/vault.ts';
export { isUsable, RENEW_BEFORE_MS, tokenState } from './services/auth-state.ts';
export type { AuthState } from './services/auth-state.ts';
export { keepTrail, trailOf } from './services/auth-trails.ts';
export type { AuthStep, AuthStepName } from './services/auth-trails.ts';
export { grantTypeOf, openedTarget, sealedCredentials, signsInItself } from './services/credentials.ts';
export type { KnownReach, SealedCredentials } from './services/credentials.ts';
export { beginFlow, keepClient, registeredClient, takeFlow } from './services/oauth-rows.ts';
export type { FlowPlace, OAuthClient } from './services/oauth-rows.ts';
export { dropPersonalToken, keepPersonalToken, personalRowOf } from './services/personal-tokens.ts';
export { refusedProgram } from './services/allowed-commands.ts';
export { believedEra, rememberEra } from './services/known-era.ts';
export type { FoundEra } from './services/known-era.ts';
export { actsAsAdministrator, mayUse } from './services/rights.ts';
export { findRow, usedRows } from './services/rows.ts';
export { callBackGrants, callBackGrantsOf } from './services/call-back-grants.ts';
export { keepRenewal, leaseToken, ownerOfRow, placeToken } from './services/token-renewal.ts';
export type { Renewal } from './services/token-renewal.ts';
export {
  connectionsWithTokens,
  dropToken,
  hasTokens,
  keepToken,
  openedToken,
  saveToken,
  storedTokens,
  tokenPlace,
  tokenRowOf,
  TOKENS_CHANGED,
} from './services/tokens.ts';
export type { NewToken, TokenOwner } from './services/tokens.ts';
export type { OAuthConfig } from './shapes/connection-data.ts';
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
export { toolOrigins } from './services/virtual-origins.ts';
export type { ToolOrigin } from './services/virtual-origins.ts';
export { createVirtualTools } from './services/virtual-tools.ts';
export type { VirtualTools } from './services/virtual-tools.ts';
export { ConnectionCreate, ConnectionUpdate } from './shapes/connection-data.ts';
export { Connection } from './shapes/connection.ts';
export { GATEWAY_DEFAULTS, GatewaySettings, gatewaySettingsOf } from './shapes/gateway-settings.ts';
export type { Degraded, ServedConnection, ServedStatus, ServedSkill, ServedTool } from './served.ts';
export { stricterHints } from './shapes/tool-override.ts';
export type { ToolOverride } from './shapes/tool-override.ts';
export { VirtualMcp, VirtualMcpCreate, VirtualMcpUpdate } from './shapes/virtual-mcp.ts';
export { ToolName, VirtualTool, VirtualToolCreate, VirtualToolUpdate } from './shapes/virtual-tool.ts';
export type {
  CallFailure,
  CallLimits,
  Definition,
  Discovered,
  Discovery,
  Dropped,
  ServerSeen,
  Upstream,
  UpstreamAnswer,
  UpstreamFailure,
  UpstreamProgram,
  UpstreamStatus,
  UpstreamTarget,
  UpstreamTool,
} from './upstream.ts';
export { briefConnections } from './services/brief.ts';
export { createConnectionGlances } from './services/overview.ts';
export type {
  ConnectionGlance,
  ConnectionGlances,
  GlancePosition,
  PlacedGlance,
} from './services/overview.ts';
export { countVirtualMcps, memberGlances, virtualGlances } from './services/virtual-glances.ts';
export type { MemberGlance, VirtualGlance } from './services/virtual-glances.ts';
export { createImportServers } from './services/import-servers.ts';
export type { ImportLine, ImportServers } from './services/import-servers.ts';
export { allowedHosts } from './services/private-address.ts';
