/** What authorization servers are told about this one, and the document in which they can read it. */

const NAME = 'Parley';
/** Where the document and the way back are, below the address of this server. */
export const CLIENT_DOCUMENT = '/oauth/client.json';
export const CALLBACK = '/oauth/callback';

/** What every authorization server is told about this one. */
export function descriptionOf(redirectUri: string) {
  return {
    client_name: NAME,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}

/** The document that stands for this server; only a public https address has one that others can read. */
export function clientDocument(publicUrl: string | undefined): Record<string, unknown> | undefined {
  if (publicUrl === undefined || !publicUrl.startsWith('https://')) return undefined;
  return {
    client_id: `${publicUrl}${CLIENT_DOCUMENT}`,
    client_uri: publicUrl,
    ...descriptionOf(`${publicUrl}${CALLBACK}`),
  };
}
