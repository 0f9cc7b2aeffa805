/**
 * The opening of a 2025 client over stdio, answered without the SDK: `initialize`, `ping` and the first `tools/list`.
 * When anything else comes, the SDK is loaded and hears the same `initialize`, so it stands where it would have stood.
 */
import type { Caller, Listing, ServerInfo } from '@parley/kit';
import { capabilitiesOf } from '@parley/kit';
import type { RequestMessage } from '../messages.ts';
import { isObject, isRequest, methodOf } from '../messages.ts';

const VERSIONS = new Set(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']);
const LATEST = '2025-11-25';

/** Tells what the opening made of a message: an answer, silence, or not its business. */
export type Opened = { readonly json: string } | 'silent' | undefined;

/** Answers the usual first messages of a 2025 client. */
export class Opening {
  /** The messages that the SDK has to hear when it takes over. */
  readonly heard: unknown[] = [];
  readonly #listing: Listing;
  readonly #info: ServerInfo;
  readonly #instructions: string | undefined;

  constructor(listing: Listing, info: ServerInfo, instructions: string | undefined) {
    this.#listing = listing;
    this.#info = info;
    this.#instructions = instructions;
  }

  answer(body: unknown, caller: Caller): Opened {
    if (this.heard.length === 0) return this.#initialize(body, caller);
    if (methodOf(body) === 'notifications/initialized' && this.heard.length === 1) {
      this.heard.push(body);
      return 'silent';
    }
    if (!isRequest(body)) return undefined;
    if (body.method === 'ping' && body.params === undefined) return { json: resultJson('{}', body.id) };
    return body.method === 'tools/list' && isFirstPage(body.params) ? this.#list(caller, body) : undefined;
  }

  #initialize(body: unknown, caller: Caller): Opened {
    if (!isRequest(body) || body.method !== 'initialize' || !isPlainInitialize(body.params)) return undefined;
    this.heard.push(body);
    const { protocolVersion } = body.params;
    const catalog = this.#listing.catalogFor(caller);
    const instructions = this.#instructions ?? this.#listing.instructionsFor(caller);
    const result = {
      protocolVersion: VERSIONS.has(protocolVersion) ? protocolVersion : LATEST,
      capabilities: capabilitiesOf(catalog, [], 'legacy'),
      serverInfo: this.#info,
      ...(instructions !== undefined && { instructions }),
    };
    return { json: resultJson(JSON.stringify(result), body.id) };
  }

  #list(caller: Caller, { id }: RequestMessage): Opened {
    const { json, nextCursor } = this.#listing.list(caller);
    // Whoever reads the next page has to have written the cursor.
    return nextCursor === undefined ? { json: resultJson(`{"tools":${json}}`, id) } : undefined;
  }
}

function resultJson(result: string, id: string | number): string {
  return `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
}

function isFirstPage(params: unknown): boolean {
  return (
    params === undefined ||
    (typeof params === 'object' && params !== null && Object.keys(params).length === 0)
  );
}

/** A handshake with nothing unusual in it; anything else the SDK shall judge. */
function isPlainInitialize(params: unknown): params is { protocolVersion: string } {
  if (typeof params !== 'object' || params === null || '_meta' in params) return false;
  // An object, as was just checked, whose fields are still unknown.
  const { protocolVersion, capabilities, clientInfo } = params as Record<string, unknown>;
  if (typeof protocolVersion !== 'string' || !isObject(capabilities) || !isObject(clientInfo)) return false;
  const isNamed = typeof clientInfo.name === 'string' && typeof clientInfo.version === 'string';
  return isNamed && Object.values(capabilities).every(isObject);
}
