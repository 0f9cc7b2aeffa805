/** The gateway: traffic in, from the door to the record. Start reading at `gateway.ts`. */
export { refusalJson, writeJson, writeRefusal } from './http/answers.ts';
export { callParts } from './calls/call-parts.ts';
export { sweepCallSteps } from './calls/call-steps.ts';
export { createGateway } from './gateway.ts';
export type { Gateway, GatewayFigures, GatewayOptions } from './gateway.ts';
export { isResourceMetadata } from './http/resource-metadata.ts';
export { createRequestRate } from './http/request-rate.ts';
export type { CountRequest } from './http/request-rate.ts';
export { plainErrorOf, statusOf } from './http/plain-status.ts';
export { cutByStop, signalOf } from './http/signal-of.ts';
export { DEFAULT_LIMITS } from './limits.ts';
export type { Limits } from './limits.ts';
export { gatewayMigrations } from './migrations/index.ts';
export { createReplicas } from './replicas/replicas.ts';
export type { Replicas } from './replicas/replicas.ts';
export { serveStdio } from './stdio/serve.ts';
export type { ProgramOptions } from './upstream/stdio/allowed-start.ts';
export { createLateConnectionAuth, createLateTargets } from './upstream/credentials/index.ts';
export type { CallCredentials, CredentialParts, Targets } from './upstream/credentials/index.ts';
export { createLateLinks } from './upstream/late-links.ts';
export type { LateLinkOptions } from './upstream/late-links.ts';
export { Approvals } from './upstream/approvals.ts';
export type { ApprovableCall, TakenApproval } from './upstream/approvals.ts';
export { Bridge } from './upstream/bridge.ts';
export type { BridgeParts, Opened } from './upstream/bridge.ts';
export { createConnectionGateway } from './upstream/connection-gateway.ts';
export type {
  ConnectionGateway,
  ConnectionGatewayOptions,
  Credentials,
} from './upstream/connection-gateway.ts';
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
export { uncheckedAnswer } from './upstream/schema-checks/unchecked.ts';
export type { SchemaChecks } from './upstream/schema-checks/checker.ts';
export type { ConnectionsSource } from './upstream/source.ts';
export { outsidePrompt, outsideResource, outsideTool, toolsetOf } from './upstream/toolset.ts';
export type { ToolsetParts } from './upstream/toolset.ts';
export { ownCalls } from './upstream/own-calls.ts';
export { createUpstream } from './upstream/upstream.ts';
export type { UpstreamClient, UpstreamOptions } from './upstream/upstream.ts';
export { createCodeExecution } from './sandbox/code-execution.ts';
export type { CodeExecution } from './sandbox/code-execution.ts';
export { createSandbox } from './sandbox/sandbox.ts';
export type { Sandbox } from './sandbox/sandbox.ts';
export { engineUniverse } from './sandbox/tool-universe.ts';
export { createKeptResults, sweepKeptResults } from './virtual/kept-results.ts';
export type { KeptResults } from './virtual/kept-results.ts';
export { createLateVirtualMcps } from './virtual/late.ts';
export { reachOf } from './virtual/reach.ts';
export type { VirtualReach } from './virtual/reach.ts';
export { createVirtualMcpEngines } from './virtual/registry.ts';
export type { VirtualMcpEngines } from './virtual/registry.ts';
export { MISSING_REASONS, whyMissing } from './why-missing.ts';
export type { Looking, Missing, Searched } from './why-missing.ts';
