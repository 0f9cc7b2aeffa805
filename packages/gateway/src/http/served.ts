/** Caller and engine of a request on their way through the SDK, which hands authentication on to every handler. */
import type { IncomingMessage } from 'node:http';
import type { toNodeHandler } from '@modelcontextprotocol/node';
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { Caller, Engine } from '@parley/kit';
import type { BegunCall } from '@parley/kit/protocol';

/** What one request is served with. */
export interface Served {
  readonly caller: Caller;
  readonly engine: Engine;
}

/** A request as the SDK's adapters take it. */
export type SdkRequest = Parameters<ReturnType<typeof toNodeHandler>>[0] & IncomingMessage;

/** Puts the caller where the SDK hands it on to every handler, and the call of the request if it has begun. */
export function withServed(req: IncomingMessage, served: Served, begun?: BegunCall): SdkRequest {
  const auth: AuthInfo = { token: '', clientId: served.caller.id, scopes: [], extra: { served, begun } };
  // The adapter's type differs from node's only in how it writes optional fields.
  return Object.assign(req, { auth }) as SdkRequest;
}

/** What `withServed` put on the request, as a handler gets it back from the SDK. */
export function servedOf(authInfo: AuthInfo | undefined): Served {
  const served = authInfo?.extra?.served;
  if (served === undefined) throw new Error('A request reached the protocol without passing authentication.');
  // Only `withServed` writes this field, and no client can reach it.
  return served as Served;
}

/** The call that `withServed` was given. */
export function begunOf(authInfo: AuthInfo | undefined): BegunCall | undefined {
  // As above.
  return authInfo?.extra?.begun as BegunCall | undefined;
}
