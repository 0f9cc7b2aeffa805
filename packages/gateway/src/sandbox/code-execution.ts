/** Code of a caller: finding tools, reading what they take, and running code over them. */
import type { Caller, RequestInfo } from '@parley/kit';
import { nestedCalls } from './nested-call.ts';
import type { RunOutcome, Sandbox } from './sandbox.ts';
import { searchTools } from './tool-search.ts';
import type { CodeTool, ToolUniverse } from './tool-universe.ts';

/** The request that a run belongs to. */
export interface RunRequestInfo {
  readonly request: RequestInfo;
  readonly signal: AbortSignal;
}

export interface CodeExecution {
  search(
    caller: Caller,
    query: string,
    limit: number,
  ): Promise<{ readonly found: readonly CodeTool[]; readonly total: number }>;
  describe(
    caller: Caller,
    names: readonly string[],
  ): Promise<{ readonly found: readonly CodeTool[]; readonly notFound: readonly string[] }>;
  run(
    caller: Caller,
    code: { readonly code: string; readonly timeoutMs: number },
    request: RunRequestInfo,
  ): Promise<RunOutcome>;
  /** Throws `invalid`, with line and column, when code could not be run. */
  checkCode(code: string): Promise<void>;
  close(): Promise<void>;
}

/** Creates it over a sandbox and the tools that there are. */
export function createCodeExecution(sandbox: Sandbox, universe: ToolUniverse): CodeExecution {
  return {
    async search(caller, query, limit) {
      const tools = await universe.tools(caller);
      return { found: searchTools(tools, query, limit), total: tools.length };
    },
    async describe(caller, names) {
      const tools = new Map((await universe.tools(caller)).map((tool) => [tool.name, tool]));
      const wanted = [...new Set(names)];
      return {
        found: wanted.flatMap((name) => tools.get(name) ?? []),
        notFound: wanted.filter((name) => !tools.has(name)),
      };
    },
    run(caller, { code, timeoutMs }, { request, signal }) {
      const call = nestedCalls(universe, caller, request);
      return sandbox.run(code, { organizationId: caller.organizationId, timeoutMs, signal, call });
    },
    checkCode: (code) => sandbox.checkCode(code),
    close: () => sandbox.close(),
  };
}
