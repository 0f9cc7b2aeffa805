/** A handshake with an engine of this process, in the protocol that its clients speak. */
import { InMemoryTransport } from '@modelcontextprotocol/server';
import type { Caller } from '../access/caller.ts';
import type { Engine } from '../call/engine.ts';
import { OpenConnection } from '../channel/connection.ts';
import { withLegacyCodes } from './legacy-codes.ts';
import { createProtocolServer } from './server.ts';

const INFO = { name: 'parley', version: '0.0.0' };

/** Connects as a client of this caller would, and leaves again; throws when no MCP server answers in time. */
export async function handshake(engine: Engine, caller: Caller, timeoutMs: number): Promise<void> {
  // Most processes never need the client.
  const { Client } = await import('@modelcontextprotocol/client');
  const [near, far] = InMemoryTransport.createLinkedPair();
  const connection = new OpenConnection();
  const who = { caller, callerOf: () => caller, connection };
  const server = createProtocolServer({ engine, info: INFO, era: 'legacy', watched: new Set(), ...who });
  const client = new Client(INFO, { capabilities: {}, versionNegotiation: { mode: 'legacy' } });
  try {
    await server.connect(withLegacyCodes(far));
    await client.connect(near, { timeout: timeoutMs });
  } finally {
    // Each ends whatever it finds.
    await Promise.allSettled([client.close(), server.close(), connection.end()]);
  }
}
