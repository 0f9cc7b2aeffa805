/** The address that a person's browser is sent to. */
import type { OAuthClient } from '@parley/connections';

export interface AuthorizationParams {
  readonly client: OAuthClient;
  readonly redirectUri: string;
  readonly resource: string;
  readonly scope: string;
  readonly state: string;
  /** The S256 challenge of PKCE. */
  readonly challenge: string;
}

/** The endpoint with what is asked of it; parameters that it has already stay. */
export function authorizationUrl(endpoint: string, asked: AuthorizationParams): string {
  const url = new URL(endpoint);
  const parameters = {
    response_type: 'code',
    client_id: asked.client.clientId,
    redirect_uri: asked.redirectUri,
    state: asked.state,
    code_challenge: asked.challenge,
    code_challenge_method: 'S256',
    resource: asked.resource,
    ...(asked.scope !== '' && { scope: asked.scope }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
