/** The authorization of connections by people, with a provider that keeps the rules and with some that do not. */
import type { ConnectionTables } from '@parley/connections';
import { ToolError } from '@parley/kit';
import { onBothEngines } from '@parley/store/testing';
import { scratchStore } from '@parley/store/testing';
import { serveForTest } from '@parley/test-support/scripted-server';
import { eventually } from '@parley/test-support/eventually';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  BASE_URL,
  BROWSER,
  called,
  CREDENTIAL_MIGRATIONS,
  openCredentials,
} from '../../../test/credentials-bed.ts';
import type { CredentialsOptions } from '../../../test/credentials-bed.ts';

async function opened(options: CredentialsOptions = {}) {
  const store = await scratchStore();
  // Registered first, so that everything on it ends before it does.
  onTestFinished(() => store[Symbol.asyncDispose]());
  return openCredentials(store, options);
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (error: unknown) => (error instanceof ToolError ? error.code : String(error)),
  );
const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (error: Error) => error.message,
  );

onBothEngines(
  'an authorization',
  (open) => {
    test('gives a token to whoever began it, and to nobody else', async () => {
      const bed = await openCredentials(await open());
      const { acme, auth, provider } = bed;
      const id = await bed.create(acme.owner.caller);
      expect(await called(bed, acme.owner.caller, id)).toBe('auth_required');

      const url = await bed.leave(acme.owner.caller, id);
      const asked = new URL(url).searchParams;
      expect(Object.fromEntries(asked)).toMatchObject({
        response_type: 'code',
        code_challenge_method: 'S256',
        redirect_uri: `${BASE_URL}/oauth/callback`,
        resource: `${bed.upstream.origin}/mcp`,
        scope: 'notes',
      });
      expect([...provider.clients.keys()]).toEqual([asked.get('client_id')]);
      const back = await provider.browse(url);
      const done = await auth.finish(back.searchParams, BROWSER);
      expect(done).toEqual({ title: 'Notes', name: 'Ada Owner' });

      expect(await called(bed, acme.owner.caller, id)).toBe('ada');
      expect(await called(bed, acme.admin.caller, id)).toBe('auth_required');
      expect(await auth.state(acme.owner.caller, id)).toMatchObject({ kind: 'oauth', state: 'ok' });
      expect(await auth.state(acme.admin.caller, id)).toMatchObject({ kind: 'oauth', state: 'never' });

      provider.script.account = 'alex';
      await bed.authorize(acme.admin.caller, id, provider);
      expect(await called(bed, acme.admin.caller, id)).toBe('alex');
      expect(await called(bed, acme.owner.caller, id)).toBe('ada');
      // Registered once for the connection, whoever authorises it.
      expect(provider.clients.size).toBe(1);
    });

    test.each([
      ['that nobody was asked for', null, 'ok'],
      ['of a server that was down', 'unreachable', 'ok'],
      ['of a server that refuses what the connection has', 'auth_required', 'needs_reauth'],
    ] as const)('%s shows as it is before anybody has begun it', async (_name, failed_with, state) => {
      const bed = await openCredentials(await open());
      const { acme, auth, store } = bed;
      const id = await bed.create(acme.owner.caller);
      const refreshes = store.db<ConnectionTables>().updateTable('connection_refreshes').set({ failed_with });
      await refreshes.where('connection_id', '=', id).execute();
      expect(await auth.state(acme.owner.caller, id)).toMatchObject({ kind: 'none', state });
    });

    test('is finished once, in its time, by nobody who is signed in as another', async () => {
      const bed = await openCredentials(await open());
      const { acme, auth, provider, clock } = bed;
      const id = await bed.create(acme.owner.caller);
      const backOf = async () => provider.browse(await bed.leave(acme.owner.caller, id));
      const over = 'This link is not valid any more. Begin the authorization again.';

      const used = await backOf();
      await auth.finish(used.searchParams, { ...BROWSER, userId: acme.owner.userId });
      expect(await messageOf(auth.finish(used.searchParams, BROWSER))).toBe(over);

      const strange = await backOf();
      const asAnother = { ...BROWSER, userId: acme.admin.userId };
      expect(await messageOf(auth.finish(strange.searchParams, asAnother))).toBe(over);
      expect(await messageOf(auth.finish(strange.searchParams, BROWSER))).toBe(over);

      const late = await backOf();
      clock.nowMs += 10 * 60_000;
      expect(await messageOf(auth.finish(late.searchParams, BROWSER))).toBe(over);
      for (const state of ['', 'made-up', 'x'.repeat(5000)])
        expect(await messageOf(auth.finish(new URLSearchParams({ state, code: 'c' }), BROWSER))).toBe(over);
      expect(provider.asked).toEqual(['authorization_code']);
    });

    test('ends in the browser where it was begun, and in no other', async () => {
      const bed = await openCredentials(await open());
      const { acme, auth, provider } = bed;
      const id = await bed.create(acme.owner.caller);
      const others = [
        {},
        { nonce: '' },
        { nonce: 'of-another-browser' },
        { userId: acme.owner.userId },
        { userId: acme.owner.userId, nonce: 'of-another-browser' },
      ];
      for (const other of others) {
        const back = await provider.browse(await bed.leave(acme.owner.caller, id));
        expect(await codeOf(auth.finish(back.searchParams, other))).toBe('invalid');
        // What somebody else has seen is used up.
        expect(await codeOf(auth.finish(back.searchParams, BROWSER))).toBe('invalid');
      }
      expect(provider.asked).toEqual([]);
      expect(await called(bed, acme.owner.caller, id)).toBe('auth_required');
    });

    test('of one for all is for administrators, and serves everybody', async () => {
      const bed = await openCredentials(await open());
      const { acme, auth, provider } = bed;
      const id = await bed.create(acme.owner.caller, { metadata: { gateway: { oauth: 'shared' } } });
      const user = { ...acme.member.caller, grants: { [id]: ['*'] } };
      expect(await codeOf(auth.authorize(user, id))).toBe('forbidden');
      expect(await called(bed, user, id)).toBe('auth_required');
      await bed.authorize(acme.admin.caller, id, provider);
      expect(await called(bed, user, id)).toBe('ada');
      expect(await auth.state(user, id)).toMatchObject({ state: 'ok', isShared: true });
      expect(await codeOf(auth.revoke(user, id))).toBe('forbidden');
    });

    test('can be taken back, and its provider hears of it', async () => {
      const bed = await openCredentials(await open());
      const { acme, auth, provider } = bed;
      const id = await bed.create(acme.owner.caller);
      await bed.authorize(acme.owner.caller, id, provider);
      const { token } = await bed.targets.targetFor(acme.owner.caller, id);
      await auth.revoke(acme.owner.caller, id);
      await eventually(() => expect(provider.accountOf(token ?? '')).toBeUndefined());
      expect(await called(bed, acme.owner.caller, id)).toBe('auth_required');
      await auth.revoke(acme.owner.caller, id);
      const { entries } = await bed.identity.audit.after(acme.id, { after: 0, limit: 100 });
      const acts = entries.map(({ action }) => action).filter((action) => /auth/.test(action));
      expect(acts).toEqual(['connection.authorised', 'connection.auth_revoked']);
      expect(JSON.stringify(entries)).not.toContain(token);
    });
  },
  CREDENTIAL_MIGRATIONS,
);

describe('who may', () => {
  test('foreign, unknown and ungranted connections look alike', async () => {
    const bed = await opened();
    const { acme, rival, auth } = bed;
    const id = await bed.create(acme.owner.caller);
    const answers = new Set<string>();
    for (const [caller, asked] of [
      [rival.owner.caller, id],
      [acme.owner.caller, 'conn_nobody'],
      [acme.member.caller, id],
      [acme.owner.caller, `${acme.id}_self`],
    ] as const)
      for (const work of [
        auth.authorize(caller, asked),
        auth.state(caller, asked),
        auth.revoke(caller, asked),
        auth.setToken(caller, asked, 'token'),
        auth.removeToken(caller, asked),
      ])
        answers.add(`${await codeOf(work)} ${await messageOf(work)}`);
    expect([...answers]).toEqual(['not_found Connection not found']);
  });

  test('a link of an answer begins it for the person it was made for', async () => {
    const bed = await opened();
    const { acme, auth, provider, clock } = bed;
    const id = await bed.create(acme.owner.caller);
    const fault = await bed.targets
      .through(acme.owner.caller, id, async () => Promise.reject(await refusal()))
      .catch((error: unknown) => error as Error & { link?: string });
    const link = fault instanceof Error ? (fault.link ?? '') : '';
    expect(link).toMatch(/^http:\/\/localhost:4680\/oauth\/start\/parley_start_/);
    expect((fault as Error).message).toContain(link);
    const text = link.split('/').at(-1) ?? '';
    expect(await auth.offer(text)).toEqual({
      title: 'Notes',
      host: new URL(bed.upstream.origin).host,
      name: 'Ada Owner',
    });
    expect(await codeOf(auth.follow(text, { ...BROWSER, userId: acme.admin.userId }))).toBe('invalid');
    const { url } = await auth.follow(text, { ...BROWSER, userId: acme.owner.userId });
    await auth.finish((await provider.browse(url)).searchParams, BROWSER);
    expect(await called(bed, acme.owner.caller, id)).toBe('ada');

    const bent = `${text.slice(0, -1)}${text.endsWith('A') ? 'B' : 'A'}`;
    for (const wrong of [bent, '', 'parley_start_', text.slice(13)])
      expect(await codeOf(auth.offer(wrong))).toBe('invalid');
    clock.nowMs += 10 * 60_000;
    expect(await codeOf(auth.offer(text))).toBe('invalid');
  });
});

async function refusal() {
  const { UpstreamFault } = await import('../link.ts');
  return new UpstreamFault('auth_required', 'The server answered 401.');
}

describe('clients', () => {
  test('a stored one comes first, with its secret', async () => {
    const bed = await opened();
    const { acme, provider } = bed;
    const client = provider.addClient(`${BASE_URL}/oauth/callback`);
    const id = await bed.create(acme.owner.caller, {
      oauth_config: {
        authorizationEndpoint: `${provider.origin}/authorize`,
        tokenEndpoint: `${provider.origin}/token`,
        clientId: client.id,
        clientSecret: client.secret,
        scopes: ['a', 'b'],
        grantType: 'authorization_code',
      },
    });
    expect(await called(bed, acme.owner.caller, id)).toBe('auth_required');
    await bed.authorize(acme.owner.caller, id, provider);
    expect(await called(bed, acme.owner.caller, id)).toBe('ada');
    expect(provider.clients.size).toBe(1);
    expect(bed.upstream.seen.some(({ url }) => url.includes('.well-known'))).toBe(false);
  });

  test('secrets in addresses go to their own server alone', async () => {
    const bed = await opened();
    const { acme, provider, clock } = bed;
    const client = provider.addClient(`${BASE_URL}/oauth/callback`);
    const id = await bed.create(acme.owner.caller, {
      connection_url: `${bed.upstream.origin}/mcp?api_key=secret-of-notes`,
      oauth_config: {
        authorizationEndpoint: `${provider.origin}/authorize`,
        tokenEndpoint: `${provider.origin}/token?api_key=secret-of-tokens`,
        clientId: client.id,
        clientSecret: client.secret,
        scopes: [],
        grantType: 'authorization_code',
      },
    });
    await bed.authorize(acme.owner.caller, id, provider);
    clock.nowMs += 3_600_000;
    expect(await called(bed, acme.owner.caller, id)).toBe('ada');
    expect(provider.asked).toEqual(['authorization_code', 'refresh_token']);
    expect(JSON.stringify(provider.seen)).not.toContain('secret-of-notes');
    const tokens = bed.store.db<Record<string, object>>().selectFrom('downstream_tokens');
    expect(JSON.stringify(await tokens.selectAll().execute())).not.toMatch(
      /secret-of|access-|refresh-[0-9a-f]/,
    );
  });

  test('the document about this server is preferred to a registration', async () => {
    const publicUrl = 'https://parley.example';
    const bed = await opened({ publicUrl });
    const { acme, auth, provider } = bed;
    provider.script.metadata = { client_id_metadata_document_supported: true };
    expect(auth.clientDocument()).toMatchObject({
      client_id: `${publicUrl}/oauth/client.json`,
      redirect_uris: [`${publicUrl}/oauth/callback`],
      token_endpoint_auth_method: 'none',
    });
    const id = await bed.create(acme.owner.caller);
    await bed.authorize(acme.owner.caller, id, provider);
    expect(await called(bed, acme.owner.caller, id)).toBe('ada');
    expect(provider.clients.size).toBe(0);
  });

  test.each([
    ['ours', [`${BASE_URL}/oauth/callback`], 'ok'],
    ['ours among others', ['https://a.example/', `${BASE_URL}/oauth/callback`], 'ok'],
    ['none that it names', undefined, 'ok'],
    ['another one', ['https://evil.example/cb'], 'unavailable'],
    ['one that only begins like ours', [`${BASE_URL}/oauth/callback.evil`], 'unavailable'],
    ['nothing at all', [], 'unavailable'],
  ])('a registration is for the address that was asked for: %s', async (_name, redirect_uris, outcome) => {
    const bed = await opened();
    const { acme, auth, provider, store } = bed;
    provider.script.fault = ({ url }, response) => {
      if (url !== '/register') return false;
      response
        .writeHead(201, { 'content-type': 'application/json' })
        .end(JSON.stringify({ client_id: 'a', redirect_uris }));
      return true;
    };
    const id = await bed.create(acme.owner.caller);
    expect(await codeOf(auth.authorize(acme.owner.caller, id))).toBe(outcome);
    const kept = await store.db<ConnectionTables>().selectFrom('oauth_clients').selectAll().execute();
    expect(kept).toHaveLength(outcome === 'ok' ? 1 : 0);
  });

  test('without a public https address there is none', async () => {
    for (const options of [{}, { publicUrl: 'http://parley.example' }])
      expect((await opened(options)).auth.clientDocument()).toBeUndefined();
  });
});

describe('a hostile server', () => {
  const BIG = 'x'.repeat(70 * 1024);
  /** What it says, and the words of the refusal. */
  const CASES: Record<
    string,
    {
      metadata?: (elsewhere: string) => Record<string, unknown>;
      resource?: (elsewhere: string) => Record<string, unknown>;
      words: RegExp;
    }
  > = {
    'an authorization endpoint that is a script': {
      metadata: () => ({ authorization_endpoint: 'javascript:alert(1)' }),
      words: /not an https address/,
    },
    'an authorization endpoint that is a file': {
      metadata: () => ({ authorization_endpoint: 'file:///etc/passwd' }),
      words: /not an https address/,
    },
    'a token endpoint without TLS': {
      metadata: () => ({ token_endpoint: 'http://tokens.example/token' }),
      words: /not an https address/,
    },
    'a token endpoint at the metadata of a cloud': {
      metadata: () => ({ token_endpoint: 'https://169.254.169.254/token' }),
      words: /may not reach/,
    },
    'a registration endpoint in a private network': {
      metadata: () => ({ registration_endpoint: 'https://10.0.0.1/register' }),
      words: /may not reach/,
    },
    'a revocation endpoint in another spelling': {
      metadata: () => ({ revocation_endpoint: 'https://0xa9fea9fe/' }),
      words: /may not reach/,
    },
    'an endpoint with a password': {
      metadata: () => ({ token_endpoint: 'https://me:secret@tokens.example/' }),
      words: /not a plain address/,
    },
    'a sign-in of another server, whose codes it would get itself': {
      metadata: (elsewhere) => ({ authorization_endpoint: `${elsewhere}/authorize` }),
      words: /sign in at one server/,
    },
    'a sign-in of another server, whose codes a third one would get': {
      metadata: (elsewhere) => ({
        authorization_endpoint: `${elsewhere}/authorize`,
        token_endpoint: 'http://127.0.0.1:9/token',
      }),
      words: /sign in at one server/,
    },
    'a sign-in at another port of its host': {
      metadata: () => ({ authorization_endpoint: 'http://127.0.0.1:9/authorize' }),
      words: /sign in at one server/,
    },
    'another issuer': { metadata: (elsewhere) => ({ issuer: elsewhere }), words: /another one/ },
    'no PKCE': { metadata: () => ({ code_challenge_methods_supported: ['plain'] }), words: /PKCE/ },
    'more than 64 KiB': { metadata: () => ({ padding: BIG }), words: /64 KiB/ },
    'a resource that is another server': {
      resource: (elsewhere) => ({ resource: `${elsewhere}/mcp` }),
      words: /another server/,
    },
    'an authorization server without TLS': {
      resource: () => ({ authorization_servers: ['http://auth.example'] }),
      words: /not an https address/,
    },
    'an authorization server in a private network': {
      resource: () => ({ authorization_servers: ['https://192.168.0.1'] }),
      words: /may not reach/,
    },
    'metadata that is none': { resource: () => ({ resource: 7 }), words: /not what it should be/ },
  };

  test.each(Object.entries(CASES))(
    '%s: nobody is sent anywhere',
    async (_name, { metadata, resource, words }) => {
      const bed = await opened();
      const { acme, auth, provider } = bed;
      const elsewhere = await serveForTest((_request, response) => response.writeHead(404).end());
      provider.script.metadata = metadata?.(elsewhere.origin) ?? {};
      provider.script.resource = resource?.(elsewhere.origin) ?? {};
      const id = await bed.create(acme.owner.caller);
      expect(await messageOf(auth.authorize(acme.owner.caller, id))).toMatch(words);
      expect(provider.clients.size).toBe(0);
      expect(elsewhere.seen).toEqual([]);
    },
  );

  test.each<[name: string, metadata: (elsewhere: string) => Record<string, unknown>]>([
    ['gives tokens at another one', (elsewhere) => ({ token_endpoint: `${elsewhere}/token` })],
    [
      'has both at another one',
      (elsewhere) => ({
        authorization_endpoint: `${elsewhere}/authorize`,
        token_endpoint: `${elsewhere}/token`,
      }),
    ],
  ])('an issuer that %s is believed: codes go where it says itself', async (_name, metadata) => {
    const bed = await opened();
    const { acme, provider } = bed;
    const elsewhere = await serveForTest((_request, response) => response.writeHead(404).end());
    provider.script.metadata = metadata(elsewhere.origin);
    const id = await bed.create(acme.owner.caller);
    expect(await codeOf(bed.leave(acme.owner.caller, id))).toBe('ok');
  });

  test('metadata that redirects to another origin is not followed', async () => {
    const bed = await opened();
    const { acme, auth, provider } = bed;
    const elsewhere = await serveForTest((_request, response) => response.end('{}'));
    provider.script.fault = ({ url }, response) => {
      if (!url.includes('.well-known')) return false;
      response.writeHead(302, { location: `${elsewhere.origin}/metadata` }).end();
      return true;
    };
    const id = await bed.create(acme.owner.caller);
    expect(await messageOf(auth.authorize(acme.owner.caller, id))).toMatch(/redirects/);
    expect(elsewhere.seen).toEqual([]);
  });

  test('a challenge that names metadata of another server is not believed', async () => {
    const bed = await opened();
    const { acme, auth, provider } = bed;
    const liar = await serveForTest((_request, response) =>
      response
        .writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${provider.origin}/metadata"` })
        .end(),
    );
    const id = await bed.create(acme.owner.caller, { connection_url: `${liar.origin}/mcp` });
    expect(await messageOf(auth.authorize(acme.owner.caller, id))).toMatch(/another server/);
    expect(provider.seen).toEqual([]);
  });

  test.each([
    ['an answer in the name of another issuer', { iss: 'https://evil.example' }, 'unavailable'],
    ['an answer without the name of its issuer', { iss: '' }, 'unavailable'],
    ['an answer that is a refusal', { error: 'access_denied' }, 'declined'],
  ])('%s gives no token', async (_name, answer, code) => {
    const bed = await opened();
    const { acme, auth, provider } = bed;
    const id = await bed.create(acme.owner.caller);
    provider.script.answer = answer;
    const back = await provider.browse(await bed.leave(acme.owner.caller, id));
    if ('iss' in answer && answer.iss === '') back.searchParams.delete('iss');
    expect(await codeOf(auth.finish(back.searchParams, BROWSER))).toBe(code);
    expect(provider.asked).toEqual([]);
    expect(await called(bed, acme.owner.caller, id)).toBe('auth_required');
  });

  test('a token endpoint that redirects gets nothing sent on', async () => {
    const bed = await opened();
    const { acme, auth, provider } = bed;
    const elsewhere = await serveForTest((_request, response) => response.end('{}'));
    const id = await bed.create(acme.owner.caller);
    const back = await provider.browse(await bed.leave(acme.owner.caller, id));
    provider.script.fault = (_request, response) => {
      response.writeHead(307, { location: `${elsewhere.origin}/token` }).end();
      return true;
    };
    expect(await codeOf(auth.finish(back.searchParams, BROWSER))).toBe('unavailable');
    expect(elsewhere.seen).toEqual([]);
  });

  test('a connection that moved meanwhile gets no token', async () => {
    const bed = await opened();
    const { acme, auth, provider } = bed;
    const id = await bed.create(acme.owner.caller);
    const back = await provider.browse(await bed.leave(acme.owner.caller, id));
    await bed.connections.update(acme.owner.caller, id, { connection_url: 'https://elsewhere.example/mcp' });
    expect(await codeOf(auth.finish(back.searchParams, BROWSER))).toBe('invalid');
    expect(provider.asked).toEqual([]);
  });

  test('a token goes to no server but the one it was given for', async () => {
    const bed = await opened();
    const { acme, provider } = bed;
    const id = await bed.create(acme.owner.caller);
    await bed.authorize(acme.owner.caller, id, provider);
    await bed.connections.update(acme.owner.caller, id, { connection_url: 'https://elsewhere.example/mcp' });
    expect(await bed.targets.targetFor(acme.owner.caller, id)).toMatchObject({ token: null });
  });
});
