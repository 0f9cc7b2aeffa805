/** How an MCP URL says what it wants of a client: the challenge of a 401, and the document that it names (RFC 9728). */
import type { IncomingMessage } from 'node:http';
import { plainCallOf } from './plain-route.ts';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
/** Whatever could be served here, whether it is or not: who has no key learns nothing of what there is. */
const RESOURCE = /^\/mcp(?:\/(?:virtual-mcp\/)?[A-Za-z0-9_-]{1,64})?$/;

/** True for a request for the document of an MCP URL. */
export function isResourceMetadata({ method = '', url = '' }: IncomingMessage): boolean {
  return (
    url.startsWith(WELL_KNOWN) &&
    ['GET', 'HEAD', 'OPTIONS'].includes(method) &&
    describedBy(url) !== undefined
  );
}

/** The value of `WWW-Authenticate` for a request without a valid key. */
export function challengeOf(req: IncomingMessage, publicUrl: string | undefined): string {
  const path = pathOf(req.url);
  const resource = plainCallOf(path)?.endpoint ?? path;
  const realm = 'Bearer realm="parley"';
  if (!RESOURCE.test(resource)) return realm;
  return `${realm}, resource_metadata="${originOf(req, publicUrl)}${WELL_KNOWN}${resource}"`;
}

/**
 * The document. It names no authorization server, since there is none: keys are made by the owner. A client that looks
 * for one all the same is told so where it looks.
 */
export function resourceMetadata(req: IncomingMessage, publicUrl: string | undefined): object {
  return {
    resource: `${originOf(req, publicUrl)}${describedBy(req.url) ?? ''}`,
    resource_name: 'Parley',
    bearer_methods_supported: ['header'],
  };
}

/** The MCP URL that the URL of a document is about. */
function describedBy(url: string | undefined): string | undefined {
  const path = pathOf(url).slice(WELL_KNOWN.length);
  return RESOURCE.test(path) ? path : undefined;
}

function pathOf(url = '/'): string {
  return url.split('?', 1)[0] ?? '/';
}

/** The door has let in only hosts that were named, and a port after them. */
function originOf({ headers }: IncomingMessage, publicUrl: string | undefined): string {
  return publicUrl ?? `http://${headers.host ?? 'localhost'}`;
}
