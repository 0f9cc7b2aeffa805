/** Reading resources, getting prompts and completing their arguments, under the same guard as tools. */
import type { GetPromptResult, ReadResourceResult } from '@modelcontextprotocol/server';
import type { Caller } from '../access/caller.ts';
import type { CatalogResource } from '../catalog/compiled-resource.ts';
import { compileResource } from '../catalog/compiled-resource.ts';
import type { Endpoints } from '../catalog/endpoints.ts';
import { noChannel } from '../channel/channel.ts';
import type { OutsideCompletion } from '../define/outside-document.ts';
import type { ResourceContent } from '../define/resource.ts';
import type { Asked, Core } from './call.ts';
import { Call } from './call.ts';
import { denialOf } from './denial.ts';
import { ProtocolFault, RPC, ToolError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { failureOf } from './failure.ts';
import { composeHooks } from './middleware.ts';
import type { CallRecord } from './record.ts';
import type { InputRequired } from './tool-answer.ts';
import { isInputRequired } from './tool-answer.ts';

/** The contents of a read, in wire form. */
export type ReadResult = ReadResourceResult;

/** What a completion is asked for. */
export interface CompletionRequest {
  readonly ref: { readonly prompt: string } | { readonly resource: string };
  readonly argument: string;
  readonly typed: string;
  /** What other variables or arguments have already. */
  readonly filled?: Readonly<Record<string, string>> | undefined;
}

/** Resources and prompts of an engine. */
export interface Documents {
  /** True when the caller may read the URI now; subscriptions ask this for every notice. */
  canRead(caller: Caller, uri: string): boolean;
  read(caller: Caller, uri: string, exchange: Exchange): Promise<ReadResult | InputRequired>;
  get(
    caller: Caller,
    name: string,
    args: unknown,
    exchange: Exchange,
  ): Promise<GetPromptResult | InputRequired>;
  complete(caller: Caller, request: CompletionRequest, exchange: Exchange): Promise<OutsideCompletion>;
}

/** What records call the place of results that were kept. */
const KEPT_BY = 'parley';

/** The fault for a resource that does not exist or is hidden; each era has its own code for it. */
export class ResourceMissing extends ProtocolFault {
  constructor(uri: string) {
    super(RPC.invalidParams, `Resource not found: ${uri}`, { uri });
  }
}

/** Creates the document half of an engine. */
export function createDocuments(endpoints: Endpoints, core: Core): Documents {
  const aroundRead = composeHooks(core.middleware.flatMap(({ read }) => (read === undefined ? [] : [read])));
  const { longResults } = core;
  const kept = longResults && compileResource(longResults.reader, KEPT_BY, {});
  const keptFrom = kept?.uri.split('{')[0] ?? '';
  const shownTo = ({ organizationId }: Caller) => endpoints.of(organizationId).shown;
  const viewOf = (caller: Caller) => endpoints.of(caller.organizationId).view(caller);

  async function loadedView(caller: Caller) {
    await endpoints.ready(caller.organizationId);
    return viewOf(caller);
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
    } catch (thrown) {
      const error = core.failed(thrown, { taskId: null });
      const failure = failureOf(error, call, core);
      ({ record } = failure);
      if ('fault' in failure) throw failure.fault;
      if (isInputRequired(failure.answer)) return failure.answer;
      throw asFault(error, thrown, call);
    } finally {
      call.ended(record);
    }
  }

  return {
    canRead: (caller, uri) => viewOf(caller).resource(uri, caller) !== undefined,

    async read(caller, uri, exchange) {
      const view = await loadedView(caller);
      // Another server may keep results under such URIs too, so it is looked whose this one is.
      const isKept =
        kept !== undefined && uri.startsWith(keptFrom) && (await longResults?.holds(caller, uri));
      const found = isKept ? { resource: kept, variables: {} } : view.resource(uri, caller);
      const asked = { caller, method: 'resources/read' as const, name: uri, args: {}, exchange };
      if (found === undefined) {
        core.observe(denialOf(resourceAt(shownTo(caller).resources, uri), asked));
        throw new ResourceMissing(uri);
      }
      const { resource, variables } = found;
      return guarded({ ...asked, toolset: resource.toolset }, async (call) => {
        let around: object = {};
        const run = async () => {
          const { contents, ...rest } = await resource.read(uri, variables, call);
          around = rest;
          return [...contents];
        };
        const read = { resource, uri, caller, request: exchange.info };
        const contents = await (aroundRead === undefined ? run() : aroundRead(read, run));
        return {
          ...around,
          contents: contents.map((content) => wireContent(content, uri, resource.mimeType)),
        };
      });
    },

    async get(caller, name, args, exchange) {
      const prompt = (await loadedView(caller)).prompt(name, caller);
      const asked = { caller, method: 'prompts/get' as const, name, args, exchange };
      if (prompt === undefined) {
        const hidden = shownTo(caller).prompts.find((candidate) => candidate.name === name);
        core.observe(denialOf(hidden, asked));
        throw new ProtocolFault(RPC.invalidParams, `Unknown prompt: ${name}`);
      }
      return guarded({ ...asked, toolset: prompt.toolset }, (call) => prompt.get(args, call));
    },

    async complete(caller, { ref, argument, typed, filled }, exchange) {
      const view = await loadedView(caller);
      const item = 'prompt' in ref ? view.prompt(ref.prompt, caller) : view.listed(ref.resource, caller);
      if (item === undefined) {
        throw new ProtocolFault(
          RPC.invalidParams,
          `Nothing to complete: ${'prompt' in ref ? ref.prompt : ref.resource}`,
        );
      }
      try {
        return await item.complete(argument, typed, { caller, exchange, channel: noChannel() }, filled);
      } catch (error) {
        // A fault of ours is told nobody; what another server could not do is.
        throw error instanceof ToolError ? faultOf(error, false) : error;
      }
    },
  };
}

/** What a URI stands for, whoever may read it. */
function resourceAt(resources: readonly CatalogResource[], uri: string): CatalogResource | undefined {
  return (
    resources.find((resource) => resource.uri === uri) ??
    resources.find(({ template }) => template?.match(uri) !== undefined)
  );
}

function asFault(error: unknown, thrown: unknown, { name, method }: Call): unknown {
  if (!(error instanceof ToolError)) return error;
  const isRead = method === 'resources/read';
  if (error.code === 'not_found' && isRead) return new ResourceMissing(name);
  return faultOf(error, isRead, error === thrown ? undefined : thrown);
}

function faultOf({ code, message, data }: ToolError, isRead: boolean, cause?: unknown): ProtocolFault {
  // A read has nothing but its URI to be wrong about; a prompt has arguments.
  const isOfRequest = !isRead && (code === 'invalid' || code === 'not_found');
  // What was typed as data of an error is fit to be shown, and says when to come again.
  const more = typeof data === 'object' && data !== null ? data : {};
  const rpc = isOfRequest ? RPC.invalidParams : RPC.internalError;
  return new ProtocolFault(rpc, message, { ...more, code }, cause === undefined ? {} : { cause });
}

function wireContent(
  content: ResourceContent,
  uri: string,
  ownType: string | undefined,
): ReadResult['contents'][number] {
  const mimeType = content.mimeType ?? ownType;
  return { ...content, uri: content.uri ?? uri, ...(mimeType !== undefined && { mimeType }) };
}
