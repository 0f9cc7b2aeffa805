/** The MCP client inside @openai/agents; no model and no network beyond the server under test. */
import type { Connection, ForeignClient } from './foreign-client.ts';
import { loadTool, scratchEnvironment, textOf } from './foreign-client.ts';

interface AgentsServer {
  connect(): Promise<void>;
  listTools(): Promise<{ name: string }[]>;
  callTool(name: string, args: object): Promise<{ type: string; text?: unknown }[]>;
  close(): Promise<void>;
}

interface Agents {
  MCPServerStreamableHttp: new (options: object) => AgentsServer;
  MCPServerStdio: new (options: object) => AgentsServer;
  setTracingDisabled(isDisabled: boolean): void;
}

/** @openai/agents. */
export const openaiAgents: ForeignClient = {
  name: '@openai/agents',
  era: null,
  overHttp({ url, key }) {
    const options = { url, requestInit: { headers: { authorization: `Bearer ${key}` } } };
    return connect(({ MCPServerStreamableHttp }) => new MCPServerStreamableHttp(options));
  },
  overStdio({ command, args }, home) {
    const options = { command, args, env: scratchEnvironment(home) };
    return connect(({ MCPServerStdio }) => new MCPServerStdio(options));
  },
};

async function connect(makeServer: (agents: Agents) => AgentsServer): Promise<Connection> {
  const agents = loadTool<Agents>('@openai/agents');
  agents.setTracingDisabled(true);
  const server = makeServer(agents);
  await server.connect();
  return {
    listTools: async () => (await server.listTools()).map(({ name }) => name),
    // It hands over the content alone, so a failed call shows only in its text.
    async call(tool) {
      const content = await server.callTool(tool, {});
      return textOf(content, textOf(content).startsWith('Error: '));
    },
    era: () => null,
    close: () => server.close(),
  };
}
