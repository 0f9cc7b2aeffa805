/** The gateway: traffic in, from authentication to the record. Start reading at `gateway.ts`. */
export { refusalJson, writeJson, writeRefusal } from './http/answers.ts';
export { heavyCallRate } from './calls/call-rate.ts';
export { storedSteps } from './calls/call-steps.ts';
export { createGateway } from './gateway.ts';
export type { Gateway, GatewayOptions } from './gateway.ts';
export { DEFAULT_LIMITS } from './limits.ts';
export type { Limits } from './limits.ts';
export { gatewayMigrations } from './migrations/index.ts';
export { recordTo } from './calls/record.ts';
export { unavailableStore } from './calls/unavailable-store.ts';
export { serveStdio } from './stdio/serve.ts';
