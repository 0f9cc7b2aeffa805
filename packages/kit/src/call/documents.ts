/** Reading resources, getting prompts and completing their arguments, under the same guard as tools. */
import type { GetPromptResult, PromptMessage, ReadResourceResult } from '@modelcontextprotocol/server';
import type { Caller } from '../access/caller.ts';
import type { CatalogPrompt, CatalogResource } from '../catalog/catalog.ts';
import { CallContext } from '../channel/call-context.ts';
import type { Asked, Core } from './call.ts';
import { Call } from './call.ts';
import type { Exchange } from './exchange.ts';
import { failureOf } from './failure.ts';
import { ProtocolFault, RPC, ToolError } from './errors.ts';
import { noChannel } from '../channel/channel.ts';
import { nulIn, pathOfNul } from './json-path.ts';
import { composeHooks } from './middleware.ts';
import type { CallRecord } from './record.ts';
import type { ResourceContent } from '../define/resource.ts';
import type { InputRequired } from './tool-answer.ts';
import { isInputRequired } from './tool-answer.ts';
import { describeIssues } from './validation.ts';
import type { Views } from '../catalog/caller-view.ts';

/** The contents of a read, in wire form. */
export type ReadResult = ReadResourceResult;

/** What a completion is asked for. */
export type CompletionRef = { readonly prompt: string } | { readonly resource: string };

/** Resources and prompts of an engine. */
export interface Documents {
  resources(caller: Caller): readonly CatalogResource[];
  prompts(caller: Caller): readonly CatalogPrompt[];
  /** True when the caller may read the URI now; subscriptions ask this for every notice. */
  canRead(caller: Caller, uri: string): boolean;
  read(caller: Caller, uri: string, exchange: Exchange): Promise<ReadResult | InputRequired>;
  get(
    caller: Caller,
    name: string,
    args: unknown,
    exchange: Exchange,
  ): Promise<GetPromptResult | InputRequired>;
  complete(
    caller: Caller,
    ref: CompletionRef,
    argument: string,
    typed: string,
    exchange: Exchange,
  ): Promise<string[]>;
}

/** The fault for a resource that does not exist or is hidden; each era has its own code for it. */
export class ResourceMissing extends ProtocolFault {
  constructor(uri: string) {
    super(RPC.invalidParams, `Resource not found: ${uri}`, { uri });
  }
}

interface Match {
  readonly entry: CatalogResource;
  readonly variables: Record<string, string>;
}

/** Creates the document half of an engine. */
export function createDocuments(views: Views, core: Core): Documents {
  const aroundRead = composeHooks(core.middleware.flatMap(({ read }) => (read === undefined ? [] : [read])));
  const isThere = (item: CatalogResource | CatalogPrompt, caller: Caller) => item.available?.(caller) ?? true;

  const resources = (caller: Caller) => views.of(caller).resources.filter((item) => isThere(item, caller));
  const prompts = (caller: Caller) => views.of(caller).prompts.filter((item) => isThere(item, caller));

  function find(caller: Caller, uri: string): Match | undefined {
    const all = resources(caller);
    // A fixed URI wins over a template that fits it too.
    const fixed = all.find(({ resource }) => resource.template === undefined && resource.uri === uri);
    if (fixed !== undefined) return { entry: fixed, variables: {} };
    for (const entry of all) {
      const variables = entry.resource.template?.match(uri);
      if (variables !== undefined) return { entry, variables };
    }
    return undefined;
  }

  async function guarded<Result>(
    asked: Asked,
    work: (call: Call) => Promise<Result>,
  ): Promise<Result | InputRequired> {
    const call = new Call(core, asked);
    let record: Pick<CallRecord, 'outcome' | 'code'> = { outcome: 'ok', code: null };
    try {
      call.resume();
      return await work(call);
    } catch (error) {
      const failure = failureOf(error, call, core);
      ({ record } = failure);
      if ('fault' in failure) throw failure.fault;
      if (isInputRequired(failure.answer)) return failure.answer;
      throw asFault(error, call);
    } finally {
      call.ended(record);
    }
  }

  return {
    resources,
    prompts,
    canRead: (caller, uri) => find(caller, uri) !== undefined,

    read(caller, uri, exchange) {
      const found = find(caller, uri);
      const asked = { caller, method: 'resources/read' as const, name: uri, args: {}, exchange };
      if (found === undefined) throw denied(core, asked, new ResourceMissing(uri));
      const { entry, variables } = found;
      return guarded({ ...asked, toolset: entry.toolset }, async (call) => {
        const ctx = new CallContext(call, entry.services);
        const run = async () => [await entry.resource.read(variables, ctx)].flat();
        const read = { resource: entry, uri, caller, request: exchange.info };
        const contents = await (aroundRead === undefined ? run() : aroundRead(read, run));
        return { contents: contents.map((content) => wireContent(content, uri, entry.resource.mimeType)) };
      });
    },

    get(caller, name, args, exchange) {
      const entry = prompts(caller).find((candidate) => candidate.name === name);
      const asked = { caller, method: 'prompts/get' as const, name, args, exchange };
      if (entry === undefined) {
        throw denied(core, asked, new ProtocolFault(RPC.invalidParams, `Unknown prompt: ${name}`));
      }
      return guarded({ ...asked, toolset: entry.toolset }, async (call) => {
        const parsed = entry.prompt.arguments.safeParse(args ?? {});
        if (!parsed.success) throw new ToolError('invalid', describeIssues(parsed.error.issues, args));
        const nul = pathOfNul(args);
        if (nul !== undefined) throw new ToolError('invalid', nulIn(nul));
        const ctx = new CallContext(call, entry.services);
        const messages = await entry.prompt.get(parsed.data, ctx);
        return { description: entry.prompt.description, messages: asMessages(messages) };
      });
    },

    async complete(caller, ref, argument, typed, exchange) {
      const source =
        'prompt' in ref
          ? prompts(caller).find(({ name }) => name === ref.prompt)
          : resources(caller).find(({ resource }) => resource.uri === ref.resource);
      if (source === undefined) {
        throw new ProtocolFault(
          RPC.invalidParams,
          `Nothing to complete: ${'prompt' in ref ? ref.prompt : ref.resource}`,
        );
      }
      const completers = 'prompt' in source ? source.prompt.complete : source.resource.complete;
      const completer =
        completers !== undefined && Object.hasOwn(completers, argument) ? completers[argument] : undefined;
      if (completer === undefined) return [];
      const call = { caller, exchange, channel: noChannel() };
      return completer(typed, new CallContext(call, source.services));
    },
  };
}

function denied(
  core: Core,
  { caller, method, name, exchange }: Omit<Asked, 'toolset'>,
  fault: ProtocolFault,
): ProtocolFault {
  const record = { outcome: 'denied', code: 'unknown', toolset: '', durationMs: 0 } as const;
  core.observe({ ...record, caller, method, name, info: exchange.info });
  return fault;
}

function asFault(error: unknown, { name, method }: Call): unknown {
  if (!(error instanceof ToolError)) return error;
  const isRead = method === 'resources/read';
  if (error.code === 'not_found' && isRead) return new ResourceMissing(name);
  // A read has nothing but its URI to be wrong about; a prompt has arguments.
  const isOfRequest = !isRead && (error.code === 'invalid' || error.code === 'not_found');
  return new ProtocolFault(isOfRequest ? RPC.invalidParams : RPC.internalError, error.message, {
    code: error.code,
  });
}

function wireContent(
  content: ResourceContent,
  uri: string,
  ownType: string | undefined,
): ReadResult['contents'][number] {
  const mimeType = content.mimeType ?? ownType;
  const head = { uri: content.uri ?? uri, ...(mimeType !== undefined && { mimeType }) };
  return 'text' in content ? { ...head, text: content.text } : { ...head, blob: content.blob };
}

function asMessages(messages: string | PromptMessage[]): PromptMessage[] {
  return typeof messages === 'string'
    ? [{ role: 'user', content: { type: 'text', text: messages } }]
    : messages;
}
