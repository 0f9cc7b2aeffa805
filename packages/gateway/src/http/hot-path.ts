/**
 * The hot path: a 2026-07-28 `tools/call` or `tools/list` that is in perfect order is answered here, without the SDK.
 * Anything unusual is left to the SDK, so that faults have one answer and one author.
 */
import type { Caller, ClientCapabilities, Connection, Engine, Exchange, FoundTool } from '@parley/kit';
import type { ListedTool, Listing, ServerInfo, ToolAnswer, ToolPage } from '@parley/kit';
import { encodeCursor, isToolResult, ProtocolFault, requestInfo, RPC } from '@parley/kit';
import type { Answer } from './answer-batch.ts';
import { faultJson } from './answers.ts';
import { isPlainResult, toWireResult } from './wire-result.ts';

/** The one revision served here. */
export const MODERN_VERSION = '2026-07-28';

/** A message that the hot path can answer. */
export type HotRequest =
  | { readonly method: 'tools/list'; readonly id: string | number; readonly cursor: string | undefined }
  | {
      readonly method: 'tools/call';
      readonly id: string | number;
      readonly name: string;
      readonly arguments: Record<string, unknown> | undefined;
      readonly capabilities: ClientCapabilities;
      readonly client: string | null;
      readonly traceparent: string | undefined;
    };

const PREFIX = 'io.modelcontextprotocol/';
const VERSION_KEY = `${PREFIX}protocolVersion`;
const CAPABILITIES_KEY = `${PREFIX}clientCapabilities`;
const CLIENT_KEY = `${PREFIX}clientInfo`;

/** Recognises a message in perfect order; undefined sends it down the SDK's path. */
export function hotRequestOf(body: unknown): HotRequest | undefined {
  if (!isObject(body) || body.jsonrpc !== '2.0' || countKeys(body) !== 4) return undefined;
  const { id, method, params } = body;
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return undefined;
  if ((method !== 'tools/call' && method !== 'tools/list') || !isObject(params) || !isObject(params._meta))
    return undefined;
  const meta = params._meta;
  if (!isPlainEnvelope(meta)) return undefined;
  // Checked above: a string or an integer.
  const requestId = id as string | number;
  if (method === 'tools/list') {
    const { cursor } = params;
    if (countKeys(params) !== (cursor === undefined ? 1 : 2)) return undefined;
    if (cursor !== undefined && typeof cursor !== 'string') return undefined;
    return { method, id: requestId, cursor };
  }
  const { name, arguments: args } = params;
  if (typeof name !== 'string' || countKeys(params) !== (args === undefined ? 2 : 3)) return undefined;
  if (args !== undefined && !isObject(args)) return undefined;
  // The envelope was checked above, field by field.
  const client = meta[CLIENT_KEY] as { name: string } | undefined;
  return {
    method,
    id: requestId,
    name,
    arguments: args,
    capabilities: meta[CAPABILITIES_KEY] as ClientCapabilities, // checked above, like the client
    client: client?.name ?? null,
    traceparent: typeof meta.traceparent === 'string' ? meta.traceparent : undefined,
  };
}

function isPlainEnvelope(meta: Record<string, unknown>): boolean {
  if (meta[VERSION_KEY] !== MODERN_VERSION || !isPlainCapabilities(meta[CAPABILITIES_KEY])) return false;
  for (const key in meta) {
    if (key === VERSION_KEY || key === CAPABILITIES_KEY) continue;
    if (key === CLIENT_KEY) {
      if (!isPlainClient(meta[key])) return false;
    } else if (key === 'progressToken' || key.startsWith(PREFIX)) {
      return false;
    }
  }
  return true;
}

/** Two levels of objects are all that the specification has; anything else the SDK shall judge. */
function isPlainCapabilities(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) {
    const capability = value[key];
    if (!isObject(capability)) return false;
    for (const member in capability) if (!isObject(capability[member])) return false;
  }
  return true;
}

function isPlainClient(value: unknown): boolean {
  if (!isObject(value) || typeof value.name !== 'string' || typeof value.version !== 'string') return false;
  return countKeys(value) === 2;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function countKeys(value: object): number {
  let count = 0;
  for (const _key in value) count += 1;
  return count;
}

/** Answers hot requests for one server identity. */
export class HotPath {
  readonly #metaJson: string;
  readonly #serverMeta: Record<string, unknown>;
  readonly #listHeads = new WeakMap<ToolPage<ListedTool>, Buffer>();

  constructor(info: ServerInfo) {
    this.#serverMeta = { [`${PREFIX}serverInfo`]: info };
    this.#metaJson = JSON.stringify(this.#serverMeta);
  }

  /** Calls a tool that was found, or that the engine has yet to look up. */
  async call(
    callee: FoundTool | Engine,
    caller: Caller,
    request: Extract<HotRequest, { method: 'tools/call' }>,
    signal: () => AbortSignal,
    connection?: Connection,
  ): Promise<Answer> {
    const exchange: Exchange = {
      info: requestInfo({
        id: request.id,
        era: 'modern',
        client: request.client,
        traceparent: request.traceparent,
      }),
      signal,
      connection,
      capabilities: request.capabilities,
    };
    try {
      const { name, arguments: args } = request;
      const answer = await ('tool' in callee
        ? callee.call(args, exchange)
        : callee.call(caller, name, args, exchange));
      const result = isToolResult(answer) && !isPlainResult(answer) ? await toWireResult(answer) : answer;
      return { status: 200, body: Buffer.from(this.#resultJson(result, request.id)) };
    } catch (error) {
      return this.#fault(error, request.id);
    }
  }

  list(listing: Listing, caller: Caller, request: Extract<HotRequest, { method: 'tools/list' }>): Answer {
    try {
      const page = listing.list(caller, request.cursor);
      return { status: 200, body: this.#listHead(page), tail: `${JSON.stringify(request.id)}}` };
    } catch (error) {
      return this.#fault(error, request.id);
    }
  }

  #listHead(page: ToolPage<ListedTool>): Buffer {
    const known = this.#listHeads.get(page);
    if (known !== undefined) return known;
    const next =
      page.nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(encodeCursor(page.nextCursor))}`;
    const head = Buffer.from(
      `{"result":{"tools":${page.json}${next},"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":${this.#metaJson}},"jsonrpc":"2.0","id":`,
    );
    this.#listHeads.set(page, head);
    return head;
  }

  #resultJson(result: ToolAnswer, id: string | number): string {
    const isPlain = !('_meta' in result) && !('resultType' in result);
    const json = isPlain
      ? `${JSON.stringify(result).slice(0, -1)},"resultType":"complete","_meta":${this.#metaJson}}`
      : JSON.stringify(this.#stamped(result));
    return `{"result":${json},"jsonrpc":"2.0","id":${typeof id === 'number' ? id : JSON.stringify(id)}}`;
  }

  #stamped(result: ToolAnswer): object {
    if (!isToolResult(result)) return { ...result, _meta: this.#serverMeta };
    return { ...result, _meta: { ...result._meta, ...this.#serverMeta }, resultType: 'complete' };
  }

  #fault(error: unknown, id: string | number): Answer {
    if (!(error instanceof ProtocolFault)) throw error;
    return {
      status: error.code === RPC.missingCapability ? 400 : 200,
      body: Buffer.from(faultJson(error, id)),
    };
  }
}
