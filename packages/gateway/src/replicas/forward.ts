/** Sends requests on to the replica that can answer them, and its answers back as they come. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { endOrDestroy, HttpRefusal } from '@parley/http';
import type { Egress, LineHead, LineReader } from '@parley/kit/egress';
import { EgressError } from '@parley/kit/egress';
import { signalOf } from '../http/signal-of.ts';
import { isRequest } from '../messages.ts';
import type { Whereabouts } from './directory.ts';
import type { Passes } from './pass.ts';
import { digestOf, PASS_HEADER } from './pass.ts';

export interface ForwardOptions {
  readonly id: string;
  readonly egress: Egress;
  readonly passes: Passes;
  find(id: string): Promise<Whereabouts | undefined>;
}

/** A request to another replica. */
export interface Errand {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path and query. */
  readonly url: string;
  /** What the client sent, as far as it goes on. */
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly callerId: string;
  readonly signal: AbortSignal;
  /** True: it belongs to something that the other one has begun. */
  readonly isPartOfOld: boolean;
  readerFor(head: LineHead): LineReader;
}

/** Whether somebody was there to take it. */
export type Errands = (replicaId: string, errand: Errand) => Promise<'answered' | 'gone'>;

/** They belong to one connection, or are for the replica that the client came to and for nobody else. */
const STAYS = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-length',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'origin',
  'proxy-authorization',
  'proxy-connection',
  'referer',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers of an answer that a client needs. */
const GOES_BACK = [
  'allow',
  'cache-control',
  'content-type',
  'mcp-protocol-version',
  'mcp-session-id',
  'retry-after',
  'x-accel-buffering',
];

export class Forwarder {
  readonly #options: ForwardOptions;
  /** What is under way, by the replica that it waits for. */
  readonly #open = new Map<string, Set<AbortController>>();
  /** Streams that end only when they are ended. */
  readonly #streams = new Set<AbortController>();

  constructor(options: ForwardOptions) {
    this.#options = options;
  }

  /** Ends what waits for a replica that will not answer any more. */
  cut(replicaId: string): void {
    for (const control of this.#open.get(replicaId) ?? []) control.abort(new ReplicaLost());
  }

  /** Ends the streams of clients, so that they open them elsewhere. */
  endStreams(): void {
    for (const stream of this.#streams) stream.abort();
  }

  /** A request of a client to the replica that has its session. */
  async pass(
    replicaId: string,
    {
      req,
      res,
      body,
      callerId,
    }: { req: IncomingMessage; res: ServerResponse; body: unknown; callerId: string },
  ): Promise<void> {
    const stream = new AbortController();
    const left = signalOf(res);
    const errand: Errand = {
      // A session is asked in no other way.
      method: req.method as Errand['method'],
      url: req.url ?? '/',
      headers: forwarded(req.headers),
      body: body === undefined ? '' : JSON.stringify(body),
      callerId,
      isPartOfOld: req.method === 'DELETE' || (req.method === 'POST' && !asksAnything(body)),
      signal: AbortSignal.any([left, stream.signal]),
      readerFor(head) {
        res.writeHead(head.status, headersBack(head));
        res.flushHeaders();
        return {
          read(chunk) {
            res.write(chunk);
            return false;
          },
        };
      },
    };
    let outcome: 'answered' | 'gone';
    if (errand.method === 'GET') this.#streams.add(stream);
    try {
      outcome = await this.send(replicaId, errand);
    } catch (error) {
      // Whoever has left is told nothing.
      if (left.aborted) return;
      const isEnded = stream.signal.aborted;
      if (!isEnded && !(error instanceof EgressError || error instanceof ReplicaLost)) throw error;
      if (res.headersSent) {
        if (isEnded) endOrDestroy(res);
        else res.destroy();
        return;
      }
      throw new HttpRefusal(
        503,
        'The server that has this session ended before it had answered. The outcome is unknown: open a new session, and look whether it was done before you try again.',
      );
    } finally {
      this.#streams.delete(stream);
    }
    if (outcome === 'gone') throw sessionNotFound();
    res.end();
  }

  readonly send: Errands = async (replicaId, errand) => {
    const { id, egress, passes, find } = this.#options;
    const { method, url, headers, body, callerId, signal, readerFor } = errand;
    const found = await find(replicaId);
    if (found === undefined || (found.state === 'leaving' && !errand.isPartOfOld)) return 'gone';
    const to = new URL(found.address + url);
    // As it will arrive: a parser may have written some characters in another way.
    const request = { method, url: to.pathname + to.search, headers };
    const claims = { from: id, to: replicaId, callerId, digest: digestOf(body) };
    const sent: Record<string, string> = { [PASS_HEADER]: passes.make(request, claims) };
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) sent[name] = String(value);
    const control = this.#begin(replicaId);
    try {
      // Replicas stand beside each other, mostly in a private network: this one address is allowed, for this one use.
      const line = egress.line(to, { allow: [hostOf(to)] });
      await line.send({
        method,
        headers: sent,
        ...(method === 'POST' && { body }),
        signal: AbortSignal.any([signal, control.signal]),
        // Streams are silent as long as nothing happens; a replica that is lost is noticed by its row.
        limitMs: Infinity,
        idleMs: Infinity,
        maxBytes: 0,
        readerFor,
      });
      return 'answered';
    } catch (error) {
      if (error instanceof EgressError && !error.wasSent) return 'gone';
      throw error;
    } finally {
      this.#open.get(replicaId)?.delete(control);
      if (this.#open.get(replicaId)?.size === 0) this.#open.delete(replicaId);
    }
  };

  #begin(replicaId: string): AbortController {
    const control = new AbortController();
    const open = this.#open.get(replicaId) ?? new Set();
    this.#open.set(replicaId, open.add(control));
    return control;
  }
}

/** The replica stopped to say that it lives. */
export class ReplicaLost extends Error {
  override readonly name = 'ReplicaLost';
}

/** The same words for a session that never was, is over, is somebody else's, or was on a replica that is gone. */
export function sessionNotFound(): HttpRefusal {
  return new HttpRefusal(404, 'Session not found', { rpc: -32001 });
}

/** False for messages that only answer or tell something. */
function asksAnything(body: unknown): boolean {
  return [body].flat().some((message) => isRequest(message));
}

function forwarded(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !STAYS.has(name) && name !== PASS_HEADER),
  );
}

function headersBack({ headers }: LineHead): Record<string, string | string[]> {
  const back: Record<string, string | string[]> = {};
  for (const name of GOES_BACK) {
    const value = headers[name];
    if (value !== undefined) back[name] = value;
  }
  return back;
}

function hostOf({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`;
}
