/** The official TypeScript clients: version 1, which speaks 2025, and version 2, which negotiates. */
import type { Connection, Endpoint, Era, ForeignClient } from './foreign-client.ts';
import { loadTool, scratchEnvironment, textOf } from './foreign-client.ts';

/** A tool as these clients show it. */
export interface ShownTool {
  readonly name: string;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** What these clients can do besides. */
export interface SdkConnection extends Connection {
  call(tool: string, args?: object): Promise<string>;
  definitions(): Promise<ShownTool[]>;
  /** The text of a document. */
  read(uri: string): Promise<string>;
}

/** One of the official clients. */
export interface SdkForeignClient extends ForeignClient {
  overHttp(endpoint: Endpoint): Promise<SdkConnection>;
}

interface SdkClient {
  connect(transport: object): Promise<void>;
  listTools(): Promise<{ tools: ShownTool[] }>;
  readResource(wanted: { uri: string }): Promise<{ contents: { text?: string }[] }>;
  callTool(call: { name: string; arguments: object }): Promise<{
    isError?: boolean;
    content: { type: string; text?: unknown }[];
  }>;
  getProtocolEra?(): Era | undefined;
  close(): Promise<void>;
}

interface Parts {
  Client: new (info: { name: string; version: string }, options: object) => SdkClient;
  StreamableHTTPClientTransport: new (url: URL, options: object) => object;
  StdioClientTransport: new (program: object) => object;
}

/** @modelcontextprotocol/sdk. */
export const sdkV1 = sdkClient('SDK v1 client', 'legacy', {}, () => ({
  ...loadTool<Pick<Parts, 'Client'>>('@modelcontextprotocol/sdk/client/index.js'),
  ...loadTool<Pick<Parts, 'StreamableHTTPClientTransport'>>(
    '@modelcontextprotocol/sdk/client/streamableHttp.js',
  ),
  ...loadTool<Pick<Parts, 'StdioClientTransport'>>('@modelcontextprotocol/sdk/client/stdio.js'),
}));

/** @modelcontextprotocol/client. */
export const sdkV2 = sdkClient('SDK v2 client', 'modern', { versionNegotiation: { mode: 'auto' } }, () => ({
  ...loadTool<Pick<Parts, 'Client' | 'StreamableHTTPClientTransport'>>('@modelcontextprotocol/client'),
  ...loadTool<Pick<Parts, 'StdioClientTransport'>>('@modelcontextprotocol/client/stdio'),
}));

function sdkClient(name: string, era: Era, options: object, load: () => Parts): SdkForeignClient {
  async function connect(makeTransport: (parts: Parts) => object): Promise<SdkConnection> {
    const parts = load();
    const client = new parts.Client({ name: 'foreign-client-test', version: '1.0.0' }, options);
    await client.connect(makeTransport(parts));
    return connectionOf(client);
  }
  return {
    name,
    era,
    overHttp: ({ url, key }) =>
      connect(({ StreamableHTTPClientTransport }) => {
        const requestInit = { headers: { authorization: `Bearer ${key}` } };
        return new StreamableHTTPClientTransport(new URL(url), { requestInit });
      }),
    overStdio: ({ command, args }, home) =>
      connect(
        ({ StdioClientTransport }) =>
          new StdioClientTransport({ command, args, env: scratchEnvironment(home), stderr: 'ignore' }),
      ),
  };
}

function connectionOf(client: SdkClient): SdkConnection {
  return {
    async listTools() {
      const { tools } = await client.listTools();
      return tools.map(({ name }) => name);
    },
    definitions: async () => (await client.listTools()).tools,
    async read(uri) {
      const { contents } = await client.readResource({ uri });
      return contents.map(({ text = '' }) => text).join('');
    },
    async call(tool, args = {}) {
      const { isError, content } = await client.callTool({ name: tool, arguments: args });
      return textOf(content, isError);
    },
    // Version 1 knows no other era.
    era: () => client.getProtocolEra?.() ?? 'legacy',
    close: () => client.close(),
  };
}
