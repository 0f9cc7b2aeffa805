/** Calls that the server makes by itself, as when it brings events: through the same stages as those of any client. */
import type { Upstream, UpstreamTarget } from '@parley/connections';
import type { Caller, Engine, ToolAnswer } from '@parley/kit';
import { ERROR_CODE_META_KEY, isToolResult, ProtocolFault } from '@parley/kit';
import { ANSWER_MS } from './limits.ts';

/** What such calls stand on. */
export interface OwnCallParts {
  /** An engine over all connections, with the hooks and records of calls. */
  engine(): Engine;
  /** Reads the connections of an organization as they stand now. */
  prepare(organizationId: string): Promise<void>;
  /** Whether a server lists a tool; true also when it cannot be asked. */
  lists(target: UpstreamTarget, tool: string): Promise<boolean>;
}

/** The call of one tool in the name of somebody, who needs no right to it of their own. */
export function ownCalls({ engine, prepare, lists }: OwnCallParts): Upstream['call'] {
  return async (target, tool, args, { caller, signal, limitMs = ANSWER_MS[target.type] }) => {
    const over = AbortSignal.timeout(limitMs);
    const ends = signal === undefined ? over : AbortSignal.any([signal, over]);
    // What was held a moment ago is not called.
    await prepare(target.organizationId);
    const answered = async () =>
      engine()
        .narrow([target.id])
        .call(forThis(caller, target.id, tool), tool, args, {
          info: { id: null, era: 'local', client: null },
          signal: () => ends,
        });
    let answer: ToolAnswer;
    try {
      answer = await answered();
    } catch (error) {
      if (over.aborted)
        return { ok: false, status: 'timeout', message: 'The server did not answer in time.' };
      if (error instanceof ProtocolFault) return { ok: true, outcome: 'no_such_tool', data: undefined };
      throw error;
    }
    if (isToolResult(answer) && answer.isError !== true)
      return { ok: true, outcome: 'answered', data: dataOf(answer) };
    const fault = faultOf(answer);
    const isOfServer = fault === undefined || OF_SERVER.has(fault.status);
    if (!isOfServer) return { ok: false, ...fault };
    return {
      ok: true,
      outcome: (await lists(target, tool)) ? 'failed' : 'no_such_tool',
      data: undefined,
    };
  };
}

/** What a server says to a tool that it has and that failed, or that it does not have. */
const OF_SERVER = new Set(['upstream_error', 'invalid']);

/** The same person with this one tool, which the server calls for its own reasons. */
function forThis(caller: Caller, connectionId: string, tool: string): Caller {
  return { ...caller, grants: { [connectionId]: [tool] } };
}

function faultOf(answer: ToolAnswer): { readonly status: string; readonly message: string } | undefined {
  if (!isToolResult(answer)) return undefined;
  const status = answer._meta?.[ERROR_CODE_META_KEY];
  if (typeof status !== 'string') return undefined;
  return { status, message: textOf(answer)?.replace(/^Error: /, '') ?? 'The call failed.' };
}

function dataOf(answer: Extract<ToolAnswer, { content: unknown }>): unknown {
  if (answer.structuredContent !== undefined) return answer.structuredContent;
  const text = textOf(answer);
  if (text === undefined) return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function textOf({ content: [first] }: Extract<ToolAnswer, { content: unknown }>): string | undefined {
  return first?.type === 'text' ? first.text : undefined;
}
