/** Services that an OpenAPI document describes, as links: their operations are tools, and nothing else is asked of them. */
import { randomBytes } from 'node:crypto';
import type { UpstreamTarget } from '@parley/connections';
import { HOPS_HEADER } from '@parley/kit';
import type { Egress } from '@parley/kit/egress';
import type { Link, LinkRequest, LinkWatch, Links, ServerFacts } from '../link.ts';
import { UpstreamFault } from '../link.ts';
import type { NextHops } from '../wire/hops.ts';
import { createHops } from '../wire/hops.ts';
import { carried } from './credentials.ts';
import { Documents } from './documents.ts';
import { exchange } from './exchange.ts';
import type { JsonObject } from './json.ts';
import { objectIn } from './json.ts';
import { isAgreed, requestDigest } from './agreed.ts';
import { requestOf } from './request.ts';
import { resultOf } from './result.ts';
import type { Service, ServiceTool } from './service.ts';
import { BadArguments } from './service.ts';
import { createTranslator } from './translator.ts';

export interface OpenApiOptions {
  /** The way out; the caller closes it. */
  readonly egress: Egress;
  /** Signs the count of hops; equal for all replicas. Absent: a key of these links alone. */
  readonly hopKey?: string | undefined;
  readonly now?: () => number;
}

const PROTOCOL_VERSION = '2026-07-28';
const LIST_TTL_MS = 300_000;
const NO_WATCH: LinkWatch = { setUris: async () => undefined, close: async () => undefined };

/** Creates the links of connections of the type OPENAPI; nothing is loaded or started before the first is used. */
export function createOpenApiLinks({ egress, hopKey, now = Date.now }: OpenApiOptions): Links {
  const hops = createHops(hopKey ?? randomBytes(32).toString('base64url'));
  const translator = createTranslator();
  const documents = new Documents({ egress, translator, now });
  return {
    of: (target) => openApiLink(target, { egress, documents, hops, now }),
    forget: async (connectionId) => documents.forget(connectionId),
    close: () => translator.close(),
  };
}

interface Means {
  readonly egress: Egress;
  readonly documents: Documents;
  readonly hops: NextHops;
  readonly now: () => number;
}

function openApiLink(target: UpstreamTarget, means: Means): Link {
  const { documents } = means;
  return {
    facts: async (signal = new AbortController().signal) => factsOf(await documents.current(target, signal)),
    async request(request) {
      const { method, signal } = request;
      if (method === 'tools/list') return listOf(await documents.current(target, signal));
      if (method === 'tools/call') return call(target, request, means);
      if (method === 'ping') return { resultType: 'complete' };
      throw rpcFault(-32601, 'Method not found');
    },
    // A document tells nobody that it has changed: it is read again from time to time.
    watch: async () => NO_WATCH,
  };
}

function factsOf({ info, instructions }: Service): ServerFacts {
  return {
    era: 'modern',
    protocolVersion: PROTOCOL_VERSION,
    capabilities: { tools: {} },
    info,
    instructions,
  };
}

function listOf({ tools, leftOut }: Service): JsonObject {
  return {
    resultType: 'complete',
    tools: [...tools.values()].map(({ definition }) => definition),
    ttlMs: LIST_TTL_MS,
    cacheScope: 'private',
    _meta: {
      'parley/requests': Object.fromEntries(
        [...tools].map(([name, { plan }]) => [name, requestDigest(plan)]),
      ),
      ...(leftOut.length > 0 && { 'parley/left-out': leftOut }),
    },
  };
}

async function call(target: UpstreamTarget, request: LinkRequest, means: Means): Promise<JsonObject> {
  const { egress, documents, hops, now } = means;
  const { params, signal, limitMs, isRead = false } = request;
  const { plan } = await toolOf(target, request, documents);
  const sent = built(() =>
    requestOf(plan, objectIn(params['arguments']) ?? {}, carried(target, plan.token, request.headers)),
  );
  const { url, method, body } = sent;
  // Nobody's own header stands for the count.
  const headers = { ...traceOf(request), ...sent.headers, [HOPS_HEADER]: hops(request.hops) };
  const isSafe = isRead && plan.body === null && (method === 'GET' || method === 'HEAD');
  const limits = { signal, limitMs, maxBytes: target.maxResultBytes, isRead: isSafe };
  return exchange(url, { method, headers, body }, { egress, target, ...limits }, (answered) =>
    resultOf(answered, plan, now()),
  );
}

/** The tool of a call, which stands for the request that somebody agreed to. */
async function toolOf(
  target: UpstreamTarget,
  request: LinkRequest,
  documents: Documents,
): Promise<ServiceTool> {
  const { params, signal, pinned } = request;
  const { name } = params;
  const lookedUp = ({ tools }: Service) => {
    const tool = typeof name === 'string' ? tools.get(name) : undefined;
    return { tool, isFit: pinned === undefined || isAgreed(pinned, tool) };
  };
  const known = lookedUp(await documents.known(target, signal));
  // Another process may have read what was agreed to, after this one had read the document.
  const { tool, isFit } = known.isFit ? known : lookedUp(await documents.current(target, signal));
  if (!isFit) request.onLists?.();
  if (tool === undefined) throw rpcFault(-32602, 'Unknown tool');
  if (!isFit)
    throw new UpstreamFault('changed', 'The tool stands for another request now.', { wasSent: false });
  return tool;
}

function traceOf({ requestId, traceparent }: LinkRequest): Record<string, string> {
  return {
    ...(requestId !== undefined && { 'x-request-id': requestId }),
    ...(traceparent !== undefined && { traceparent }),
  };
}

/** Builds a request; arguments that it cannot be built of are refused as a server of MCP does it. */
function built<T>(build: () => T): T {
  try {
    return build();
  } catch (error) {
    if (error instanceof BadArguments) throw rpcFault(-32602, error.message);
    throw error;
  }
}

function rpcFault(code: number, message: string): UpstreamFault {
  return new UpstreamFault('rpc', message, { wasSent: false, rpc: { code, message } });
}
