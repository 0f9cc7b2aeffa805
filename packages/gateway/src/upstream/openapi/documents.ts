/** The documents of connections: fetched with their credentials, translated once for each text, kept for calls. */
import { createHash } from 'node:crypto';
import type { UpstreamTarget } from '@parley/connections';
import type { Egress } from '@parley/kit/egress';
import { OutOfTime } from '../faults.ts';
import { UpstreamFault } from '../link.ts';
import { carried } from './credentials.ts';
import { exchange } from './exchange.ts';
import { DOCUMENT_MS, FRESH_MS, MAX_DOCUMENT_BYTES, MAX_KEPT } from './limits.ts';
import { decoderFor } from './media-types.ts';
import { statusFault } from './refused.ts';
import type { Service, Source } from './service.ts';
import type { Translator } from './translator.ts';

export interface DocumentParts {
  readonly egress: Egress;
  readonly translator: Translator;
  readonly now: () => number;
}

interface Loading {
  readonly work: Promise<Service>;
  /** True: its server has answered, and the rest is up to us. */
  isFetched(): boolean;
}

interface Kept {
  readonly service: Service;
  readonly at: number;
  /** What it was made for; another address means another service. */
  readonly address: string;
}

/** All documents of this process. */
export class Documents {
  readonly #parts: DocumentParts;
  /** By connection and principal. */
  readonly #kept = new Map<string, Kept>();
  /** By a digest of text and address: principals mostly see the same document. */
  readonly #translated = new Map<string, Service>();
  readonly #loading = new Map<string, Loading>();

  constructor(parts: DocumentParts) {
    this.#parts = parts;
  }

  /** The service of a connection as it is now; what was read just before counts as now. */
  async current(target: UpstreamTarget, signal: AbortSignal): Promise<Service> {
    const kept = this.#keptOf(target);
    if (kept !== undefined && this.#parts.now() - kept.at < FRESH_MS) return kept.service;
    return this.#load(target, signal);
  }

  /** The service as it was read last, so that calls do not wait for its document. */
  async known(target: UpstreamTarget, signal: AbortSignal): Promise<Service> {
    return this.#keptOf(target)?.service ?? this.#load(target, signal);
  }

  forget(connectionId: string): void {
    for (const key of this.#kept.keys()) if (key.startsWith(`${connectionId} `)) this.#kept.delete(key);
  }

  #keptOf(target: UpstreamTarget): Kept | undefined {
    const kept = this.#kept.get(keyOf(target));
    return kept?.address === addressOf(target) ? kept : undefined;
  }

  /** Those who want it at the same time, with the same credentials, wait for one request. */
  async #load(target: UpstreamTarget, signal: AbortSignal): Promise<Service> {
    signal.throwIfAborted();
    const key = `${keyOf(target)} ${addressOf(target)} ${target.token ?? ''} ${JSON.stringify(target.headers)}`;
    const loading = this.#loading.get(key);
    if (loading !== undefined) return untilAborted(loading, signal);
    // Its own limit ends it: that one of those who wait goes away must not fail the others.
    let isFetched = false;
    const work = this.#read(target, () => {
      isFetched = true;
    }).finally(() => this.#loading.delete(key));
    const begun = { work, isFetched: () => isFetched };
    this.#loading.set(key, begun);
    return untilAborted(begun, signal);
  }

  async #read(target: UpstreamTarget, onFetched: () => void): Promise<Service> {
    const { now, translator } = this.#parts;
    const source = await this.#fetch(target);
    onFetched();
    const digest = createHash('sha256')
      .update(JSON.stringify([source.url, source.server]) + source.text)
      .digest('hex');
    let service = this.#translated.get(digest);
    if (service === undefined) {
      const { organizationId } = target;
      service = await translator.translate(source, { organizationId, signal: new AbortController().signal });
    }
    remember(this.#translated, digest, service);
    remember(this.#kept, keyOf(target), { service, at: now(), address: addressOf(target) });
    return service;
  }

  async #fetch(target: UpstreamTarget): Promise<Source> {
    const { egress, now } = this.#parts;
    const { url: address, openapiServer: server = null } = target;
    const url = address === null ? null : URL.parse(address);
    if (url === null)
      throw new UpstreamFault('not_allowed', 'The connection has no address. Set connection_url.', {
        wasSent: false,
      });
    // Credentials are for the service: where that is elsewhere, whoever holds the document does not get them.
    const isThere = server === null || URL.parse(server)?.origin === url.origin;
    const credentials = isThere ? carried(target, { in: 'bearer' }) : { headers: {} };
    const headers = { accept: 'application/json, application/yaml;q=0.9, */*;q=0.5', ...credentials.headers };
    const limits = {
      signal: new AbortController().signal,
      limitMs: DOCUMENT_MS,
      maxBytes: MAX_DOCUMENT_BYTES,
    };
    return exchange(url, { headers }, { egress, target, isRead: true, ...limits }, async (answered) => {
      const fault = statusFault(answered.status, answered.headers, now()) ?? noDocument(answered.status);
      if (fault !== undefined) throw fault;
      const text = decoderFor(answered.headers.get('content-type')).decode(await answered.bytes());
      return { text, url: url.href, server };
    });
  }
}

function noDocument(status: number): UpstreamFault | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400)
    return new UpstreamFault(
      'not_allowed',
      `The document has moved (${status}). Set connection_url to its final address.`,
    );
  return new UpstreamFault(
    'invalid_result',
    `There is no document: the server answered ${status}. Check connection_url.`,
    { isRefusal: status >= 400 && status < 500 },
  );
}

function keyOf({ id, principal }: UpstreamTarget): string {
  return `${id} ${principal}`;
}

function addressOf({ url, openapiServer = null }: UpstreamTarget): string {
  return JSON.stringify([url, openapiServer]);
}

/** Puts it last; the one that was used longest ago gives way. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= MAX_KEPT) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    break;
  }
}

async function untilAborted({ work, isFetched }: Loading, signal: AbortSignal): Promise<Service> {
  const gate = Promise.withResolvers<never>();
  // Whoever waited for a document that is here did not wait for its server.
  const onAbort = () =>
    gate.reject(isFetched() && signal.reason instanceof OutOfTime ? late() : signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, gate.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function late(): UpstreamFault {
  return new UpstreamFault(
    'unreachable',
    'The document has come and is not read yet: others are read before it. Try again in a moment.',
    { wasSent: false, isOfCaller: true },
  );
}
