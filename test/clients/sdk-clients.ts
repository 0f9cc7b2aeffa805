/** The official TypeScript clients: version 1, which speaks 2025, and version 2, which negotiates. */
import type { Connection, Era, ForeignClient } from './foreign-client.ts';
import { loadTool, scratchEnvironment, textOf } from './foreign-client.ts';

interface SdkClient {
  connect(transport: object): Promise<void>;
  listTools(): Promise<{ tools: { name: string }[] }>;
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

function sdkClient(name: string, era: Era, options: object, load: () => Parts): ForeignClient {
  async function connect(makeTransport: (parts: Parts) => object): Promise<Connection> {
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

function connectionOf(client: SdkClient): Connection {
  return {
    async listTools() {
      const { tools } = await client.listTools();
      return tools.map(({ name }) => name);
    },
    async call(tool) {
      const { isError, content } = await client.callTool({ name: tool, arguments: {} });
      return textOf(content, isError);
    },
    // Version 1 knows no other era.
    era: () => client.getProtocolEra?.() ?? 'legacy',
    close: () => client.close(),
  };
}
