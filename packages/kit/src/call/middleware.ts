/** The places where a program may stand between a caller and the catalog. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Caller } from '../access/caller.ts';
import type { CatalogResource } from '../catalog/compiled-resource.ts';
import type { CatalogTool } from '../catalog/compiled-tool.ts';
import type { RequestInfo } from '../define/context.ts';
import type { ResourceContent } from '../define/resource.ts';

/** A call about to run: resolved, authorized, its input parsed. */
export interface ToolCall {
  readonly tool: CatalogTool;
  readonly input: unknown;
  readonly caller: Caller;
  readonly request: RequestInfo;
  /** The task that this is a run of; null for the call of a client, which may make one. */
  readonly taskId: string | null;
  /** True: the client comes back with answers to what this very call asked; absent: it does not. */
  readonly isGoingOn?: boolean;
}

/** A read about to run. */
export interface ResourceRead {
  readonly resource: CatalogResource;
  readonly uri: string;
  readonly caller: Caller;
  readonly request: RequestInfo;
}

/** One middleware; each hook is optional. What `list` leaves out cannot be called either. */
export interface Middleware {
  list?(tools: readonly CatalogTool[], caller: Caller): readonly CatalogTool[];
  /** Whether `call` stands before a tool, asked once for each; absent: before every one. */
  concerns?(tool: CatalogTool): boolean;
  call?(call: ToolCall, next: () => Promise<CallToolResult>): Promise<CallToolResult>;
  read?(read: ResourceRead, next: () => Promise<ResourceContent[]>): Promise<ResourceContent[]>;
  /** What a caller gets instead of what was thrown; returns the same when it has nothing better. */
  failed?(error: unknown, during: FailedCall): unknown;
}

/** What it was thrown in. */
export interface FailedCall {
  /** The task that this was a run of: what no later run would get past is its end, so a passing fault is left as it is. */
  readonly taskId: string | null;
}

const CALLED_TWICE =
  'A middleware called next() twice for one call. Call it once, and use what it returns as often as needed.';

/** Folds hooks into one function, first hook outermost; undefined when there is none. Each hook may go on once. */
export function composeHooks<Item, Result>(
  hooks: readonly ((item: Item, next: () => Promise<Result>) => Promise<Result>)[],
): ((item: Item, run: () => Promise<Result>) => Promise<Result>) | undefined {
  if (hooks.length === 0) return undefined;
  return (item, run) => {
    let entered = -1;
    const enter = (index: number): Promise<Result> => {
      // Else everything that stands further in would run twice, the tool included.
      if (index <= entered) return Promise.reject(new Error(CALLED_TWICE));
      entered = index;
      const hook = hooks[index];
      return hook === undefined ? run() : hook(item, () => enter(index + 1));
    };
    return enter(0);
  };
}

/** Folds what middleware makes of what was thrown into one function. */
export function composeFailed(
  middleware: readonly Middleware[],
): (error: unknown, during: FailedCall) => unknown {
  const hooks = middleware.flatMap(({ failed }) => (failed === undefined ? [] : [failed]));
  return (error, during) => hooks.reduce((seen, failed) => failed(seen, during), error);
}
