/** Owns connecting to exactly what a text hands out: the entry is used as it stands, only the key is filled in. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

interface Entry {
  readonly command?: string;
  readonly args?: string[];
  readonly url?: string;
  readonly headers?: Record<string, string>;
}

/** The names of the tools and the pending notes that a client finds with a configuration. */
export async function connectWith(
  configuration: string,
  { cwd, key = '' }: { cwd: string; key?: string },
): Promise<{ tools: string[]; pending: string[] }> {
  const { mcpServers } = JSON.parse(configuration) as { mcpServers: { parley: Entry } };
  const { command, args = [], url, headers = {} } = mcpServers.parley;
  const client = new Client({ name: 'pasted', version: '1.0.0' });
  const filled = Object.entries(headers).map(([name, value]) => [name, value.replace('${PARLEY_KEY}', key)]);
  const transport =
    command === undefined
      ? new StreamableHTTPClientTransport(new URL(url!), {
          requestInit: { headers: Object.fromEntries(filled) as Record<string, string> },
        })
      : new StdioClientTransport({ command, args, cwd });
  await client.connect(transport);
  try {
    const { tools } = await client.listTools();
    const { structuredContent } = await client.callTool({ name: 'get_all_pending', arguments: {} });
    const { annotations } = structuredContent as { annotations: { annotationText: string }[] };
    return {
      tools: tools.map(({ name }) => name),
      pending: annotations.map(({ annotationText }) => annotationText),
    };
  } finally {
    await client.close();
  }
}
