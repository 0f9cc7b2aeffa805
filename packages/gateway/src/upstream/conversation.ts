/** One conversation with an upstream, from the handshake to the end, within its time. */
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { RequestOptions, Transport } from '@modelcontextprotocol/client';
import type { CallLimits, UpstreamFailure, UpstreamTarget } from '@parley/connections';
import type { Egress } from '@parley/kit/egress';
import type { Sightings } from './faults.ts';
import { failureOf } from './failure.ts';
import { BadUpstream, NoProgram, OutOfTime } from './faults.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { STDIO_PROBE_MS } from './limits.ts';
import { ProgramTransport } from './stdio/program-transport.ts';
import type { Programs } from './stdio/programs.ts';

/** What conversations are held with. */
export interface Means {
  readonly egress: Egress;
  readonly programs: Programs;
  /** How this server introduces itself. */
  readonly info: { readonly name: string; readonly version: string };
  /** The time that an upstream has, by type. */
  readonly answerMs: Readonly<Record<UpstreamTarget['type'], number>>;
  /** Told what still has to end after the answer is known. */
  readonly ending: (work: Promise<void>) => void;
}

/** What is done in a conversation. */
export type Work<T> = (client: Client, options: RequestOptions) => Promise<T>;

/** Connects, does the work, and lets go; whatever fails becomes a failure that can be shown. */
export async function converse<T>(
  means: Means,
  target: UpstreamTarget,
  work: Work<T>,
  { limitMs = means.answerMs[target.type], signal: stop }: CallLimits = {},
): Promise<{ readonly ok: true; readonly value: T } | UpstreamFailure> {
  const seen: Sightings = {};
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(new OutOfTime()), limitMs);
  const onStop = () => ended.abort(new OutOfTime());
  stop?.addEventListener('abort', onStop, { once: true });
  const opened: Opened[] = [];
  const options: RequestOptions = { signal: ended.signal, timeout: limitMs, maxTotalTimeout: limitMs };
  try {
    const talk = connected(means, target, { seen, ended: ended.signal, options, opened }).then((client) =>
      work(client, options),
    );
    return { ok: true, value: await untilAborted(talk, ended.signal) };
  } catch (error) {
    return failureOf(error, seen);
  } finally {
    clearTimeout(timer);
    stop?.removeEventListener('abort', onStop);
    means.ending(closeAll(opened, ended));
  }
}

interface Opened {
  readonly client: Client;
  readonly transport: Transport;
}

interface Talk {
  readonly seen: Sightings;
  readonly ended: AbortSignal;
  readonly options: RequestOptions;
  /** Everything that was opened, so that all of it is closed. */
  readonly opened: Opened[];
}

async function connected(means: Means, target: UpstreamTarget, talk: Talk): Promise<Client> {
  if (target.type !== 'STDIO') {
    const isStream = target.type === 'SSE';
    return connect(means, talk, remoteTransport(means, target, talk), isStream ? 'legacy' : 'auto');
  }
  const { program } = target;
  if (program === null) throw new NoProgram('The connection has no command. Set connection_headers.command.');
  const start = () => means.programs.transport(target.id, program);
  const first = start();
  try {
    return await connect(means, talk, first, 'auto');
  } catch (error) {
    // Some of the 2025 revisions end at a request that they do not know: those are asked anew, in their own words.
    if (!first.wasStarted || !first.hasEnded || talk.ended.aborted) throw error;
    return connect(means, talk, start(), 'legacy');
  }
}

async function connect(
  { info }: Means,
  { options, opened }: Talk,
  transport: Transport,
  mode: 'auto' | 'legacy',
): Promise<Client> {
  const client = new Client(info, {
    capabilities: {},
    versionNegotiation: {
      mode,
      ...(transport instanceof ProgramTransport && { probe: { timeoutMs: STDIO_PROBE_MS } }),
    },
  });
  // Faults beside the conversation, such as a stream that a server does not offer; what matters fails a request.
  Object.assign(client, { onerror: () => undefined });
  opened.push({ client, transport });
  await client.connect(transport, options);
  return client;
}

function remoteTransport({ egress }: Means, target: UpstreamTarget, { seen, ended }: Talk): Transport {
  const url = target.url === null ? null : URL.parse(target.url);
  if (url === null) throw new BadUpstream('The connection has no address. Set connection_url.');
  const fetch = guardedFetch(egress, { seen, ended, allow: target.allow });
  const bearer = target.token === null ? {} : { authorization: `Bearer ${target.token}` };
  const requestInit: RequestInit = {
    headers: Object.fromEntries(new Headers({ ...bearer, ...lowerCased(target.headers) })),
    redirect: 'manual',
  };
  if (target.type === 'SSE') return new SSEClientTransport(url, { fetch, requestInit });
  return new StreamableHTTPClientTransport(url, { fetch, requestInit });
}

/** Two spellings of one name would be sent as one header with both values. */
function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

const GOODBYE_MS = 1_000;

async function closeAll(opened: readonly Opened[], ended: AbortController): Promise<void> {
  await Promise.all(
    opened.map(async ({ client, transport }) => {
      const isOpen = transport instanceof StreamableHTTPClientTransport && !ended.signal.aborted;
      if (isOpen && transport.sessionId !== undefined) await goodbye(transport);
      // Both end whatever they find; that it was gone already concerns nobody.
      await Promise.allSettled([client.close(), transport.close()]);
    }),
  );
  ended.abort();
}

/** Tells a server that keeps sessions that this one is over; whether it hears it does not matter. */
async function goodbye(transport: StreamableHTTPClientTransport): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, GOODBYE_MS);
  await Promise.race([Promise.allSettled([transport.terminateSession()]), late.promise]);
  clearTimeout(timer);
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const gate = Promise.withResolvers<never>();
  const onAbort = () => gate.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    // Work that fails after time ran out has its fault in this race, where nobody looks any more.
    return await Promise.race([work, gate.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
