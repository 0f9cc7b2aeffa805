/** Who gives tokens for a server: asked from the server itself, and believed only as far as it can be checked. */
import { EgressError } from '@parley/kit/egress';
import * as z from 'zod';
import type { OAuthReach } from './oauth-fetch.ts';
import { BadAuthServer, checkAddress, checkEndpoint, hostOf, oauthFetch, resourceOf } from './oauth-fetch.ts';
import type { Trail } from './trail.ts';

/** An authorization server, as far as it is used. */
export interface AuthServer {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint?: string | undefined;
  readonly registrationEndpoint?: string | undefined;
  /** Every answer of it names its issuer (RFC 9207); null: it is not known, and an answer may. */
  readonly namesIssuer: boolean | null;
  /** How clients may prove who they are; undefined: as the standard says. */
  readonly authMethods?: readonly string[] | undefined;
  /** A client may be the address of a document that describes it. */
  readonly takesDocuments: boolean;
  readonly scopes: readonly string[];
}

/** What has to be known before anybody is sent anywhere. */
export interface FoundAuth {
  readonly server: AuthServer;
  /** What a token is asked for, as the `resource` parameter. */
  readonly resource: string;
  readonly scopes: readonly string[];
}

const texts = z.array(z.string().min(1).max(200)).max(100);

const ResourceMetadata = z.object({
  resource: z.string().max(2000),
  authorization_servers: z.array(z.string().max(2000)).max(20).optional(),
  scopes_supported: texts.optional().catch(undefined),
});

const ServerMetadata = z.object({
  issuer: z.string().max(2000),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  revocation_endpoint: z.string().optional(),
  registration_endpoint: z.string().optional(),
  code_challenge_methods_supported: texts.optional(),
  token_endpoint_auth_methods_supported: texts.optional(),
  scopes_supported: texts.optional().catch(undefined),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
  client_id_metadata_document_supported: z.boolean().optional(),
});

const ANSWER_MS = 10_000;
// Harmless wherever it arrives; what matters is how it is refused.
const PROBE = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

/** Finds the authorization server of a connection's server. */
export async function discoverAuth(reach: OAuthReach, trail?: Trail): Promise<FoundAuth> {
  const { host } = reach.url;
  const challenge = await challengeOf(reach);
  const isRefused = challenge.status === 401 ? 'It refuses' : `It answers ${challenge.status} to`;
  trail?.note('asked', `${host} was asked without a token. ${isRefused} whoever has none.`);
  const metadata = await resourceMetadata(reach, challenge.metadata);
  const says =
    metadata === undefined ? 'nothing, as servers of older revisions do' : 'who gives tokens for it';
  trail?.note('metadata', `${host} says ${says}.`);
  // Servers of the older revision are their own authorization servers.
  const issuer = metadata?.authorization_servers?.[0] ?? reach.url.origin;
  const server = await authServer(reach, issuer);
  trail?.note('server', `${hostOf(server.tokenEndpoint)} gives tokens, with PKCE.`);
  return {
    server,
    resource: metadata?.resource ?? resourceOf(reach.url),
    scopes: challenge.scopes ?? metadata?.scopes_supported ?? [],
  };
}

interface Challenge {
  readonly status: number;
  readonly metadata?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
}

const METADATA = /(?:^|[\s,])resource_metadata="([^"]{1,2000})"/i;
const SCOPE = /(?:^|[\s,])scope="([^"]{1,4000})"/i;

/** How the server refuses somebody without a token. */
async function challengeOf({ egress, url, allow }: OAuthReach): Promise<Challenge> {
  const answer = await egress.fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: PROBE,
    signal: AbortSignal.timeout(ANSWER_MS),
    allow,
    redirect: 'manual',
    stream: true,
  });
  answer.cancel();
  const header = answer.status === 401 ? (answer.headers.get('www-authenticate') ?? '') : '';
  const scopes = SCOPE.exec(header)?.[1]
    ?.split(' ')
    .filter((scope) => scope !== '');
  const { status } = answer;
  return { status, metadata: METADATA.exec(header)?.[1], scopes: texts.safeParse(scopes).data };
}

/** What the server says about itself as a protected resource (RFC 9728); undefined when it says nothing. */
async function resourceMetadata(reach: OAuthReach, named: string | undefined) {
  const { origin, pathname } = reach.url;
  const known = `${origin}/.well-known/oauth-protected-resource`;
  const path = pathname === '/' ? '' : pathname;
  if (named !== undefined && checkAddress(reach, named, 'address of the metadata').origin !== origin)
    throw new BadAuthServer('The server names metadata of another server as its own.');
  const places = new Set([...(named === undefined ? [] : [named]), `${known}${path}`, known]);
  for (const place of places) {
    const found = await readJson(reach, place);
    if (found === undefined) continue;
    const metadata = ResourceMetadata.safeParse(found);
    if (!metadata.success) throw new BadAuthServer('The metadata of the server is not what it should be.');
    if (!covers(reach, metadata.data.resource))
      throw new BadAuthServer('The metadata of the server is about another server.');
    return metadata.data;
  }
  return undefined;
}

/** True when a token for the resource is one for the connection's server. */
function covers(reach: OAuthReach, resource: string): boolean {
  const { origin, pathname } = checkAddress(reach, resource, 'resource of the metadata');
  const folder = pathname.endsWith('/') ? pathname : `${pathname}/`;
  const own = reach.url.pathname;
  return origin === reach.url.origin && (own === pathname || `${own}/`.startsWith(folder));
}

async function authServer(reach: OAuthReach, issuer: string): Promise<AuthServer> {
  const url = await checkEndpoint(reach, issuer, 'address of the authorization server');
  const { allowInsecureRequests, customFetch, discoveryRequest, processDiscoveryResponse } =
    await import('oauth4webapi');
  // Which addresses may do without TLS, the fetch decides.
  const options = { [customFetch]: oauthFetch(reach), [allowInsecureRequests]: true };
  for (const algorithm of ['oauth2', 'oidc'] as const) {
    const answer = await discoveryRequest(url, { ...options, algorithm });
    if (answer.status !== 200) continue;
    const found = await processDiscoveryResponse(url, answer).catch(() => {
      throw new BadAuthServer('The authorization server says that it is another one.');
    });
    return checkServer(reach, found);
  }
  throw new BadAuthServer(
    'This server does not offer OAuth: it does not say who gives tokens for it. Set a token in the settings of the connection, or store an oauth_config.',
  );
}

async function checkServer(reach: OAuthReach, found: unknown): Promise<AuthServer> {
  const parsed = ServerMetadata.safeParse(found);
  if (!parsed.success) throw new BadAuthServer('The authorization server does not say how to use it.');
  const { data } = parsed;
  if (data.code_challenge_methods_supported?.includes('S256') !== true)
    throw new BadAuthServer('The authorization server does not support PKCE with S256.');
  const endpoint = async (text: string | undefined, what: string) =>
    text === undefined ? undefined : (await checkEndpoint(reach, text, `${what} endpoint`)).href;
  await endpoint(data.authorization_endpoint, 'authorization');
  await endpoint(data.token_endpoint, 'token');
  requireOnePlace(data);
  return {
    issuer: data.issuer,
    authorizationEndpoint: data.authorization_endpoint,
    tokenEndpoint: data.token_endpoint,
    revocationEndpoint: await endpoint(data.revocation_endpoint, 'revocation'),
    registrationEndpoint: await endpoint(data.registration_endpoint, 'registration'),
    namesIssuer: data.authorization_response_iss_parameter_supported ?? false,
    authMethods: data.token_endpoint_auth_methods_supported,
    takesDocuments: data.client_id_metadata_document_supported ?? false,
    scopes: data.scopes_supported ?? [],
  };
}

/** Refuses to bring the codes of one server to another, unless the one where people sign in says so itself. */
function requireOnePlace({
  issuer,
  authorization_endpoint,
  token_endpoint,
}: z.output<typeof ServerMetadata>): void {
  const [said, signIn, token] = [issuer, authorization_endpoint, token_endpoint].map(
    (text) => URL.parse(text)?.origin,
  );
  // The issuer was asked at its own address, so it is what it says to be; what it names beside itself is not.
  if (signIn !== token && signIn !== said)
    throw new BadAuthServer(
      'The authorization server lets people sign in at one server and sends what that gives to another. If that is right, an owner or administrator stores both as oauth_config.',
    );
}

/** The JSON at an address; undefined when there is none. */
async function readJson(reach: OAuthReach, address: string): Promise<unknown> {
  const request = { method: 'GET', headers: { accept: 'application/json' } };
  const answer = await oauthFetch(reach)(address, request);
  if (answer.status !== 200) return undefined;
  try {
    return await answer.json();
  } catch (error) {
    if (error instanceof EgressError) throw error;
    // A site may answer every address with a page.
    return undefined;
  }
}
