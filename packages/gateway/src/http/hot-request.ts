/** Which messages the hot path can answer: a 2026-07-28 `tools/call` or `tools/list` that is in perfect order. */
import type { ClientCapabilities } from '@parley/kit';
import { META } from '@parley/kit';
import { isObject } from '../messages.ts';
import { MAX_ID, MAX_WORD } from './long-words.ts';

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

/** Recognises a message in perfect order; undefined sends it down the SDK's path. */
export function hotRequestOf(body: unknown): HotRequest | undefined {
  if (!isObject(body) || body.jsonrpc !== '2.0' || countKeys(body) !== 4) return undefined;
  const { id, method, params } = body;
  if (typeof id === 'string' ? id.length > MAX_ID : !Number.isSafeInteger(id)) return undefined;
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
  if (typeof name !== 'string' || name.length > MAX_WORD) return undefined;
  if (countKeys(params) !== (args === undefined ? 2 : 3)) return undefined;
  if (args !== undefined && !isObject(args)) return undefined;
  // The envelope was checked above, field by field.
  const client = meta[META.clientInfo] as { name: string } | undefined;
  return {
    method,
    id: requestId,
    name,
    arguments: args,
    capabilities: meta[META.clientCapabilities] as ClientCapabilities, // checked above, like the client
    client: client?.name ?? null,
    traceparent: typeof meta.traceparent === 'string' ? meta.traceparent : undefined,
  };
}

function isPlainEnvelope(meta: Record<string, unknown>): boolean {
  if (meta[META.protocolVersion] !== MODERN_VERSION || !isPlainCapabilities(meta[META.clientCapabilities]))
    return false;
  for (const key in meta) {
    if (key === META.protocolVersion || key === META.clientCapabilities) continue;
    if (key === META.clientInfo) {
      if (!isPlainClient(meta[key])) return false;
    } else if (key === 'progressToken' || key.startsWith(META.prefix)) {
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

/** How many fields an object has. */
export function countKeys(value: object): number {
  let count = 0;
  for (const _key in value) count += 1;
  return count;
}
