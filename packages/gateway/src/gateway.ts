/** The pipeline over HTTP: inbound, authenticate, resolve, authorize, dispatch, record. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Identity } from '@parley/identity';
import type { Caller, ChangeBus, Engine, ServerInfo } from '@parley/kit';
import { RPC } from '@parley/kit';
import type { AllowedNames } from '@parley/http';
import { answerCors, createFrontDoor, HttpRefusal, readJson, UnreadBytes } from '@parley/http';
import { AnswerBatch } from './http/answer-batch.ts';
import { writeRefusal } from './http/answers.ts';
import { createAuthenticate } from './http/authenticate.ts';
import { createRequestRate } from './calls/call-rate.ts';
import type { HotRequest } from './http/hot-path.ts';
import { HotPath, hotRequestOf, MODERN_VERSION } from './http/hot-path.ts';
import type { Limits } from './limits.ts';
import { refuseLongWords } from './http/long-words.ts';
import type { ModernLeg, Served } from './http/modern.ts';
import { createNoticeBoard } from './http/notices.ts';
import { createEndpointOf } from './http/endpoint.ts';
import type { SessionLeg } from './http/sessions.ts';
import { asHttpRefusal } from './calls/unavailable-store.ts';

/** What the gateway is built from. */
export interface GatewayOptions {
  readonly engine: Engine;
  readonly identity: Identity;
  readonly info: ServerInfo;
  readonly instructions?: string | undefined;
  readonly changes: ChangeBus;
  readonly limits: Limits;
  readonly names: AllowedNames;
  /** Serves requests without a credential as this caller; tests only, no configuration sets it. */
  readonly anonymous?: Caller | undefined;
  readonly onFault: (error: unknown, where: string) => void;
}

/** Serves everything under `/mcp`, and guards other routes the same way. */
export interface Gateway {
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** The first stages alone, for routes that are not MCP: throws a refusal or answers the caller. */
  admit(req: IncomingMessage): Promise<Caller>;
  /** Host and Origin checks alone, for the open routes. */
  checkDoor(req: IncomingMessage): void;
  close(): Promise<void>;
}

interface SdkLegs {
  readonly modern: ModernLeg;
  readonly sessions: SessionLeg;
  close(): Promise<void>;
  classify(req: IncomingMessage, body: unknown): 'modern' | 'legacy';
}

const CORS = {
  methods: 'POST, GET, DELETE',
  headers: (asked = 'authorization, content-type') => asked,
  exposed: 'mcp-session-id, mcp-protocol-version',
};

/** Creates the gateway; the SDK is loaded with the first request that needs it. */
export function createGateway(options: GatewayOptions): Gateway {
  const { limits, identity, anonymous } = options;
  const door = createFrontDoor(options.names, limits);
  const authenticate = createAuthenticate(identity, limits, anonymous);
  const countRequest = createRequestRate(limits);
  const endpointOf = createEndpointOf(options.engine);
  const hot = new HotPath(options.info);
  const answers = new AnswerBatch();
  let legs: Promise<SdkLegs> | undefined;
  const sdk = () => (legs ??= loadLegs(options));

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const listedOrigin = door.check(req);
    if (listedOrigin !== undefined && answerCors(req, res, listedOrigin, CORS)) return;
    const found = authenticate(req);
    const caller = found instanceof Promise ? await found : found;
    countRequest(caller);
    const endpoint = endpointOf(pathOf(req), caller);
    const engine = endpoint instanceof Promise ? await endpoint : endpoint;
    if (engine === undefined)
      throw new HttpRefusal(404, 'Nothing is served at this URL.', { rpc: RPC.methodNotFound });
    const served = { caller, engine };
    if (req.method !== 'POST') return serveBodyless(req, res, served);
    const body = await readJson(req, limits);
    if (Array.isArray(body)) countBatch(caller, body);
    refuseLongWords(body);
    const request = hotRequestOf(body);
    if (request !== undefined && hasMatchingHeaders(req, request)) {
      const isServed = await serveHot(res, served, request);
      if (isServed) return;
    }
    const { modern, sessions, classify } = await sdk();
    const leg = classify(req, body) === 'modern' ? modern : sessions;
    await leg.handle(req, res, body, served);
  }

  /** A batch is as many requests as it has messages; one of them was counted when it came. */
  function countBatch(caller: Caller, { length }: readonly unknown[]): void {
    const { batchMessages } = limits;
    if (length > batchMessages) {
      const message = `Invalid Request: Batch must not exceed ${batchMessages} messages`;
      throw new HttpRefusal(400, message, { rpc: RPC.invalidRequest });
    }
    if (length > 1) countRequest(caller, length - 1);
  }

  async function serveHot(
    res: ServerResponse,
    { caller, engine }: Served,
    request: HotRequest,
  ): Promise<boolean> {
    if (request.method === 'tools/list') {
      answers.add(res, hot.list(engine, caller, request));
      return true;
    }
    const found = engine.find(caller, request.name);
    // Parameter headers are rare; the full path knows how to check them.
    if (found !== undefined && found.tool.paramHeaders.length > 0) return false;
    answers.add(res, await hot.call(found ?? engine, caller, request, () => signalOf(res)));
    return true;
  }

  async function serveBodyless(req: IncomingMessage, res: ServerResponse, served: Served): Promise<void> {
    const isSession =
      (req.method === 'GET' || req.method === 'DELETE') && req.headers['mcp-session-id'] !== undefined;
    if (!isSession) throw new HttpRefusal(405, 'Method not allowed.', { headers: { allow: 'POST' } });
    const { sessions } = await sdk();
    await sessions.handle(req, res, undefined, served);
  }

  return {
    async handle(req, res) {
      try {
        await serve(req, res);
      } catch (error) {
        fail(res, asHttpRefusal(error), options.onFault);
      }
    },
    async admit(req) {
      door.check(req);
      try {
        const caller = await authenticate(req);
        countRequest(caller);
        return caller;
      } catch (error) {
        throw asHttpRefusal(error);
      }
    },
    checkDoor(req) {
      door.check(req);
    },
    async close() {
      await (await legs)?.close();
    },
  };
}

async function loadLegs(options: GatewayOptions): Promise<SdkLegs> {
  const { identity, anonymous } = options;
  const current = async (caller: Caller) => (caller === anonymous ? caller : identity.current(caller));
  const [{ createModernLeg }, { createSessionLeg }, { classifyInboundRequest }] = await Promise.all([
    import('./http/modern.ts'),
    import('./http/sessions.ts'),
    import('@modelcontextprotocol/server'),
  ]);
  const board = createNoticeBoard({ ...options, current });
  const parts = { ...options, board, unread: new UnreadBytes() };
  const modern = createModernLeg(parts);
  const sessions = createSessionLeg(parts);
  return {
    modern,
    sessions,
    async close() {
      board.close();
      await Promise.all([modern.close(), sessions.close()]);
    },
    classify(req, body) {
      const version = req.headers['mcp-protocol-version']?.toString();
      const method = req.headers['mcp-method']?.toString();
      const outcome = classifyInboundRequest({
        httpMethod: 'POST',
        ...(version !== undefined && { protocolVersionHeader: version }),
        ...(method !== undefined && { mcpMethodHeader: method }),
        body,
      });
      return outcome.kind === 'legacy' ? 'legacy' : 'modern';
    },
  };
}

function hasMatchingHeaders(req: IncomingMessage, request: HotRequest): boolean {
  const { headers } = req;
  if (headers['mcp-protocol-version'] !== MODERN_VERSION || headers['mcp-method'] !== request.method)
    return false;
  if (headers.accept?.includes('application/json') !== true) return false;
  return request.method === 'tools/list' || headers['mcp-name'] === request.name;
}

function signalOf(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    if (!res.writableEnded) controller.abort();
  };
  if (res.destroyed) abort();
  else res.once('close', abort);
  return controller.signal;
}

function pathOf(req: IncomingMessage): string {
  const url = req.url ?? '/';
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

function fail(res: ServerResponse, error: unknown, onFault: GatewayOptions['onFault']): void {
  if (error instanceof HttpRefusal) {
    writeRefusal(res, error);
    return;
  }
  onFault(error, 'gateway');
  if (res.headersSent) res.destroy();
  else writeRefusal(res, new HttpRefusal(500, 'Internal error', { rpc: RPC.internalError }));
}
