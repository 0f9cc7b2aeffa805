/** What one conversation of the 2025 era offers, over sessions and over HTTP with SSE alike. */
import type { ClientCapabilities } from '@parley/kit';
import type { LinkNotice, LinkRequest, ServerFacts } from '../link.ts';
import { badResult } from './faults.ts';
import { detailsOf, infoOf } from './facts.ts';
import type { Result } from './messages.ts';
import type { WireMeans } from './modern.ts';
import { rankOf } from './notices.ts';
import { declaredOf } from './questions.ts';

export interface Conversation {
  readonly facts: ServerFacts;
  /** True while somebody waits for it or listens to it. */
  readonly isBusy: boolean;
  /** Settles when it cannot be used any more. */
  readonly ended: Promise<void>;
  request(request: LinkRequest): Promise<Result>;
  /** Tells of changes until the returned function is called. */
  listen(on: (notice: LinkNotice) => void): () => void;
  /** Ends it, and tells the server so. */
  end(): Promise<void>;
}

/** The newest revision of the era. */
const NEWEST = '2025-11-25';

/** What opens a conversation. */
export function initializeParams(capabilities: ClientCapabilities, info: WireMeans['info']): Result {
  return { protocolVersion: NEWEST, capabilities: declaredOf(capabilities), clientInfo: info };
}

/** What the server answered to it; any older revision is fine. */
export function factsOf(result: Result): ServerFacts {
  const { protocolVersion } = result;
  if (typeof protocolVersion !== 'string' || !/^[\w.-]{1,40}$/.test(protocolVersion))
    throw badResult('it names no protocol version');
  return { era: 'legacy', protocolVersion, ...detailsOf(result), info: infoOf(result.serverInfo) };
}

/** The parameters of a request; its progress comes under its own id. */
export function paramsOf({ params, onProgress, traceparent }: LinkRequest, id: number): Result {
  const { progressToken: _others, ...meta } = (params._meta ?? {}) as Record<string, unknown>; // an object, by the protocol
  if (onProgress !== undefined) meta.progressToken = id;
  if (traceparent !== undefined) meta.traceparent = traceparent;
  const { _meta: _given, ...rest } = params;
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
}

/** Asks for messages once they are wanted, and again only for milder ones. */
export class LogWish {
  #rank = Number.POSITIVE_INFINITY;

  /** The request that asks; undefined when the server tells enough already, or has nothing to tell. */
  next(
    { log, signal }: LinkRequest,
    { capabilities }: ServerFacts,
    limitMs: number,
  ): LinkRequest | undefined {
    if (log === undefined || capabilities.logging === undefined || rankOf(log.level) >= this.#rank)
      return undefined;
    this.#rank = rankOf(log.level);
    return { method: 'logging/setLevel', params: { level: log.level }, capabilities: {}, signal, limitMs };
  }
}
