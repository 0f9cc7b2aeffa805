/** What the code tools need of the sandbox, which the program that serves the mesh brings. */
import type { Caller, RequestInfo } from '@parley/kit';

/** A tool as code finds it. */
export interface CodeTool {
  readonly name: string;
  readonly description: string;
  readonly connection: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
}

/** How a run ended. */
export interface CodeOutcome {
  readonly returnValue?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
  readonly consoleLogs: readonly { readonly type: 'log' | 'warn' | 'error'; readonly content: string }[];
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
    request: { readonly request: RequestInfo; readonly signal: AbortSignal },
  ): Promise<CodeOutcome>;
  /** Throws `invalid`, with line and column, when code could not be run. */
  checkCode(code: string): Promise<void>;
}
