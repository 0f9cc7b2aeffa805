/** Builds the exchange of a request from what the SDK knows about it, for each era. */
import type { Server, ServerContext } from '@modelcontextprotocol/server';
import type { Exchange, ReadHeader } from '../call/exchange.ts';
import { CLIENT_HEADER, headerReader, PROPERTIES_HEADER, requestInfo } from '../call/exchange.ts';
import { ToolError } from '../call/errors.ts';
import type {
  Channel,
  ClientCapabilities,
  InputRequest,
  InputResponse,
  LogLevel,
} from '../channel/channel.ts';
import { isSupported } from '../channel/channel.ts';
import { META } from './meta-keys.ts';

const ANSWER_TIMEOUT_MS = 10 * 60_000;

/** A 2026-07-28 request: questions leave as `input_required` results. */
export function modernExchange(ctx: ServerContext, capabilities: ClientCapabilities): Exchange {
  const { mcpReq } = ctx;
  // The SDK has checked its shape; only the name is shown.
  const client = envelopeOf(ctx)[META.clientInfo] as { name?: unknown } | undefined;
  return {
    info: requestInfo({
      id: mcpReq.id,
      era: 'modern',
      client: typeof client?.name === 'string' ? client.name : null,
      traceparent: traceOf(ctx),
      properties: propertiesOf(ctx),
      clientLabel: clientLabelOf(ctx),
    }),
    signal: () => mcpReq.signal,
    capabilities,
    // A value that is not a string is refused like any other state we did not seal.
    requestState: mcpReq.requestState() === undefined ? undefined : String(mcpReq.requestState()),
    inputResponses: mcpReq.inputResponses,
    ...headerOf(ctx),
    // Checked by the SDK, like the rest of the envelope.
    logLevel: envelopeOf(ctx)[META.logLevel] as LogLevel | undefined,
    ...channelsOf(ctx),
  };
}

/** What a session knows of its client. */
type SessionServer = Pick<
  Server,
  'getClientCapabilities' | 'getClientVersion' | 'getNegotiatedProtocolVersion'
> & { readonly logLevel?: LogLevel | undefined };

/** The part of an exchange that the session knows, and the words of one request. */
export function sessionParts(
  server: SessionServer,
  words: Pick<Parameters<typeof requestInfo>[0], 'id' | 'traceparent' | 'properties' | 'clientLabel'>,
): Pick<Exchange, 'info' | 'logLevel'> {
  const { id, traceparent, properties, clientLabel } = words;
  return {
    info: requestInfo({
      id,
      era: 'legacy',
      client: server.getClientVersion()?.name,
      protocolVersion: server.getNegotiatedProtocolVersion(),
      traceparent,
      properties,
      clientLabel,
    }),
    logLevel: server.logLevel,
  };
}

/** A request on a 2025 session: questions are real requests on the call's own stream. */
export function legacyExchange(ctx: ServerContext, server: SessionServer): Exchange {
  const capabilities = server.getClientCapabilities() ?? {};
  const channel: Channel = {
    capabilities,
    request: (key, request) => askSession(ctx, capabilities, key, request),
    step: async (_key, work) => work(),
    releaseStream: () => ctx.http?.closeSSE?.(),
    ...channelsOf(ctx),
  };
  const words = {
    id: ctx.mcpReq.id,
    traceparent: traceOf(ctx),
    properties: propertiesOf(ctx),
    clientLabel: clientLabelOf(ctx),
  };
  return {
    ...sessionParts(server, words),
    signal: () => ctx.mcpReq.signal,
    channel,
    ...headerOf(ctx),
  };
}

async function askSession(
  ctx: ServerContext,
  capabilities: ClientCapabilities,
  key: string,
  request: InputRequest,
): Promise<InputResponse> {
  if (!isSupported(capabilities, request.method)) {
    throw new ToolError('declined', `This client cannot answer "${key}" (${request.method}).`, {
      reason: 'unsupported',
    });
  }
  const options = { timeout: ANSWER_TIMEOUT_MS, signal: ctx.mcpReq.signal };
  // Each wire method has its own result type; the union is what the channel promises.
  return ctx.mcpReq.send(request as { method: 'roots/list' }, options);
}

/** The reserved keys of a modern request; the SDK has checked them before any handler runs. */
export function envelopeOf(ctx: ServerContext): Record<string, unknown> {
  return { ...ctx.mcpReq.envelope };
}

function traceOf(ctx: ServerContext): string | undefined {
  const traceparent = ctx.mcpReq._meta?.traceparent;
  return typeof traceparent === 'string' ? traceparent : undefined;
}

function propertiesOf(ctx: ServerContext): string | undefined {
  return ctx.http?.req?.headers.get(PROPERTIES_HEADER) ?? undefined;
}

function clientLabelOf(ctx: ServerContext): string | undefined {
  return ctx.http?.req?.headers.get(CLIENT_HEADER) ?? undefined;
}

function headerOf({ http }: ServerContext): { header?: ReadHeader } {
  const req = http?.req;
  return req === undefined ? {} : { header: headerReader((name) => req.headers.get(name)) };
}

function channelsOf(ctx: ServerContext): Pick<Channel, 'progress' | 'log'> {
  const { mcpReq } = ctx;
  const token = mcpReq._meta?.progressToken;
  const log = (level: LogLevel, data: unknown) => mcpReq.log(level, data);
  if (token === undefined) return { log };
  let last = -Infinity;
  return {
    log,
    async progress(done, total, message) {
      // The specification asks for rising values; a repeated one says nothing new.
      if (done <= last) return;
      last = done;
      const params = {
        progressToken: token,
        progress: done,
        ...(total !== undefined && { total }),
        ...(message && { message }),
      };
      await mcpReq.notify({ method: 'notifications/progress', params });
    },
  };
}
