/** The official clients with an OAuth provider: there is none to go to, and they say so instead of going anywhere. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureTestTools } from '../../scripts/install-test-tools.ts';
import { loadTool } from './foreign-client.ts';
import type { Product } from './product.ts';
import { startProduct } from './product.ts';

interface Parts {
  Client: new (
    info: { name: string; version: string },
    options: object,
  ) => { connect(transport: object): Promise<void>; close(): Promise<void> };
  StreamableHTTPClientTransport: new (url: URL, options: object) => object;
}

const CLIENTS: Record<string, () => Parts> = {
  'version 1': () => ({
    ...loadTool<Pick<Parts, 'Client'>>('@modelcontextprotocol/sdk/client/index.js'),
    ...loadTool<Pick<Parts, 'StreamableHTTPClientTransport'>>(
      '@modelcontextprotocol/sdk/client/streamableHttp.js',
    ),
  }),
  'version 2': () => loadTool<Parts>('@modelcontextprotocol/client'),
};
const INSTALL_TIMEOUT_MS = 300_000;

let product: Product;

beforeAll(async () => {
  await ensureTestTools();
  product = await startProduct();
}, INSTALL_TIMEOUT_MS);

afterAll(() => product?.stop());

test.each(Object.entries(CLIENTS))(
  '%s fails with words of this server, and opens no page',
  async (_name, load) => {
    const { Client, StreamableHTTPClientTransport } = load();
    const opened: unknown[] = [];
    const asked: string[] = [];
    const authProvider = {
      redirectUrl: 'http://127.0.0.1:1/callback',
      clientMetadata: { client_name: 'oauth-test', redirect_uris: ['http://127.0.0.1:1/callback'] },
      clientInformation: () => undefined,
      saveClientInformation: (given: unknown) => opened.push(given),
      tokens: () => undefined,
      saveTokens: (given: unknown) => opened.push(given),
      redirectToAuthorization: (url: unknown) => opened.push(url),
      saveCodeVerifier: (given: unknown) => opened.push(given),
      codeVerifier: () => 'verifier',
    };
    const seen = (input: string | URL, init?: RequestInit) => {
      asked.push(new URL(input).pathname);
      return fetch(input, init);
    };
    const client = new Client({ name: 'oauth-test', version: '1.0.0' }, {});
    const transport = new StreamableHTTPClientTransport(new URL(product.endpoint.url), {
      authProvider,
      fetch: seen,
    });
    await expect(client.connect(transport)).rejects.toThrow(/There is no OAuth here/);
    expect(asked).toContain('/.well-known/oauth-protected-resource/mcp');
    expect(opened).toEqual([]);
    await client.close();
  },
);
