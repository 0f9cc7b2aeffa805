/** Addresses that clients and browsers ask for by habit, without a key: a plain answer, and no brake for asking. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Writes the answer to a request whose Host and Origin were checked. */
export type PlainAnswer = (req: IncomingMessage, res: ServerResponse) => void;

/** What browsers ask every site for; none of it is here. */
export const ABSENT_FILES = ['/favicon.ico', '/robots.txt'] as const;

/** Where OAuth would be; clients look there before they read that a key is wanted. What says so of an MCP URL is below the second. */
export const ABSENT_OAUTH = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-protected-resource',
  '/.well-known/openid-configuration',
  '/authorize',
  '/register',
  '/token',
] as const;

const NO_OAUTH = JSON.stringify({
  error: 'not_found',
  error_description: 'There is no OAuth here. Send an API key as a bearer token.',
});

/** True for a request that names the site alone. */
export function isFrontPage({ method, url = '/' }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && url.split('?', 1)[0] === '/';
}

/** The answer to such an address; undefined for any other request. */
export function plainAnswerTo(asked: IncomingMessage, publicUrl?: string): PlainAnswer | undefined {
  const { method, url = '/' } = asked;
  const path = url.split('?', 1)[0] ?? '/';
  if (isOAuth(path)) return (req, res) => write(req, res, 404, 'application/json', NO_OAUTH);
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  if (isFrontPage(asked))
    return (req, res) => write(req, res, 200, 'text/html; charset=utf-8', frontPage(req, publicUrl));
  const isAbsent = ABSENT_FILES.some((file) => file === path);
  return isAbsent ? (req, res) => write(req, res, 404, 'text/plain', 'There is nothing here.\n') : undefined;
}

/** True for the addresses above, also with the path of the protected resource after or before them. */
function isOAuth(path: string): boolean {
  const at = path.indexOf('/.well-known/');
  const asked = at === -1 ? path : path.slice(at);
  return ABSENT_OAUTH.some((known) => asked === known || (at !== -1 && asked.startsWith(`${known}/`)));
}

function frontPage({ headers }: IncomingMessage, publicUrl: string | undefined): string {
  // The door lets in only hosts that were named, and a port after them.
  const mcp = `${publicUrl ?? `http://${headers.host ?? 'localhost'}`}/mcp`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Parley</title>
<style>body { font: 16px/1.6 system-ui, sans-serif; max-width: 42rem; margin: 4rem auto; padding: 0 1.25rem } code { overflow-wrap: anywhere }</style>
<h1>Parley</h1>
<p>This is an MCP server. Connect a client to <code>${mcp}</code> and send an API key as a bearer token.</p>
<p>The boards, once they are published, are at <a href="/feedback">/feedback</a>.</p>
<p>The feedback API is described at <a href="/api/v1/docs">/api/v1/docs</a>, everything else in the folder <code>docs</code> of Parley.</p>
</html>
`;
}

function write(req: IncomingMessage, res: ServerResponse, status: number, type: string, body: string): void {
  res.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}
