/** Which messages of a 2025 session can be answered as a hot call: one `tools/call` in perfect order. */
import type { IncomingHttpHeaders } from 'node:http';
import { isJsonContentType, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { META } from '@parley/kit';
import { isObject } from '../messages.ts';
import { countKeys } from './hot-request.ts';
import { MAX_ID, MAX_WORD } from './long-words.ts';

/** A call that needs nothing but its answer. */
export interface SessionCall {
  readonly id: string | number;
  readonly name: string;
  readonly arguments: Record<string, unknown> | undefined;
  readonly traceparent: string | undefined;
}

/** Recognises a call in perfect order; undefined leaves it to the SDK, and so is every fault. */
export function sessionCallOf(headers: IncomingHttpHeaders, body: unknown): SessionCall | undefined {
  if (!isObject(body) || body.method !== 'tools/call' || !hasFittingHeaders(headers)) return undefined;
  const { id, jsonrpc, params } = body;
  if (jsonrpc !== '2.0' || countKeys(body) !== 4 || !isObject(params)) return undefined;
  if (typeof id === 'string' ? id.length > MAX_ID : !Number.isSafeInteger(id)) return undefined;
  const { name, arguments: args, _meta: meta } = params;
  if (typeof name !== 'string' || name.length > MAX_WORD) return undefined;
  if (args !== undefined && !isObject(args)) return undefined;
  if (meta !== undefined && !isPlainMeta(meta)) return undefined;
  const known = 1 + (args === undefined ? 0 : 1) + (meta === undefined ? 0 : 1);
  if (countKeys(params) !== known) return undefined;
  const trace = meta?.['traceparent'];
  return {
    // Checked above: a string or an integer.
    id: id as string | number,
    name,
    arguments: args,
    traceparent: typeof trace === 'string' ? trace : undefined,
  };
}

function hasFittingHeaders(headers: IncomingHttpHeaders): boolean {
  const { accept } = headers;
  if (headers['mcp-session-id'] === undefined || accept === undefined) return false;
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return false;
  const version = headers['mcp-protocol-version']?.toString();
  if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return false;
  return isJsonContentType(headers['content-type'] ?? null);
}

/** Nothing that asks for progress, and nothing that the protocol reserves. */
function isPlainMeta(meta: unknown): meta is Record<string, unknown> {
  if (!isObject(meta)) return false;
  for (const key in meta) if (key === 'progressToken' || key.startsWith(META.prefix)) return false;
  return true;
}
