/** Tells the server that gave a token that nobody uses it any more (RFC 7009). */
import type { ConnectionRow, DownstreamTokenRow } from '@parley/connections';
import { openedToken } from '@parley/connections';
import { clientAuth } from './clients.ts';
import { BadAuthServer, oauthFetch } from './oauth-fetch.ts';
import type { CredentialParts } from './parts.ts';
import { oauthReach } from './parts.ts';

/** Revokes the refresh token, with which most servers end the access token too, then the access token itself. */
export async function revokeUpstream(
  parts: CredentialParts,
  connection: ConnectionRow,
  row: DownstreamTokenRow,
): Promise<void> {
  const { revocation_endpoint, client_id, token_endpoint } = row;
  const reach = oauthReach(parts, connection);
  if (revocation_endpoint === null || client_id === null || reach === undefined) return;
  const oauth = await import('oauth4webapi');
  const { access, refresh, clientSecret = '' } = openedToken(parts.store.secrets, row);
  const issuer = row.issuer ?? new URL(token_endpoint ?? revocation_endpoint).origin;
  const as = { issuer, revocation_endpoint };
  const auth = await clientAuth({ authMethod: row.auth_method ?? 'none', clientSecret });
  const options = { [oauth.customFetch]: oauthFetch(reach), [oauth.allowInsecureRequests]: true };
  const tokens = [
    ...(refresh === undefined ? [] : [{ token: refresh, hint: 'refresh_token' }]),
    { token: access, hint: 'access_token' },
  ];
  for (const { token, hint } of tokens) {
    const asked = { ...options, additionalParameters: { token_type_hint: hint } };
    const answer = await oauth.revocationRequest(as, { client_id }, auth, token, asked);
    // Its words may hold the token.
    if (answer.status !== 200) throw new BadAuthServer(`A token was not revoked: ${answer.status}`);
  }
}
