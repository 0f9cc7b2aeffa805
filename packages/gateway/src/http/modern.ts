/** The modern leg through the SDK: every 2026-07-28 message that the hot path does not answer. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import type { ServerEventBus } from '@modelcontextprotocol/server';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { checkParamHeaders, decodeHeaderValue, ProtocolFault } from '@parley/kit';
import { createProtocolServer } from '@parley/kit/protocol';
import { faultJson, writeJson } from './answers.ts';
import { createListenGate } from './listen.ts';
import { keptOpen, ListenExtras, mergeIntoStream, Outbox } from './listen-extension.ts';
import { idOf, methodOf } from '../messages.ts';
import { createUnserved } from './unserved.ts';
import type { LegParts, ModernLeg } from './leg.ts';
import type { Served } from './served.ts';
import { servedOf, withServed } from './served.ts';

/** Creates the leg. */
export function createModernLeg(options: LegParts): ModernLeg {
  const { info, instructions, limits } = options;
  const gate = createListenGate(options.board, limits);
  const open = new Set<{ close(): Promise<void> }>();
  const unserved = createUnserved();
  const handlerFor = (bus?: ServerEventBus) =>
    createMcpHandler(
      ({ authInfo }) => {
        const served = servedOf(authInfo);
        const { caller, engine } = served;
        return createProtocolServer({
          engine,
          info,
          instructions,
          era: 'modern',
          caller,
          callerOf: () => caller,
          failed: (error) => unserved.note(served, error),
        });
      },
      { legacy: 'reject', maxRequestBodySize: limits.bodyBytes, ...(bus !== undefined && { bus }) },
    );
  const shared = handlerFor();
  open.add(shared);

  async function listen(
    req: IncomingMessage,
    res: ServerResponse,
    body: unknown,
    served: Served,
  ): Promise<void> {
    // Whoever has left already never closes again, and would keep the place.
    if (res.destroyed) return;
    const ticket = gate.admit(served, body, () => res.destroy());
    if (ticket === undefined) {
      const error = { code: -32603, message: 'Subscription limit reached' };
      writeJson(res, 200, JSON.stringify({ jsonrpc: '2.0', error, id: idOf(body) }));
      return;
    }
    res.once('close', ticket.release);
    const outbox = new Outbox();
    const extras = await ListenExtras.open(served.engine, served.caller, ticket.body, outbox.write).catch(
      (error: unknown) => {
        ticket.release();
        throw error;
      },
    );
    if (res.destroyed) return;
    // A handler of its own: its bus lets through only what this caller may know.
    const handler = handlerFor(ticket.bus);
    open.add(handler);
    res.once('close', () => open.delete(handler));
    if (extras === undefined) return toNodeHandler(handler)(withServed(req, served), res, ticket.body);
    const fetch = mergeIntoStream(handler.fetch, extras, outbox);
    const sdkBody = extras.isAlone ? keptOpen(extras.body) : extras.body;
    await toNodeHandler({ ...handler, fetch })(withServed(req, served), res, sdkBody);
  }

  const answering = { ...shared, fetch: unserved.told(shared.fetch) };
  const serve = toNodeHandler(answering, { onerror: (error) => options.onFault(error, 'modern') });
  return {
    async handle(req, res, body, served) {
      options.unread.guard(res);
      if (methodOf(body) === 'subscriptions/listen') {
        return listen(req, res, body, served).catch((error: unknown) => answerFault(res, body, error));
      }
      const mismatch = paramHeaderFault(req, body, served);
      if (mismatch !== undefined) {
        const { code, message, data } = mismatch;
        writeJson(
          res,
          400,
          JSON.stringify({ jsonrpc: '2.0', error: { code, message, data }, id: idOf(body) }),
        );
        return;
      }
      await serve(withServed(req, served), res, body);
    },
    open: () => gate.open(),
    async close() {
      await Promise.all([...open].map((handler) => handler.close()));
    },
  };
}

function answerFault(res: ServerResponse, body: unknown, error: unknown): void {
  if (!(error instanceof ProtocolFault)) throw error;
  writeJson(res, 400, faultJson(error, idOf(body)));
}

/** The SDK compares `Mcp-Param-*` only for its own tool registry, so for ours it is done here. */
function paramHeaderFault(
  req: IncomingMessage,
  body: unknown,
  { caller, engine }: Served,
): ProtocolFault | undefined {
  if (methodOf(body) !== 'tools/call') return undefined;
  // A body with a method is an object; its fields are still unknown.
  const { params } = body as { params?: { name?: unknown; arguments?: unknown } };
  // When the standard headers disagree too, the SDK answers for those first.
  const nameHeader = decodeHeaderValue(req.headers['mcp-name']?.toString() ?? '');
  if (req.headers['mcp-method'] !== 'tools/call' || nameHeader !== params?.name) return undefined;
  const tool = engine.view(caller).tool(String(params?.name), caller);
  if (tool === undefined) return undefined;
  try {
    checkParamHeaders(tool.paramHeaders, params?.arguments, (name) => req.headers[name]?.toString());
    return undefined;
  } catch (error) {
    if (error instanceof ProtocolFault) return error;
    throw error;
  }
}
