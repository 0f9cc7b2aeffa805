/** The points at which policies stand before tools: who sees one, who calls it, what needs approval, what may leave. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Caller, CatalogTool, Middleware } from '@parley/kit';
import { ToolError } from '@parley/kit';
import type { ApprovableCall, TakenApproval } from './approvals.ts';
import { approvableCall } from './approvals.ts';

/** What a policy may decide; whatever is left out allows. A hook that throws, or takes too long, denies. */
export interface GatewayHooks {
  readonly policy?: {
    /** Whether a caller sees a tool, and so can call it. */
    list?(caller: Caller, tool: CatalogTool): boolean;
    /** Whether this call may run; it gets all of the arguments, checked. */
    call?(caller: Caller, tool: CatalogTool, args: unknown): Promise<boolean> | boolean;
  };
  readonly approval?: {
    /** Whether somebody has to approve this call first. */
    required?(caller: Caller, tool: CatalogTool, args: unknown): Promise<boolean> | boolean;
    /** What the rules of now are known by: an approval under other ones is none. */
    policyVersion?(): string;
    /** Takes the approval of exactly this call, so that nobody takes it again. Absent: nothing is ever approved. */
    take?(call: ApprovableCall): Promise<TakenApproval | undefined> | TakenApproval | undefined;
  };
  readonly result?: {
    /** The result as it may leave. */
    after?(
      caller: Caller,
      tool: CatalogTool,
      result: CallToolResult,
    ): Promise<CallToolResult> | CallToolResult;
  };
}

const LIMIT_MS = 500;

/** The hooks as middleware of the engine; none where nothing is decided, so that nothing is asked. */
export function hookMiddleware(
  { policy = {}, approval = {}, result = {} }: GatewayHooks,
  onFault: (error: unknown, where: string) => void,
  now: () => number = Date.now,
): Middleware[] {
  const hasCallHook =
    policy.call !== undefined || approval.required !== undefined || result.after !== undefined;
  const decide = <T>(where: string, work: () => Promise<T> | T) => within(work, where, onFault);
  const lists: Middleware[] =
    policy.list === undefined
      ? []
      : [{ list: (tools, caller) => tools.filter((tool) => isShown(tool, caller)) }];
  const calls: Middleware[] = !hasCallHook
    ? []
    : [
        {
          async call({ tool, caller, input, taskId, isGoingOn }, next) {
            const isAllowed = await decide('policy.call', () => policy.call?.(caller, tool, input) ?? true);
            if (!isAllowed)
              throw new ToolError('forbidden', `A policy does not allow this call of ${tool.name}.`);
            // A later round or the run of a task is the call that was approved before.
            const isNew = taskId === null && isGoingOn !== true;
            const isRequired =
              isNew &&
              (await decide('approval.required', () => approval.required?.(caller, tool, input) ?? false));
            if (isRequired) await spendApproval(caller, tool, input);
            const answer = await next();
            return decide('result.after', () => result.after?.(caller, tool, answer) ?? answer);
          },
        },
      ];
  return [...lists, ...calls];

  /** Takes the approval, and looks at it once more: rules and time may have gone on while it was looked for. */
  async function spendApproval(caller: Caller, tool: CatalogTool, input: unknown): Promise<void> {
    const version = () => approval.policyVersion?.() ?? '';
    const wanted = await decide('approval', () => approvableCall(caller, tool, input, version()));
    const taken = await decide('approval.take', () => approval.take?.(wanted));
    const isGood =
      taken !== undefined &&
      now() < taken.expiresAt &&
      (await decide('approval', () => version() === wanted.policyVersion));
    if (isGood) return;
    const { definitionHash, argumentsDigest, policyVersion } = wanted;
    throw new ToolError('declined', `This call of ${tool.name} has to be approved first.`, {
      approval: { definitionHash, argumentsDigest, policyVersion },
    });
  }

  function isShown(tool: CatalogTool, caller: Caller): boolean {
    try {
      return policy.list?.(caller, tool) ?? true;
    } catch (error) {
      onFault(error, 'policy.list');
      return false;
    }
  }
}

/** What a hook decides; one that fails or takes too long has denied. */
async function within<T>(
  work: () => Promise<T> | T,
  where: string,
  onFault: (error: unknown, where: string) => void,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const { promise: late, reject } = Promise.withResolvers<never>();
  try {
    timer = setTimeout(() => reject(new Error(`${where} took more than ${LIMIT_MS} ms.`)), LIMIT_MS);
    return await Promise.race([late, (async () => work())()]);
  } catch (error) {
    onFault(error, where);
    throw new ToolError('forbidden', 'A policy could not decide about this call, so it does not run.');
  } finally {
    clearTimeout(timer);
  }
}
