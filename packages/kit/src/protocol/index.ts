/** MCP through the official SDK; apart from the root so that a program that needs no SDK yet does not load it. */
export { BegunCall } from './begun-call.ts';
export { handshake } from './handshake.ts';
export { restored, withLegacyCodes } from './legacy-codes.ts';
export { createProtocolServer } from './server.ts';
export { serveTransport } from './serve-transport.ts';
export type { ServedTransport, Transport } from './serve-transport.ts';
export type { ProtocolServerOptions, ServerInfo } from './server.ts';
