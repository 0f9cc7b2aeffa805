/**
 * The hot path: a message in perfect order is answered here, without the SDK. Anything unusual is left to the SDK, so
 * that faults have one answer and one author.
 */
import type { IncomingMessage } from 'node:http';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Caller, Engine, Exchange } from '@parley/kit';
import type { ListedTool, Listing, ServerInfo, ToolAnswer, ToolPage } from '@parley/kit';
import { CLIENT_HEADER, headerReader, isToolResult, META, PROPERTIES_HEADER } from '@parley/kit';
import { ProtocolFault, requestInfo, RPC } from '@parley/kit';
import type { Answer } from './answer-batch.ts';
import { faultJson } from './answers.ts';
import type { HotRequest } from './hot-request.ts';

/** A tool that was looked up for its caller. */
type FoundTool = NonNullable<ReturnType<Engine['find']>>;

/** What comes with a call besides its message. */
interface CallExtras extends Pick<Exchange, 'connection' | 'header'> {
  readonly properties?: string | undefined;
  readonly clientLabel?: string | undefined;
}

/** What the headers of a request say besides its message. */
export function extrasOf({
  headers,
}: IncomingMessage): Required<Pick<CallExtras, 'properties' | 'clientLabel' | 'header'>> {
  const labels = headers[PROPERTIES_HEADER];
  const client = headers[CLIENT_HEADER];
  return {
    // Node joins what comes twice, except for cookies.
    properties: Array.isArray(labels) ? undefined : labels,
    clientLabel: Array.isArray(client) ? undefined : client,
    header: headerReader((name) => headers[name]?.toString()),
  };
}

/** Answers hot requests for one server identity. */
export class HotPath {
  readonly #metaJson: string;
  readonly #serverMeta: Record<string, unknown>;
  readonly #listHeads = new WeakMap<ToolPage<ListedTool>, Buffer>();

  constructor(info: ServerInfo) {
    this.#serverMeta = { [META.serverInfo]: info };
    this.#metaJson = JSON.stringify(this.#serverMeta);
  }

  /** Calls a tool that was found, or that the engine has yet to look up. */
  async call(
    callee: FoundTool | Engine,
    caller: Caller,
    request: Extract<HotRequest, { method: 'tools/call' }>,
    signal: () => AbortSignal,
    { connection, properties, clientLabel, header }: CallExtras = {},
  ): Promise<Answer> {
    const exchange: Exchange = {
      info: requestInfo({
        id: request.id,
        era: 'modern',
        client: request.client,
        traceparent: request.traceparent,
        properties,
        clientLabel,
      }),
      signal,
      connection,
      capabilities: request.capabilities,
      ...(header !== undefined && { header }),
    };
    try {
      const { name, arguments: args } = request;
      const answer = await ('tool' in callee
        ? callee.call(args, exchange)
        : callee.call(caller, name, args, exchange));
      const result = isToolResult(answer) && !isPlainResult(answer) ? await toWireResult(answer) : answer;
      return { status: 200, body: this.#resultJson(result, request.id) };
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
    const next = page.nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(page.nextCursor)}`;
    const meta =
      page.meta === undefined ? this.#metaJson : JSON.stringify({ ...page.meta, ...this.#serverMeta });
    const head = Buffer.from(
      `{"result":{"tools":${page.json}${next},"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":${meta}},"jsonrpc":"2.0","id":`,
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
      body: faultJson(error, id),
    };
  }
}

const FIELDS = ['_meta', 'content', 'structuredContent', 'isError'];
const TEXT_FIELDS = ['type', 'text'];

/** True for the usual answer, plain text blocks in order, which needs no second look. */
export function isPlainResult(result: CallToolResult): boolean {
  let last = -1;
  for (const field in result) {
    const at = FIELDS.indexOf(field);
    if (at <= last) return false;
    last = at;
  }
  return result.content.every(isPlainText);
}

function isPlainText(block: CallToolResult['content'][number]): boolean {
  if (block.type !== 'text') return false;
  let at = 0;
  for (const field in block) {
    if (field !== TEXT_FIELDS[at]) return false;
    at += 1;
  }
  return at === TEXT_FIELDS.length;
}

/** The result as the specification's schema writes it; a block that breaks it is a fault of the tool. */
async function toWireResult(result: CallToolResult): Promise<CallToolResult> {
  const { specTypeSchemas } = await import('@modelcontextprotocol/server');
  const checked = specTypeSchemas.CallToolResult['~standard'].validate(result);
  if (checked instanceof Promise || checked.issues !== undefined) {
    throw new ProtocolFault(RPC.internalError, 'Internal error');
  }
  return checked.value;
}
