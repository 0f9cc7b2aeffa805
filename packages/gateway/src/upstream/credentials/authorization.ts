/** The authorization of a connection by a person: where their browser is sent, and what it brings back. */
import { hash } from 'node:crypto';
import type {
  AuthBrowser,
  AuthStep,
  ConnectionRow,
  FlowPlace,
  NewToken,
  OAuthClient,
} from '@parley/connections';
import {
  beginFlow,
  CONNECTIONS_CHANGED,
  findRow,
  keepToken,
  keepTrail,
  openConnection,
  takeFlow,
  visibleText,
} from '@parley/connections';
import type { Caller } from '@parley/kit';
import { ToolError } from '@parley/kit';
import { EgressError } from '@parley/kit/egress';
import { startAddress } from './auth-links.ts';
import type { AuthorizationParams } from './authorization-url.ts';
import { authorizationUrl } from './authorization-url.ts';
import { CALLBACK, clientDocument } from './client-document.ts';
import { clientAuth, clientFor, storedClient } from './clients.ts';
import type { AuthServer, FoundAuth } from './discovery.ts';
import { discoverAuth } from './discovery.ts';
import type { OAuthReach } from './oauth-fetch.ts';
import { BadAuthServer, checkEndpoint, hostOf, oauthFetch, resourceOf } from './oauth-fetch.ts';
import type { CredentialParts } from './parts.ts';
import { oauthReach } from './parts.ts';
import { givenToken } from './token-answer.ts';
import { begunTrail, Trail } from './trail.ts';

/** What is kept, sealed, until the browser comes back. */
interface FlowParts {
  readonly server: AuthServer;
  readonly client: OAuthClient;
  readonly verifier: string;
  readonly redirectUri: string;
  readonly resource: string;
  readonly scope: string;
  /** The hash of what only the browser has that was sent away, so that no other can come back. */
  readonly browser: string;
}

/** An authorization that came to its end. */
export interface FinishedFlow extends FlowPlace {
  readonly caller: Caller;
  readonly connection: ConnectionRow;
  readonly trail: Trail;
}

const OFFLINE = 'offline_access';
const LONGEST_STATE = 200;
const LONGEST_SCOPES = 300;

/** The same words for every state that is not one: unknown, used, over, or of somebody else. */
export function overdue(): ToolError {
  return new ToolError('invalid', 'This link is not valid any more. Begin the authorization again.');
}

/** Where a person's browser is sent, and what led there. */
export interface BegunFlow {
  readonly url: string;
  readonly steps: readonly AuthStep[];
}

/** Finds the way to an authorization, and gives the address of the page of ours where a browser begins it. */
export async function prepare(
  parts: CredentialParts,
  connection: ConnectionRow,
  place: FlowPlace,
): Promise<BegunFlow> {
  const trail = new Trail(parts.now);
  return followed(parts, { place, trail }, async () => {
    const { baseUrl } = await wayThere(parts, { connection, trail });
    await trail.keep(parts, place);
    return { url: startAddress(parts, baseUrl, place), steps: trail.steps };
  });
}

/** Begins an authorization in a browser, and gives the address that it is sent to. Only this browser can end it. */
export async function begin(
  parts: CredentialParts,
  connection: ConnectionRow,
  { place, browser }: { readonly place: FlowPlace; readonly browser: AuthBrowser },
): Promise<string> {
  const { store, now } = parts;
  const trail = new Trail(now);
  return followed(parts, { place, trail }, async () => {
    const { baseUrl, ...way } = await wayThere(parts, { connection, trail });
    const { server, client, resource, scope } = way;
    const redirectUri = `${baseUrl}${CALLBACK}`;
    const oauth = await import('oauth4webapi');
    const state = oauth.generateRandomState();
    const verifier = oauth.generateRandomCodeVerifier();
    const challenge = await oauth.calculatePKCECodeChallenge(verifier);
    const flow: FlowParts = { ...way, verifier, redirectUri, browser: hashOf(browser.nonce) };
    await store.transaction(async (tx) => {
      await beginFlow(tx, store.secrets, place, { state, parts: flow, now: now() });
      await keepTrail(tx, place, { steps: trail.steps, now: now() });
    });
    const asked: AuthorizationParams = { client, redirectUri, resource, scope, state, challenge };
    return authorizationUrl(server.authorizationEndpoint, asked);
  });
}

interface Beginning {
  readonly connection: ConnectionRow;
  readonly place: FlowPlace;
  readonly trail: Trail;
}

type Way = Pick<FlowParts, 'server' | 'client' | 'resource' | 'scope'>;

async function wayThere(
  parts: CredentialParts,
  { connection, trail }: Pick<Beginning, 'connection' | 'trail'>,
): Promise<Way & { readonly baseUrl: string }> {
  const baseUrl = parts.baseUrl();
  const reach = oauthReach(parts, connection);
  if (baseUrl === undefined || reach === undefined)
    throw new ToolError('unavailable', 'This server has no address that a browser could come back to yet.');
  return explained(async () => {
    const redirectUri = `${baseUrl}${CALLBACK}`;
    const { server, client, resource, scopes } = await wayOf(parts, reach, connection, {
      redirectUri,
      trail,
    });
    const scope = withOffline(scopes, server).join(' ');
    trail.note('sent', sentText(server, scope), 'waiting');
    return { server, client, resource, scope, baseUrl };
  });
}

function sentText({ authorizationEndpoint }: AuthServer, scope: string): string {
  const wish =
    scope === '' ? 'no scope in particular' : `the scopes ${visibleText(scope.slice(0, LONGEST_SCOPES))}`;
  return `Sign in at ${hostOf(authorizationEndpoint)} in your browser and agree; Parley asks for ${wish}.`;
}

/** What goes wrong is the last step of its trail. */
async function followed<T>(
  parts: CredentialParts,
  { place, trail }: Pick<Beginning, 'place' | 'trail'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ToolError) {
      trail.fail(error.message);
      // The person is told of this very fault, whatever can be kept of it.
      await trail.keep(parts, place).catch((fault: unknown) => parts.onFault(fault, 'credentials'));
    }
    throw error;
  }
}

/** Ends an authorization: the code becomes a token of whoever began it, in the browser where it was begun. */
export async function finish(
  parts: CredentialParts,
  parameters: URLSearchParams,
  browser: Partial<AuthBrowser>,
): Promise<FinishedFlow> {
  const { store, now } = parts;
  const state = parameters.get('state') ?? '';
  if (state === '' || state.length > LONGEST_STATE) throw overdue();
  const flow = await takeFlow<FlowParts>(store, store.secrets, { state, now: now() });
  if (flow === undefined) throw overdue();
  const { parts: kept, ...place } = flow;
  // An address that somebody was sent would let them sign in for whoever sent it.
  if (browser.nonce === undefined || hashOf(browser.nonce) !== kept.browser) throw overdue();
  // Somebody who is signed in here is not made to authorise for another.
  if (browser.userId !== undefined && browser.userId !== place.userId) throw overdue();
  const { organizationId, connectionId, userId } = place;
  const caller = await parts.callerOf(organizationId, userId);
  const connection = await findRow(store, organizationId, connectionId);
  const reach = connection && oauthReach(parts, connection);
  if (caller === undefined || connection === undefined || reach === undefined) throw overdue();
  // The connection leads elsewhere now, and the token would not be for it.
  if (URL.parse(kept.resource)?.origin !== reach.url.origin) throw overdue();
  const trail = await begunTrail(parts, place);
  const token = await followed(parts, { place, trail }, () =>
    explained(() => exchanged(parts, reach, kept, { given: parameters, trail })),
  );
  trail.note('token', tokenText(token));
  await keep(parts, caller, place, { token, connection, trail });
  return { ...place, caller, connection, trail };
}

/** What is told of a token, which is not its text. */
function tokenText({ expiresAt, refresh }: NewToken): string {
  const end = expiresAt === undefined ? 'without an end' : `until ${new Date(expiresAt).toISOString()}`;
  return `A token came, valid ${end}${refresh === undefined ? '; it cannot be renewed' : '; it is renewed by itself'}.`;
}

async function keep(
  { store, audit, events, now }: CredentialParts,
  caller: Caller,
  place: FlowPlace,
  {
    token,
    connection: { title },
    trail,
  }: Omit<FinishedFlow, keyof FlowPlace | 'caller'> & { token: NewToken },
): Promise<void> {
  const { organizationId, connectionId, tokenUserId } = place;
  const owner = { organizationId, connectionId, userId: tokenUserId };
  await store.transaction(async (tx) => {
    await keepToken(tx, store.secrets, owner, { token, now: now() });
    await keepTrail(tx, place, { steps: trail.steps, now: now() });
    await tx.signal(CONNECTIONS_CHANGED, organizationId);
    const changed = { title, isShared: tokenUserId === '' };
    await audit.write(tx, { caller, action: 'connection.authorised', target: connectionId, changed });
  });
  // What its server refused may be welcome now.
  await events.subscribers.resume(organizationId, connectionId);
}

/** Everything about the authorization server: as it was stored, else as the server of the connection says. */
async function wayOf(
  parts: CredentialParts,
  reach: OAuthReach,
  connection: ConnectionRow,
  { redirectUri, trail }: { readonly redirectUri: string; readonly trail: Trail },
): Promise<FoundAuth & { readonly client: OAuthClient }> {
  const { oauth_config: config } = openConnection(parts.store.secrets, connection);
  if (config !== null) {
    const { authorizationEndpoint, tokenEndpoint, scopes } = config;
    await checkEndpoint(reach, tokenEndpoint, 'tokenEndpoint of oauth_config');
    const { origin } = await checkEndpoint(
      reach,
      authorizationEndpoint,
      'authorizationEndpoint of oauth_config',
    );
    const server: AuthServer = {
      issuer: origin,
      authorizationEndpoint,
      tokenEndpoint,
      namesIssuer: null,
      takesDocuments: false,
      scopes: [],
    };
    trail.note('server', `${hostOf(authorizationEndpoint)} gives tokens, as the connection says.`);
    trail.note('client', 'Parley is known there as the client that is stored with the connection.');
    return { server, scopes, resource: resourceOf(reach.url), client: storedClient(config) };
  }
  const found = await discoverAuth(reach, trail);
  const place = { organizationId: connection.organization_id, connectionId: connection.id, redirectUri };
  const client = await clientFor(parts, reach, found.server, place);
  const isDocument = client.clientId === clientDocument(parts.publicUrl)?.['client_id'];
  trail.note('client', `Parley is known there ${isDocument ? 'by its own document' : 'by a registration'}.`);
  return { ...found, client };
}

/** Without this scope some servers give nothing to renew a token with. */
function withOffline(scopes: readonly string[], server: AuthServer): readonly string[] {
  const isOffered = server.scopes.includes(OFFLINE) && scopes.length > 0 && !scopes.includes(OFFLINE);
  return isOffered ? [...scopes, OFFLINE] : scopes;
}

async function exchanged(
  { now }: CredentialParts,
  reach: OAuthReach,
  { server, client, verifier, redirectUri, resource, scope }: FlowParts,
  { given, trail }: { readonly given: URLSearchParams; readonly trail: Trail },
): Promise<NewToken> {
  const oauth = await import('oauth4webapi');
  const as = {
    issuer: server.issuer,
    token_endpoint: server.tokenEndpoint,
    authorization_response_iss_parameter_supported: server.namesIssuer ?? false,
  };
  const parameters = new URLSearchParams(given);
  const issuer = parameters.get('iss');
  if (server.namesIssuer === null && issuer !== null) {
    // Of a stored server only its addresses are known, so its name has to be at one of them.
    if (URL.parse(issuer)?.origin !== server.issuer) throw wrongIssuer();
    parameters.delete('iss');
  }
  const own = { client_id: client.clientId };
  let checked: URLSearchParams;
  try {
    // The state found its flow, so it is the one that was sent.
    checked = oauth.validateAuthResponse(as, own, parameters, oauth.skipStateCheck);
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError)
      throw new ToolError('declined', 'The authorization was declined. Nothing has changed.');
    throw wrongIssuer();
  }
  trail.note('returned', `The browser came back from ${hostOf(server.authorizationEndpoint)} with a code.`);
  const options = {
    [oauth.customFetch]: oauthFetch(reach),
    [oauth.allowInsecureRequests]: true,
    additionalParameters: { resource },
  };
  const answer = await oauth.authorizationCodeGrantRequest(
    as,
    own,
    await clientAuth(client),
    checked,
    redirectUri,
    verifier,
    options,
  );
  const token = await oauth
    .processGenericTokenEndpointResponse(as, own, answer)
    .then((found) => givenToken(found, now()))
    // What went wrong may hold the code or a token.
    .catch(() => undefined);
  if (token === undefined)
    throw new BadAuthServer('The authorization server gave no token that can be used.');
  return {
    ...token,
    ...(token.scope === undefined && scope !== '' && { scope }),
    ...(client.clientSecret !== undefined && { clientSecret: client.clientSecret }),
    tokenEndpoint: server.tokenEndpoint,
    clientId: client.clientId,
    issuer: server.issuer,
    resource,
    authMethod: client.authMethod,
    ...(server.revocationEndpoint !== undefined && { revocationEndpoint: server.revocationEndpoint }),
  };
}

function hashOf(nonce: string): string {
  return hash('sha256', nonce, 'base64url');
}

function wrongIssuer(): BadAuthServer {
  return new BadAuthServer('The answer did not come from the authorization server that was asked.');
}

/** Faults of the other side as sentences for the person. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BadAuthServer) throw new ToolError('unavailable', error.message);
    if (error instanceof EgressError) throw new ToolError('unavailable', error.message);
    if (error instanceof Error && error.name === 'TimeoutError')
      throw new ToolError('unavailable', 'The authorization server did not answer in time. Try again later.');
    throw error;
  }
}
