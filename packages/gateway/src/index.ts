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
export { createUpstream } from './upstream/upstream.ts';
export type { UpstreamClient, UpstreamOptions } from './upstream/upstream.ts';
export { createCodeExecution } from './sandbox/code-execution.ts';
export type { CodeExecution } from './sandbox/code-execution.ts';
export { createSandbox } from './sandbox/sandbox.ts';
export type { Sandbox } from './sandbox/sandbox.ts';
export { engineUniverse } from './sandbox/tool-universe.ts';
