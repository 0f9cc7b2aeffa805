/** The gateway: traffic in, from the door to the record. Start reading at `gateway.ts`. */
export { refusalJson, writeJson, writeRefusal } from './http/answers.ts';
export { callParts } from './calls/call-parts.ts';
export { createGateway } from './gateway.ts';
export type { Gateway, GatewayOptions } from './gateway.ts';
export { createRequestRate } from './http/request-rate.ts';
export type { CountRequest } from './http/request-rate.ts';
export { DEFAULT_LIMITS } from './limits.ts';
export type { Limits } from './limits.ts';
export { gatewayMigrations } from './migrations/index.ts';
export { serveStdio } from './stdio/serve.ts';
export type { ProgramOptions } from './upstream/stdio/allowed-start.ts';
export { createConnectionAuth, createTargets } from './upstream/credentials/index.ts';
export type { CredentialParts, Targets } from './upstream/credentials/index.ts';
export { createLinks } from './upstream/links.ts';
export type { LinkOptions } from './upstream/links.ts';
export { createOpenApiLinks } from './upstream/openapi/openapi-links.ts';
export { createStdioLinks } from './upstream/stdio/stdio-links.ts';
export { Bridge } from './upstream/bridge.ts';
export type { BridgeParts, Opened } from './upstream/bridge.ts';
export { createConnectionGateway } from './upstream/connection-gateway.ts';
export type { ConnectionGateway, ConnectionGatewayOptions } from './upstream/connection-gateway.ts';
export type { GatewayHooks } from './upstream/hooks.ts';
export { UpstreamFault } from './upstream/link.ts';
export type {
  FaultKind,
  Link,
  LinkNotice,
  LinkRequest,
  Links,
  LinkWatch,
  ServerFacts,
} from './upstream/link.ts';
export type { ParkedElsewhere, ParkedOwner } from './upstream/parked.ts';
export { createSchemaChecks } from './upstream/schema-checks/checker.ts';
export type { SchemaChecks } from './upstream/schema-checks/checker.ts';
export type { ConnectionsSource } from './upstream/source.ts';
export { outsidePrompt, outsideResource, outsideTool, toolsetOf } from './upstream/toolset.ts';
export type { ToolsetParts } from './upstream/toolset.ts';
export { createUpstream } from './upstream/upstream.ts';
export type { UpstreamClient, UpstreamOptions } from './upstream/upstream.ts';
export { createCodeExecution } from './sandbox/code-execution.ts';
export type { CodeExecution } from './sandbox/code-execution.ts';
export { createSandbox } from './sandbox/sandbox.ts';
export type { Sandbox } from './sandbox/sandbox.ts';
export { engineUniverse } from './sandbox/tool-universe.ts';
export { createKeptResults } from './virtual/kept-results.ts';
export type { KeptResults } from './virtual/kept-results.ts';
export { createVirtualMcpEngines } from './virtual/registry.ts';
export type { VirtualMcpEngines } from './virtual/registry.ts';
