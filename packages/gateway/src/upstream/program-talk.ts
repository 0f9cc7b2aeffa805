/** One conversation with a program over its standard input and output, from the handshake to the end. */
import { Client, ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { RequestOptions } from '@modelcontextprotocol/client';
import type { UpstreamTarget } from '@parley/connections';
import * as z from 'zod';
import type { Asked } from './asking.ts';
import { NoProgram } from './faults.ts';
import { STDIO_PROBE_MS } from './limits.ts';
import { UpstreamFault } from './link.ts';
import type { ProgramTransport } from './stdio/program-transport.ts';
import type { Programs } from './stdio/programs.ts';
import { untilAborted } from './wire/waiting.ts';

/** What such a conversation is held with. */
export interface ProgramMeans {
  readonly programs: Programs;
  /** How this server introduces itself. */
  readonly info: { readonly name: string; readonly version: string };
  /** Told what still has to end after the answer is known. */
  readonly ending: (work: Promise<void>) => void;
}

interface Opened {
  readonly client: Client;
  readonly transport: ProgramTransport;
}

/** Starts the program, does the work, and lets go. */
export async function withProgram<T>(
  means: ProgramMeans,
  target: UpstreamTarget,
  { signal, limitMs }: { readonly signal: AbortSignal; readonly limitMs: number },
  work: (asked: Asked) => Promise<T>,
): Promise<T> {
  const opened: Opened[] = [];
  const options: RequestOptions = { signal, timeout: limitMs, maxTotalTimeout: limitMs };
  try {
    const talk = connected(means, target, opened, options).then((client) => work(askedOf(client, options)));
    return await untilAborted(talk, signal);
  } catch (error) {
    throw faultOf(error);
  } finally {
    means.ending(closeAll(opened));
  }
}

function askedOf(client: Client, options: RequestOptions): Asked {
  return {
    capabilities: async () => client.getServerCapabilities() ?? {},
    request: (method, params) => client.request({ method, params }, z.looseObject({}), options),
  };
}

async function connected(
  { programs, info }: ProgramMeans,
  { id, program }: UpstreamTarget,
  opened: Opened[],
  options: RequestOptions,
): Promise<Client> {
  if (program === null) throw new NoProgram('The connection has no command. Set connection_headers.command.');
  const connect = async (transport: ProgramTransport, mode: 'auto' | 'legacy') => {
    const versionNegotiation = { mode, probe: { timeoutMs: STDIO_PROBE_MS } };
    const client = new Client(info, { capabilities: {}, versionNegotiation });
    // Faults beside the conversation; what matters fails a request.
    Object.assign(client, { onerror: () => undefined });
    opened.push({ client, transport });
    await client.connect(transport, options);
    return client;
  };
  const first = programs.transport(id, program);
  try {
    return await connect(first, 'auto');
  } catch (error) {
    // Some of the 2025 revisions end at a request that they do not know: those are asked anew, in their own words.
    if (!first.wasStarted || !first.hasEnded || options.signal?.aborted === true) throw error;
    return connect(programs.transport(id, program), 'legacy');
  }
}

function faultOf(error: unknown): unknown {
  if (ProtocolError.isInstance(error)) return new UpstreamFault('rpc', 'The server answered with an error.');
  if (!SdkError.isInstance(error)) return error;
  if (error.code === SdkErrorCode.RequestTimeout)
    return new UpstreamFault('timeout', 'The server did not answer in time. Try again later.');
  if (error.code === SdkErrorCode.ConnectionClosed)
    return new UpstreamFault('dropped', 'The server ended before it answered.');
  return error;
}

async function closeAll(opened: readonly Opened[]): Promise<void> {
  // Both end whatever they find; that it was gone already concerns nobody.
  await Promise.all(
    opened.map(({ client, transport }) => Promise.allSettled([client.close(), transport.close()])),
  );
}
