/** The SDK's server, which says in words what is wrong with the parameters of a request, whoever serves its method. */
import type { JSONRPCRequest, Result, ServerContext } from '@modelcontextprotocol/server';
import { ProtocolError, Server } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { ProtocolFault, RPC } from '../call/errors.ts';
import { describeIssues } from '../call/validation.ts';
import type { LogLevel } from '../channel/channel.ts';

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const texts = z.record(z.string(), z.string());
const anything = z.looseObject({});

const Page = z.looseObject({ cursor: z.string().optional() });
const Uri = z.looseObject({ uri: z.string() });

/** As much of the specification as a client gets wrong by hand; the SDK checks all of it afterwards. */
const PARAMS: Readonly<Record<string, z.ZodType>> = {
  initialize: z.looseObject({
    protocolVersion: z.string(),
    capabilities: anything,
    clientInfo: z.looseObject({ name: z.string(), version: z.string() }),
  }),
  'tools/list': Page,
  'tools/call': z.looseObject({ name: z.string(), arguments: anything.optional() }),
  'resources/list': Page,
  'resources/templates/list': Page,
  'resources/read': Uri,
  'resources/subscribe': Uri,
  'resources/unsubscribe': Uri,
  'prompts/list': Page,
  'prompts/get': z.looseObject({ name: z.string(), arguments: texts.optional() }),
  'completion/complete': z.looseObject({
    ref: z
      .looseObject({ type: z.enum(['ref/prompt', 'ref/resource']) })
      .refine(
        (ref) => typeof ref[ref.type === 'ref/prompt' ? 'name' : 'uri'] === 'string',
        'must have the name of a prompt or the uri of a resource',
      ),
    argument: z.looseObject({ name: z.string(), value: z.string() }),
    context: z.looseObject({ arguments: texts.optional() }).optional(),
  }),
  'logging/setLevel': z.looseObject({ level: z.enum(LEVELS) }),
};

type Handler = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>;

export class CheckedServer extends Server {
  /** What the client of a 2025 session asked for last; undefined: it never did. */
  logLevel: LogLevel | undefined;

  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const serve = super._wrapHandler(method, handler);
    return async (request, ctx) => {
      const params = { ...request.params };
      const parsed = PARAMS[method]?.safeParse(params);
      if (parsed?.success === false) throw wrongParams(method, describeIssues(parsed.error.issues, params));
      try {
        const result = await serve(request, ctx);
        // Both the shape above and the SDK have taken it.
        if (method === 'logging/setLevel') this.logLevel = params['level'] as LogLevel;
        return result;
      } catch (error) {
        if (error instanceof ProtocolError) throw error;
        // Our own handlers throw nothing else, so this is the SDK, with all that its schema has to say.
        throw wrongParams(method, 'they do not fit the specification of MCP.');
      }
    };
  }
}

function wrongParams(method: string, fault: string): ProtocolError {
  const { code, message } = new ProtocolFault(RPC.invalidParams, `Invalid params for ${method}: ${fault}`);
  return new ProtocolError(code, message);
}
