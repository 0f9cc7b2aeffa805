/** The enforcing core: resolve, check, run, check again, record. Every surface calls tools through it and nothing else. */
import { randomBytes } from 'node:crypto';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Caller } from './caller.ts';
import type { Catalog } from './catalog.ts';
import { createCatalog } from './catalog.ts';
import type { CatalogTool } from './catalog-tool.ts';
import { CallContext } from './context.ts';
import type { Documents } from './documents.ts';
import { createDocuments } from './documents.ts';
import { ProtocolFault, RPC, unknownTool } from './errors.ts';
import type { Core, Exchange, InputRequired } from './exchange.ts';
import { failureOf, openRoundTrip } from './exchange.ts';
import type { Interaction } from './interaction.ts';
import type { Middleware, ToolCall } from './middleware.ts';
import { composeHooks } from './middleware.ts';
import type { CallRecord, Observer } from './record.ts';
import type { StateSealer } from './request-state.ts';
import { createStateSealer } from './request-state.ts';
import type { HiddenReason } from './resolver.ts';
import { hiddenReason } from './resolver.ts';
import { capResult } from './result-size.ts';
import type { StepStore } from './steps.ts';
import { memorySteps } from './steps.ts';
import type { Installed } from './toolset.ts';
import type { ToolPage, View } from './view.ts';
import { Views } from './view.ts';

/** What an engine is built from. */
export interface EngineOptions {
  readonly installed: readonly Installed[];
  readonly middleware?: readonly Middleware[];
  /** Shared by all replicas, so that any of them can finish a round trip; absent: a key of this process. */
  readonly sealer?: StateSealer;
  readonly steps?: StepStore;
  /** Gets one record per call, read and denial. */
  readonly observe?: Observer;
  /** Gets faults whose details no client may see. */
  readonly onFault?: (error: unknown, where: string) => void;
  readonly maxResultBytes?: number;
}

/** An engine over some toolsets. */
export interface Engine {
  readonly catalog: Catalog;
  readonly documents: Documents;
  view(caller: Caller): View;
  /** Tools by name, in pages; a bad cursor is a protocol fault. */
  list(caller: Caller, cursor?: string): ToolPage;
  call(
    caller: Caller,
    name: string,
    args: unknown,
    exchange: Exchange,
  ): Promise<CallToolResult | InputRequired>;
  /** Why a caller does not have a tool; undefined when they have it. */
  explain(caller: Caller, name: string): HiddenReason | 'unknown' | undefined;
  /** The same engine, narrowed to some toolsets. */
  narrow(toolsets: readonly string[]): Engine;
}

const MAX_RESULT_BYTES = 1024 * 1024;

/** Creates an engine; throws when two tools share a name or a name is ill-formed. */
export function createEngine(options: EngineOptions): Engine {
  const core: Core = {
    sealer: options.sealer ?? createStateSealer([randomBytes(32)]),
    steps: options.steps ?? memorySteps(),
    observe: options.observe ?? (() => undefined),
    onFault: options.onFault ?? (() => undefined),
    middleware: options.middleware ?? [],
    maxResultBytes: options.maxResultBytes ?? MAX_RESULT_BYTES,
  };
  return engineOver(createCatalog(options.installed), core);
}

function engineOver(catalog: Catalog, core: Core): Engine {
  const views = new Views(catalog, core.middleware);
  return {
    catalog,
    documents: createDocuments(views, core),
    view: (caller) => views.of(caller),
    list: (caller, cursor) => views.of(caller).page(caller, cursor === undefined ? '' : decodeCursor(cursor)),
    call: createCall(catalog, views, core),
    explain(caller, name) {
      const tool = catalog.tools.find((candidate) => candidate.name === name);
      return tool === undefined ? 'unknown' : hiddenReason(tool, caller);
    },
    narrow(toolsets) {
      const has = ({ toolset }: { toolset: string }) => toolsets.includes(toolset);
      const { tools, resources, prompts } = catalog;
      const narrowed = {
        tools: tools.filter(has),
        resources: resources.filter(has),
        prompts: prompts.filter(has),
        toolsets: catalog.toolsets.filter(({ name }) => toolsets.includes(name)),
      };
      return engineOver(narrowed, core);
    },
  };
}

function createCall(catalog: Catalog, views: Views, core: Core): Engine['call'] {
  const around = composeHooks(core.middleware.flatMap(({ call }) => (call === undefined ? [] : [call])));

  function run(tool: CatalogTool, input: unknown, caller: Caller, exchange: Exchange, io: Interaction) {
    const ctx = new CallContext(caller, tool.services, exchange.info, io, exchange.signal);
    if (around === undefined) return tool.run(input, ctx);
    const call: ToolCall = { tool, input, caller, request: exchange.info };
    return around(call, () => tool.run(input, ctx));
  }

  return async (caller, name, args, exchange) => {
    const started = performance.now();
    const tool = views.of(caller).tool(name, caller);
    if (tool === undefined) {
      core.observe(denial(catalog, caller, name, exchange));
      throw unknownTool(name);
    }
    const io = exchange.io ?? openRoundTrip(core, caller, 'tools/call', name, args, exchange);
    let outcome: CallRecord['outcome'] = 'ok';
    let code: string | null = null;
    try {
      const checking = tool.check(args);
      const checked = checking instanceof Promise ? await checking : checking;
      if (!checked.ok) throw checked.error;
      const result = capResult(await run(tool, checked.value, caller, exchange, io), core.maxResultBytes);
      if (result.isError) [outcome, code] = ['error', 'tool_error'];
      return result;
    } catch (error) {
      const failure = failureOf(error, io, core, { caller, method: 'tools/call', name, args });
      ({ outcome, code } = failure.record);
      if ('fault' in failure) throw failure.fault;
      return failure.answer;
    } finally {
      const durationMs = performance.now() - started;
      const { info } = exchange;
      core.observe({
        caller,
        method: 'tools/call',
        name,
        toolset: tool.toolset,
        outcome,
        code,
        durationMs,
        info,
      });
    }
  };
}

function denial(catalog: Catalog, caller: Caller, name: string, exchange: Exchange): CallRecord {
  const tool = catalog.tools.find((candidate) => candidate.name === name);
  const code = tool === undefined ? 'unknown' : (hiddenReason(tool, caller) ?? 'filtered');
  const toolset = tool?.toolset ?? '';
  const known = { outcome: 'denied', code, method: 'tools/call', name: name.slice(0, 128), toolset } as const;
  return { ...known, caller, durationMs: 0, info: exchange.info };
}

function decodeCursor(cursor: string): string {
  const name = Buffer.from(cursor, 'base64url').toString('utf8');
  if (name === '' || encodeCursor(name) !== cursor) {
    throw new ProtocolFault(RPC.invalidParams, 'Invalid cursor: use the nextCursor of the page before.');
  }
  return name;
}

/** The cursor after a tool; pages are cut by name, so a cursor needs no session. */
export function encodeCursor(name: string): string {
  return Buffer.from(name, 'utf8').toString('base64url');
}
