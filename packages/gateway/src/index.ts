/** The gateway: traffic in, from authentication to the record. Start reading at `gateway.ts`. */
export { HttpRefusal, refusalJson, writeJson, writeRefusal } from './answers.ts';
export { heavyCallRate } from './authorize.ts';
export { storedSteps } from './call-steps.ts';
export { createGateway } from './gateway.ts';
export type { Gateway, GatewayOptions } from './gateway.ts';
export type { AllowedNames } from './inbound.ts';
export { DEFAULT_LIMITS } from './limits.ts';
export type { Limits } from './limits.ts';
export { gatewayMigrations } from './migrations/index.ts';
export { recordTo } from './record.ts';
export { unavailableStore } from './store-errors.ts';
export { serveStdio } from './stdio/serve.ts';
