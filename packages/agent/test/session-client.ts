/** A client of a server that the factory made, over a transport in this process, in either era. */
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import type { AgentMcpServer } from '../src/factory/server.ts';

export interface SessionClient extends AsyncDisposable {
  readonly raw: Client;
  names(): Promise<string[]>;
  /** The code of a refusal, or nothing, beside the whole result. */
  call(name: string, args: Record<string, unknown>): ReturnType<Client['callTool']>;
}

export async function clientOf(
  { instance }: AgentMcpServer,
  era: 'modern' | 'legacy' = 'modern',
): Promise<SessionClient> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  await instance.connect(there);
  const raw = new Client(
    { name: 'session', version: '1.0.0' },
    { versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' } },
  );
  await raw.connect(here);
  return {
    raw,
    names: async () => (await raw.listTools()).tools.map(({ name }) => name),
    call: (name, args) => raw.callTool({ name, arguments: args }),
    async [Symbol.asyncDispose]() {
      await raw.close();
      await instance.close();
    },
  };
}
