/** Owns a small OAuth provider over local HTTP: it registers clients, asks nobody, and keeps the rules that clients must keep. */
import { createHash, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ScriptedServer, SeenRequest } from './scripted-server.ts';
import { startServer } from './scripted-server.ts';

/** What the provider does; a test may change it while it runs. */
export interface ProviderScript {
  /** Who is signed in at the provider, and so whose tokens it gives. */
  account: string;
  /** How long access tokens live; undefined: nothing is said. */
  expiresInS: number | undefined;
  /** False: no refresh tokens. */
  refreshes: boolean;
  /** Laid over what it says about itself. */
  metadata: Record<string, unknown>;
  /** Laid over what a guarded server says about itself. */
  resource: Record<string, unknown>;
  /** Answers a request in another way; true when it did. */
  fault: ((request: SeenRequest, response: ServerResponse) => boolean) | undefined;
  /** Laid over the parameters that a browser is sent back with. */
  answer: Record<string, string>;
}

/** A running provider. */
export interface OAuthProvider extends ScriptedServer {
  readonly script: ProviderScript;
  /** What the token endpoint was asked for, in order. */
  readonly asked: string[];
  readonly clients: ReadonlyMap<string, Client>;
  /** The account of an access token that is worth something. */
  accountOf(token: string): string | undefined;
  /** Ends every access token, as if its time were over. */
  endAccess(): void;
  /** Ends every refresh token. */
  endRefresh(): void;
  /**
   * What a browser does with the address of an authorization: it is asked nothing and sent back. Gives the address
   * that it is sent back to, which the test opens or not.
   */
  browse(url: string): Promise<URL>;
  /** A client with a secret, as somebody would have registered it by hand. */
  addClient(redirectUri?: string): { readonly id: string; readonly secret: string };
}

interface Client {
  readonly secret: string | undefined;
  readonly redirectUris: readonly string[];
}

interface Code {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly resource: string;
  readonly account: string;
}

const word = (kind: string) => `${kind}-${randomBytes(12).toString('hex')}`;

/** Starts a provider on a free loopback port; the caller ends it. */
export async function startOAuthProvider(): Promise<OAuthProvider> {
  const script: ProviderScript = {
    account: 'ada',
    expiresInS: 3600,
    refreshes: true,
    metadata: {},
    resource: {},
    fault: undefined,
    answer: {},
  };
  const clients = new Map<string, Client>();
  const codes = new Map<string, Code>();
  const access = new Map<string, string>();
  const refresh = new Map<string, string>();
  const asked: string[] = [];

  const give = (account: string, canRefresh: boolean) => {
    const access_token = word('access');
    access.set(access_token, account);
    const refresh_token = word('refresh');
    if (canRefresh) refresh.set(refresh_token, account);
    return {
      access_token,
      token_type: 'Bearer',
      ...(script.expiresInS !== undefined && { expires_in: script.expiresInS }),
      ...(canRefresh && { refresh_token }),
    };
  };

  const isClient = (id: string, secret: string | undefined) => {
    const client = clients.get(id);
    return client === undefined
      ? id.startsWith('http')
      : client.secret === undefined || client.secret === secret;
  };

  function token(form: URLSearchParams, authorization: string | undefined): [number, object] {
    const [name, secret] = credentialsIn(form, authorization);
    const grant = form.get('grant_type') ?? '';
    asked.push(grant);
    if (!isClient(name, secret)) return [401, { error: 'invalid_client' }];
    if (grant === 'client_credentials') return [200, give(`client ${name}`, false)];
    if (grant === 'refresh_token') {
      const shown = form.get('refresh_token') ?? '';
      const account = refresh.get(shown);
      // Each works once, as the newer rules for clients without a secret want it.
      refresh.delete(shown);
      return account === undefined ? [400, { error: 'invalid_grant' }] : [200, give(account, true)];
    }
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isRight =
      code?.clientId === name &&
      code.redirectUri === form.get('redirect_uri') &&
      code.challenge === challenge &&
      code.resource === form.get('resource');
    return isRight ? [200, give(code.account, script.refreshes)] : [400, { error: 'invalid_grant' }];
  }

  function authorize(query: URLSearchParams): string | undefined {
    const redirectUri = query.get('redirect_uri') ?? '';
    const clientId = query.get('client_id') ?? '';
    const client = clients.get(clientId);
    const isKnown =
      client === undefined ? clientId.startsWith('http') : client.redirectUris.includes(redirectUri);
    const isWhole = query.get('response_type') === 'code' && query.get('code_challenge_method') === 'S256';
    if (!isKnown || !isWhole || query.get('state') === null || query.get('resource') === null)
      return undefined;
    const code = word('code');
    codes.set(code, {
      clientId,
      redirectUri,
      challenge: query.get('code_challenge') ?? '',
      resource: query.get('resource') ?? '',
      account: script.account,
    });
    const back = new URL(redirectUri);
    const given = { code, state: query.get('state') ?? '', iss: server.origin, ...script.answer };
    for (const [key, value] of Object.entries(given)) back.searchParams.set(key, value);
    return back.href;
  }

  const server: ScriptedServer = await startServer((request, response) => {
    if (script.fault?.(request, response) === true) return;
    const json = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const url = new URL(request.url, server.origin);
    const form = new URLSearchParams(request.body);
    switch (`${request.method} ${url.pathname}`) {
      case 'GET /.well-known/oauth-authorization-server':
        return json(200, { ...metadataOf(server.origin), ...script.metadata });
      case 'POST /register': {
        const { redirect_uris: redirectUris } = JSON.parse(request.body) as { redirect_uris: string[] };
        const id = word('client');
        clients.set(id, { secret: undefined, redirectUris });
        return json(201, { client_id: id, redirect_uris: redirectUris });
      }
      case 'GET /authorize': {
        const back = authorize(url.searchParams);
        if (back === undefined) return json(400, { error: 'invalid_request' });
        return response.writeHead(302, { location: back }).end();
      }
      case 'POST /token':
        return json(...token(form, request.headers.authorization));
      case 'POST /revoke':
        access.delete(form.get('token') ?? '');
        refresh.delete(form.get('token') ?? '');
        return json(200, {});
      default:
        return json(404, {});
    }
  });
  return {
    ...server,
    script,
    asked,
    clients,
    accountOf: (shown) => access.get(shown),
    endAccess: () => access.clear(),
    endRefresh: () => refresh.clear(),
    async browse(url) {
      const answer = await fetch(url, { redirect: 'manual' });
      await answer.text();
      const location = answer.headers.get('location');
      if (location === null) throw new Error(`The provider refused the authorization: ${answer.status}`);
      return new URL(location);
    },
    addClient(redirectUri = '') {
      const id = word('client');
      const secret = word('secret');
      clients.set(id, { secret, redirectUris: [redirectUri] });
      return { id, secret };
    },
  };
}

function metadataOf(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    revocation_endpoint: `${issuer}/revoke`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
    authorization_response_iss_parameter_supported: true,
  };
}

function credentialsIn(
  form: URLSearchParams,
  authorization: string | undefined,
): [name: string, secret: string | undefined] {
  const basic = /^Basic (.+)$/.exec(authorization ?? '')?.[1];
  if (basic === undefined) return [form.get('client_id') ?? '', form.get('client_secret') ?? undefined];
  const [name = '', secret] = Buffer.from(basic, 'base64')
    .toString('utf8')
    .split(':')
    .map(decodeURIComponent);
  return [name, secret];
}

/**
 * What a person does with the address that begins an authorization: they read the page and go on. Gives where their
 * browser is sent, and the cookie with which it comes back.
 */
export async function goOn(start: string): Promise<{ readonly url: string; readonly cookie: string }> {
  const page = await fetch(start);
  const html = await page.text();
  if (!page.ok || !html.includes('Go on only if you asked for this yourself'))
    throw new Error(`There is no page to begin at: ${page.status} ${html.slice(0, 300)}`);
  const { origin } = new URL(start);
  const sent = await fetch(start, { method: 'POST', headers: { origin }, redirect: 'manual' });
  const url = sent.headers.get('location');
  const [cookie] = sent.headers.get('set-cookie')?.split(';') ?? [];
  if (url === null || cookie === undefined)
    throw new Error(`Nobody was sent anywhere: ${sent.status} ${await sent.text()}`);
  return { url, cookie };
}

/** Lets only tokens of the provider through to a server, and says where they are from; true when it answered itself. */
export function guardWith({ script, origin, accountOf }: OAuthProvider) {
  return ({ url, headers }: SeenRequest, response: ServerResponse): boolean => {
    const own = `http://${headers.host}`;
    if (url.startsWith('/.well-known/oauth-protected-resource')) {
      const body = { resource: `${own}/mcp`, authorization_servers: [origin], ...script.resource };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      return true;
    }
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
    if (token !== undefined && accountOf(token) !== undefined) return false;
    const metadata = `${own}/.well-known/oauth-protected-resource/mcp`;
    response
      .writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}", scope="notes"` })
      .end();
    return true;
  };
}
