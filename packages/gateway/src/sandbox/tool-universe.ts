/** The tools that code of a caller may find and call: by default, all that the caller may call. */
import type { Caller, CatalogTool, Engine, Exchange, Observer, ToolAnswer } from '@parley/kit';
import { ProtocolFault, RPC } from '@parley/kit';

/** A tool as code finds it. */
export interface CodeTool {
  readonly name: string;
  readonly description: string;
  /** The title of the connection or toolset that it belongs to. */
  readonly connection: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** Where the tools of a run come from. */
export interface ToolUniverse {
  tools(caller: Caller): Promise<readonly CodeTool[]>;
  /** Calls a tool as any client of this caller would; a protocol fault is thrown. */
  call(caller: Caller, name: string, args: unknown, exchange: Exchange): Promise<ToolAnswer>;
}

/** All that a caller may call, but what would run code inside of code. */
export function engineUniverse(
  engineOf: (caller: Caller) => Engine | Promise<Engine>,
  observe: Observer,
): ToolUniverse {
  const known = new WeakMap<CatalogTool, CodeTool>();

  function codeTool(tool: CatalogTool, titles: ReadonlyMap<string, string>): CodeTool {
    const made = known.get(tool);
    if (made !== undefined) return made;
    const { name, description = '', inputSchema, outputSchema, annotations } = tool.definition;
    const connection = titles.get(tool.toolset) ?? tool.toolset;
    const shown = {
      name,
      description,
      connection,
      inputSchema,
      ...(outputSchema && { outputSchema }),
      // As they are on the wire, word for word.
      ...(annotations && { annotations: annotations as Readonly<Record<string, unknown>> }),
    };
    known.set(tool, shown);
    return shown;
  }

  return {
    async tools(caller) {
      const engine = await engineOf(caller);
      await engine.ready(caller);
      const titles = new Map(engine.catalogFor(caller).toolsets.map(({ name, title }) => [name, title]));
      return engine
        .view(caller)
        .listedTools(caller)
        .filter((tool) => !startsCode(tool))
        .map((tool) => codeTool(tool, titles));
    },
    async call(caller, name, args, exchange) {
      const engine = await engineOf(caller);
      await engine.ready(caller);
      const tool = engine.find(caller, name)?.tool;
      if (tool === undefined || !startsCode(tool)) return engine.call(caller, name, args, exchange);
      const { toolset } = tool;
      const record = { method: 'tools/call', outcome: 'denied', code: 'nested', durationMs: 0 } as const;
      observe({ ...record, caller, name, toolset, info: exchange.info });
      throw new ProtocolFault(RPC.invalidParams, `Unknown tool: ${name}`);
    },
  };
}

/** Tools that search, describe and run on behalf of code are for clients, not for code. */
export function startsCode({ name, granted = name }: CatalogTool): boolean {
  return granted.startsWith('CODE_EXECUTION_') || granted.startsWith('GATEWAY_');
}
