/** What this server is to an authorization server: a stored client, a document about itself, or one that it registers. */
import type { ClientAuthMethod, OAuthClient, OAuthConfig } from '@parley/connections';
import { keepClient, registeredClient } from '@parley/connections';
import type { Store } from '@parley/store';
import { clientDocument, descriptionOf } from './client-document.ts';
import type { AuthServer } from './discovery.ts';
import type { OAuthReach } from './oauth-fetch.ts';
import { BadAuthServer, oauthFetch } from './oauth-fetch.ts';

/** Where this server is registered for, and where browsers come back to. */
export interface ClientPlace {
  readonly organizationId: string;
  readonly connectionId: string;
  readonly redirectUri: string;
}

/** The client that somebody stored with the connection. */
export function storedClient({ clientId, clientSecret }: OAuthConfig): OAuthClient {
  // The form that most servers take, since nothing is known of what this one would rather have.
  const isSecret = clientSecret !== undefined && clientSecret !== '';
  return isSecret
    ? { clientId, clientSecret, authMethod: 'client_secret_post' }
    : { clientId, authMethod: 'none' };
}

/** The client for a server that was discovered. */
export async function clientFor(
  { store, now, publicUrl }: { store: Store; now: () => number; publicUrl: string | undefined },
  reach: OAuthReach,
  server: AuthServer,
  place: ClientPlace,
): Promise<OAuthClient> {
  const document = server.takesDocuments ? clientDocument(publicUrl) : undefined;
  if (document !== undefined) return { clientId: String(document['client_id']), authMethod: 'none' };
  const { issuer } = server;
  const { redirectUri } = place;
  const known = await registeredClient(store, store.secrets, place, { issuer, redirectUri, now: now() });
  if (known !== undefined) return known;
  const { expiresAt, ...client } = await register(reach, server, redirectUri);
  const kept = { ...client, issuer, redirectUri, expiresAt, now: now() };
  await store.transaction((tx) => keepClient(tx, store.secrets, place, kept));
  return client;
}

async function register(
  reach: OAuthReach,
  { issuer, registrationEndpoint }: AuthServer,
  redirectUri: string,
): Promise<OAuthClient & { expiresAt: number | null }> {
  if (registrationEndpoint === undefined)
    throw new BadAuthServer(
      'The authorization server takes no new clients. Register one there, and store it as oauth_config.',
    );
  const oauth = await import('oauth4webapi');
  const options = { [oauth.customFetch]: oauthFetch(reach), [oauth.allowInsecureRequests]: true };
  const as = { issuer, registration_endpoint: registrationEndpoint };
  const answer = await oauth.dynamicClientRegistrationRequest(as, descriptionOf(redirectUri), options);
  const made = await oauth.processDynamicClientRegistrationResponse(answer).catch(() => {
    throw new BadAuthServer(
      'The authorization server did not register this one. Register it there, and store it as oauth_config.',
    );
  });
  const { client_id: clientId, client_secret: clientSecret, client_secret_expires_at: expires } = made;
  if (clientId.length > MAX_LENGTH || (typeof clientSecret === 'string' && clientSecret.length > MAX_LENGTH))
    throw new BadAuthServer('The authorization server registered this one under a name that is too long.');
  // Browsers would be sent back there, or nowhere, and the client would be kept all the same.
  if (Array.isArray(made.redirect_uris) && !made.redirect_uris.includes(redirectUri))
    throw new BadAuthServer(
      'The authorization server registered this one for another address. Register it there, and store it as oauth_config.',
    );
  if (typeof clientSecret !== 'string') return { clientId, authMethod: 'none', expiresAt: null };
  const authMethod = methodOf(made.token_endpoint_auth_method);
  const expiresAt = typeof expires === 'number' && expires > 0 ? expires * 1000 : null;
  return { clientId, clientSecret, authMethod, expiresAt };
}

const MAX_LENGTH = 8192;

/** What a server with secrets wants when it does not say so is the header. */
function methodOf(said: unknown): ClientAuthMethod {
  return said === 'client_secret_post' || said === 'none' ? said : 'client_secret_basic';
}

/** How the client of a token proves itself, for the OAuth library. */
export async function clientAuth({ authMethod, clientSecret = '' }: Omit<OAuthClient, 'clientId'>) {
  const { ClientSecretBasic, ClientSecretPost, None } = await import('oauth4webapi');
  if (authMethod === 'client_secret_basic') return ClientSecretBasic(clientSecret);
  return authMethod === 'client_secret_post' ? ClientSecretPost(clientSecret) : None();
}
