/** Speaks MCP for an engine through the official SDK: one low-level server per request or per session. */
import type {
  CallToolResult,
  Server,
  Resource as WireResource,
  ResourceTemplateType,
  ServerContext,
} from '@modelcontextprotocol/server';
import { ProtocolError } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Caller } from '../access/caller.ts';
import type { Connection } from '../channel/connection.ts';
import type { ClientCapabilities } from '../channel/channel.ts';
import type { Engine } from '../call/engine.ts';
import { MOST_COMPLETIONS } from '../catalog/compiled-resource.ts';
import { ProtocolFault, RPC } from '../call/errors.ts';
import { ResourceMissing } from '../call/documents.ts';
import type { BegunCall } from './begun-call.ts';
import { asLegacy } from './begun-call.ts';
import { capabilitiesOf, offersOf } from './capabilities.ts';
import { CheckedServer } from './checked-server.ts';
import { envelopeOf, legacyExchange, modernExchange } from './exchange.ts';
import { META } from './meta-keys.ts';

/** Who Parley says it is. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
}

export interface ProtocolServerOptions {
  readonly engine: Engine;
  readonly info: ServerInfo;
  /** Absent: those of the toolsets. */
  readonly instructions?: string | undefined;
  readonly era: 'modern' | 'legacy';
  /** Who opened it; what there is for its organization decides what the server says it can do. */
  readonly caller: Caller;
  /** Who sends this request; asked for every request, since rights may change within a session. */
  callerOf(ctx: ServerContext): Caller | Promise<Caller>;
  /** False: resources can be read, and nobody is told when they change. */
  readonly canSubscribe?: boolean | undefined;
  /** The session or process that this server speaks for. */
  readonly connection?: Connection | undefined;
  /** Turns an error that is no fault of ours, such as a database that is away, into one that may be said. */
  readonly failed?: ((error: unknown) => unknown) | undefined;
  /** Where a 2025 session keeps the URIs it watches, and how many of which length it may keep. */
  readonly watched?: Set<string>;
  /** A call that began before the SDK had this request; absent or undefined: it begins now. */
  begunCall?(ctx: ServerContext): BegunCall | undefined;
  readonly watchLimits?: { readonly watchesPerSession: number; readonly watchedUriBytes: number };
}

const Page = z.looseObject({ cursor: z.string().optional() });

/** Creates the server; it is connected by the SDK's own entries. */
export function createProtocolServer(options: ProtocolServerOptions): CheckedServer {
  const { engine, info, era, connection } = options;
  const catalog = engine.catalogFor(options.caller);
  const { instructions = engine.instructionsFor(options.caller) } = options;
  const server = new CheckedServer(info, {
    capabilities: capabilitiesOf(catalog, servedExtensions(options), era, options.canSubscribe),
    ...(instructions !== undefined && { instructions }),
    // A session's questions are sent as real requests by our own channel.
    inputRequired: { legacyShim: false },
  });
  const exchangeOf = (ctx: ServerContext) => ({
    ...(era === 'modern' ? modernExchange(ctx, capabilitiesIn(ctx)) : legacyExchange(ctx, server)),
    connection,
  });

  server.setRequestHandler('tools/list', { params: Page }, (params, ctx) =>
    handle(options, async () => {
      const caller = await options.callerOf(ctx);
      await engine.ready(caller);
      await engine.settled(caller);
      const page = engine.list(caller, params.cursor);
      return {
        ...(page.meta !== undefined && { _meta: { ...page.meta } }),
        tools: page.tools.map(({ definition }) => definition),
        ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
      };
    }),
  );
  server.setRequestHandler('tools/call', (request, ctx) => {
    const { name, arguments: args } = request.params;
    // The SDK passes a task on to the wire as it is, but its types do not know the extension.
    return handle(options, async () => {
      const caller = await options.callerOf(ctx);
      const exchange = exchangeOf(ctx);
      const begun = options.begunCall?.(ctx);
      if (begun !== undefined) return begun.take(exchange);
      const answer = await engine.call(caller, name, args, exchange);
      if (era === 'modern') return answer;
      return asLegacy(server, answer, engine.find(caller, name)?.tool.definition.outputSchema);
    }) as Promise<CallToolResult>;
  });
  if (era === 'modern') installExtensions(server, options, exchangeOf);
  const offers = offersOf(catalog);
  if (offers.has('resources')) installResources(server, options, exchangeOf);
  if (offers.has('prompts')) installPrompts(server, options, exchangeOf);
  if (offers.has('completions')) installCompletion(server, options, exchangeOf);
  return server;
}

type ExchangeOf = (ctx: ServerContext) => ReturnType<typeof modernExchange>;

function servedExtensions({ engine, caller }: ProtocolServerOptions) {
  return engine.extensions.filter(({ isServed }) => isServed === undefined || isServed(caller));
}

function installExtensions(server: Server, options: ProtocolServerOptions, exchangeOf: ExchangeOf): void {
  for (const { methods } of servedExtensions(options)) {
    for (const [method, { params, handle: serve }] of Object.entries(methods)) {
      // The schema stands right beside the handler that takes what it lets through.
      server.setRequestHandler(method, { params }, (given, ctx) =>
        handle(options, async () => serve(given as never, await options.callerOf(ctx), exchangeOf(ctx))),
      );
    }
  }
}

function installResources(server: Server, options: ProtocolServerOptions, exchangeOf: ExchangeOf): void {
  const { engine } = options;
  const { documents } = engine;
  const listed = async (list: 'resources' | 'templates', cursor: string | undefined, ctx: ServerContext) => {
    const caller = await options.callerOf(ctx);
    await engine.ready(caller);
    await engine.settled(caller);
    const { items, ...next } = engine.view(caller).resourcePage(list, caller, cursor);
    const around = { ...listMetaOf(engine, caller), ...next };
    return { around, definitions: items.map(({ definition }) => definition) };
  };
  server.setRequestHandler('resources/list', { params: Page }, ({ cursor }, ctx) =>
    handle(options, async () => {
      const { around, definitions } = await listed('resources', cursor, ctx);
      // Those without a template have a URI.
      return { ...around, resources: definitions as WireResource[] };
    }),
  );
  server.setRequestHandler('resources/templates/list', { params: Page }, ({ cursor }, ctx) =>
    handle(options, async () => {
      const { around, definitions } = await listed('templates', cursor, ctx);
      // And these have not.
      return { ...around, resourceTemplates: definitions as ResourceTemplateType[] };
    }),
  );
  server.setRequestHandler('resources/read', (request, ctx) =>
    handle(options, async () =>
      documents.read(await options.callerOf(ctx), request.params.uri, exchangeOf(ctx)),
    ),
  );
  if (options.watched === undefined) return;
  const { watched } = options;
  server.setRequestHandler('resources/subscribe', (request, ctx) =>
    handle(options, async () => {
      const { uri } = request.params;
      const caller = await options.callerOf(ctx);
      await engine.ready(caller);
      if (!documents.canRead(caller, uri)) throw new ResourceMissing(uri);
      watch(watched, uri, options.watchLimits);
      return {};
    }),
  );
  server.setRequestHandler('resources/unsubscribe', (request) => {
    watched.delete(request.params.uri);
    return {};
  });
}

function watch(watched: Set<string>, uri: string, limits: ProtocolServerOptions['watchLimits']): void {
  if (limits !== undefined && Buffer.byteLength(uri) > limits.watchedUriBytes)
    throw new ProtocolFault(RPC.invalidParams, `A URI to watch has at most ${limits.watchedUriBytes} bytes.`);
  if (limits !== undefined && !watched.has(uri) && watched.size >= limits.watchesPerSession) {
    throw new ProtocolFault(
      RPC.invalidParams,
      `A session watches at most ${limits.watchesPerSession} resources. Unsubscribe from one first.`,
    );
  }
  watched.add(uri);
}

function installPrompts(server: Server, options: ProtocolServerOptions, exchangeOf: ExchangeOf): void {
  const { engine } = options;
  const { documents } = engine;
  server.setRequestHandler('prompts/list', { params: Page }, ({ cursor }, ctx) =>
    handle(options, async () => {
      const caller = await options.callerOf(ctx);
      await engine.ready(caller);
      await engine.settled(caller);
      const { items, ...next } = engine.view(caller).promptPage(caller, cursor);
      const prompts = items.map(({ definition }) => definition);
      return { ...listMetaOf(engine, caller), ...next, prompts };
    }),
  );
  server.setRequestHandler('prompts/get', (request, ctx) =>
    handle(options, async () =>
      documents.get(
        await options.callerOf(ctx),
        request.params.name,
        request.params.arguments,
        exchangeOf(ctx),
      ),
    ),
  );
}

function installCompletion(server: Server, options: ProtocolServerOptions, exchangeOf: ExchangeOf): void {
  const { documents } = options.engine;
  server.setRequestHandler('completion/complete', (request, ctx) =>
    handle(options, async () => {
      const { ref, argument, context } = request.params;
      const wanted = {
        ref: ref.type === 'ref/prompt' ? { prompt: ref.name } : { resource: ref.uri },
        argument: argument.name,
        typed: argument.value,
        filled: context?.arguments,
      };
      const found = await documents.complete(await options.callerOf(ctx), wanted, exchangeOf(ctx));
      return { completion: { ...found, values: found.values.slice(0, MOST_COMPLETIONS) } };
    }),
  );
}

/** What a list of documents says about itself. */
function listMetaOf(engine: Engine, caller: Caller): { _meta?: Record<string, unknown> } {
  const { listMeta } = engine.view(caller);
  return listMeta === undefined ? {} : { _meta: { ...listMeta } };
}

function capabilitiesIn(ctx: ServerContext): ClientCapabilities {
  // Checked against the specification's schema before any handler runs.
  return (envelopeOf(ctx)[META.clientCapabilities] ?? {}) as ClientCapabilities;
}

async function handle<T>(
  { failed = (error) => error }: Pick<ProtocolServerOptions, 'failed'>,
  work: () => Promise<T> | T,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const error = thrown instanceof ProtocolFault ? betterThan(thrown, failed) : failed(thrown);
    if (error instanceof ProtocolFault) throw new ProtocolError(error.code, error.message, error.data);
    // Whatever else it is, its text may hold a path or a secret.
    throw new ProtocolError(RPC.internalError, 'Internal error');
  }
}

/** What the server says of the cause of a fault, where it has anything to say of that. */
function betterThan(fault: ProtocolFault, failed: (error: unknown) => unknown): ProtocolFault {
  const said = fault.cause === undefined ? undefined : failed(fault.cause);
  return said instanceof ProtocolFault ? said : fault;
}
