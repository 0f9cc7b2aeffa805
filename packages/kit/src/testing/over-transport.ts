/** A client of a server that connects itself, such as one that another program is given: the real protocol, and no port. */
import { Client } from '@modelcontextprotocol/client';
import type { Transport } from '@modelcontextprotocol/server';
import { InMemoryTransport } from '@modelcontextprotocol/server';

/** Connects a client of either era; `connect` is given the server's end. */
export async function clientOver(
  connect: (transport: Transport) => Promise<void>,
  era: 'modern' | 'legacy' = 'modern',
): Promise<Client> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  await connect(there);
  const mode = era === 'modern' ? 'auto' : 'legacy';
  const client = new Client({ name: 'parley-test', version: '0.0.0' }, { versionNegotiation: { mode } });
  await client.connect(here);
  return client;
}
