/** Requests to servers of 2026-07-28: each stands alone, with all that the server has to know. */
import type { ClientCapabilities } from '@parley/kit';
import { encodeHeaderValue, META, paramHeaderValues } from '@parley/kit';
import { MODERN_VERSION } from '../../http/hot-request.ts';
import { isObject } from '../../messages.ts';
import type { LinkNotice, LinkRequest, ServerFacts } from '../link.ts';
import type { Address } from './address.ts';
import { badResult, dropped, EraFault } from './faults.ts';
import { detailsOf, infoOf } from './facts.ts';
import type { WireLimits } from './limits.ts';
import { MAX_ASIDE_BYTES } from './limits.ts';
import type { Message, Result } from './messages.ts';
import { isResponse, nextId, resultOf } from './messages.ts';
import { noticeOf, tellLog, tellProgress } from './notices.ts';
import type { OpenStream } from './reopen.ts';
import { send } from './post.ts';

/** What all conversations with one upstream are held with. */
export interface WireMeans {
  /** How this server introduces itself. */
  readonly info: { readonly name: string; readonly version: string };
  readonly limits: WireLimits;
  /** Fires when the connection is let go: what is only being opened is given up. */
  readonly closing: AbortSignal;
  readonly onFault: (error: unknown, where: string) => void;
}

/** Sends one request and returns its result, whatever its `resultType` is. */
export async function modernRequest(
  address: Address,
  request: LinkRequest,
  { info, limits }: WireMeans,
): Promise<Result> {
  const { method, params, signal, limitMs, isRead } = request;
  const id = nextId();
  let result: Result | undefined;
  const on = (message: Message): boolean => {
    if (isResponse(message)) result = resultOf(message, id);
    else if (message.method === 'notifications/progress') tellProgress(message, id, request);
    else if (message.method === 'notifications/message') tellLog(message, request);
    return result !== undefined;
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: withEnvelope(request, id, info) });
  const protocol = protocolHeaders(method, params, request);
  const { idleMs } = limits;
  const maxBytes = address.target.maxResultBytes;
  const { isStream, status } = await send(
    address,
    {
      method: 'POST',
      body,
      protocol,
      wishes: request,
      signal,
      limitMs,
      idleMs,
      maxBytes,
      isRead,
      isList: method.endsWith('/list'),
    },
    { on },
  );
  if (result !== undefined) return result;
  throw isStream ? dropped() : badResult(`it answered ${status} without a result`);
}

/** What the server says about itself; an `EraFault` when it is none of this era. */
export async function discover(address: Address, means: WireMeans): Promise<ServerFacts> {
  const limitMs = means.limits.handshakeMs;
  const signal = means.closing;
  const request = { method: 'server/discover', params: {}, capabilities: {}, signal, limitMs, isRead: true };
  const result = await modernRequest(address, request, means);
  const versions = result.supportedVersions;
  if (!Array.isArray(versions) || !versions.includes(MODERN_VERSION))
    throw new EraFault('The server speaks no revision that is spoken here.');
  const meta = isObject(result._meta) ? result._meta : {};
  return {
    era: 'modern',
    protocolVersion: MODERN_VERSION,
    ...detailsOf(result),
    info: infoOf(meta[META.serverInfo] ?? result.serverInfo),
  };
}

/** Listens until the stream is closed or lost; resolves when the server has acknowledged. */
export async function listen(
  address: Address,
  means: WireMeans,
  { uris, on }: { uris: ReadonlySet<string>; on: (notice: LinkNotice) => void },
): Promise<OpenStream> {
  const { limits, info } = means;
  const id = nextId();
  const closing = new AbortController();
  const acknowledged = Promise.withResolvers<void>();
  const hear = (message: Message): boolean => {
    if (isResponse(message)) {
      // Throws what refuses the stream; a result says that the server is about to leave.
      resultOf(message, id);
      return true;
    }
    if (message.method === 'notifications/subscriptions/acknowledged') acknowledged.resolve();
    const notice = noticeOf(message);
    if (notice !== undefined && (notice.kind !== 'resource' || uris.has(notice.uri))) on(notice);
    return false;
  };
  const method = 'subscriptions/listen';
  const notifications = {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    ...(uris.size > 0 && { resourceSubscriptions: [...uris] }),
  };
  const params = { _meta: envelope({}, info), notifications };
  const ended = send(
    address,
    {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      protocol: protocolHeaders(method, params),
      signal: closing.signal,
      lane: 'stream',
      limitMs: Infinity,
      idleMs: limits.streamIdleMs,
      maxBytes: MAX_ASIDE_BYTES,
    },
    { on: hear },
  ).then(() => undefined);
  const timer = setTimeout(() => closing.abort(dropped()), limits.handshakeMs);
  try {
    await Promise.race([acknowledged.promise, ended.then(() => Promise.reject(dropped()))]);
  } finally {
    clearTimeout(timer);
  }
  return { ended, close: async () => closing.abort(dropped()) };
}

/** The parameters with the envelope that every request has; what the client's own envelope said is not passed on. */
function withEnvelope(request: LinkRequest, id: number, info: WireMeans['info']): Record<string, unknown> {
  const { params, capabilities, traceparent, log, onProgress } = request;
  const meta: Record<string, unknown> = envelope(capabilities, info);
  if (isObject(params._meta)) {
    for (const key in params._meta)
      if (key !== 'progressToken' && !key.startsWith(META.prefix)) meta[key] = params._meta[key];
  }
  if (onProgress !== undefined) meta.progressToken = id;
  if (log !== undefined) meta[LOG_LEVEL] = log.level;
  if (traceparent !== undefined) meta.traceparent = traceparent;
  return { ...params, _meta: meta };
}

const LOG_LEVEL = `${META.prefix}logLevel`;

function envelope(capabilities: ClientCapabilities, info: WireMeans['info']): Record<string, unknown> {
  return {
    [META.protocolVersion]: MODERN_VERSION,
    [META.clientCapabilities]: capabilities,
    [META.clientInfo]: info,
  };
}

const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

function protocolHeaders(
  method: string,
  params: Readonly<Record<string, unknown>>,
  { paramHeaders }: Pick<LinkRequest, 'paramHeaders'> = {},
): Record<string, string> {
  const headers: Record<string, string> = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': MODERN_VERSION,
    'mcp-method': method,
  };
  const key = NAMED_BY[method];
  const name = key === undefined ? undefined : params[key];
  if (typeof name === 'string') headers['mcp-name'] = encodeHeaderValue(name);
  if (paramHeaders !== undefined && paramHeaders.length > 0)
    Object.assign(headers, paramHeaderValues(paramHeaders, params.arguments));
  return headers;
}
