/** A client of a server that the factory made, in either era. */
import { clientOver } from '@parley/kit/testing';
import type { AgentMcpServer } from '../src/factory/server.ts';

type Client = Awaited<ReturnType<typeof clientOver>>;

export interface SessionClient extends AsyncDisposable {
  readonly raw: Client;
  names(): Promise<string[]>;
  call(name: string, args: Record<string, unknown>): ReturnType<Client['callTool']>;
}

export async function clientOf(
  { instance }: AgentMcpServer,
  era: 'modern' | 'legacy' = 'modern',
): Promise<SessionClient> {
  const raw = await clientOver((transport) => instance.connect(transport), era);
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
