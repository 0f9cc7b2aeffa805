/** One call that code makes: through the whole pipeline as its caller, and back as the plain value that code works with. */
import { DEFAULT_INBOUND_LIMITS, HttpRefusal, parseJson } from '@parley/http';
import type { Caller, RequestInfo, ToolAnswer } from '@parley/kit';
import { ERROR_CODE_META_KEY, isToolResult, ProtocolFault, RPC } from '@parley/kit';
import type { NestedCall } from './sandbox.ts';
import type { ToolUniverse } from './tool-universe.ts';

type Answer = { readonly value: unknown } | { readonly error: { code: string; message: string } };

/** The way from a run to its tools. */
export function nestedCalls(universe: ToolUniverse, caller: Caller, info: RequestInfo): NestedCall {
  const own: RequestInfo = { ...info, isForCode: true };
  return async (name, text, signal) => {
    const answered = async (): Promise<Answer> => {
      const args = parseJson(text, DEFAULT_INBOUND_LIMITS);
      // One of its own, since what is known of a call is known by it.
      return unwrapped(await universe.call(caller, name, args, { info: { ...own }, signal: () => signal }));
    };
    return JSON.stringify(await answered().catch(faultOf));
  };
}

/** What a result says: its structure, its first text, or itself. */
function unwrapped(answer: ToolAnswer): Answer {
  if (!isToolResult(answer)) {
    return failed('unavailable', 'This tool asks questions or goes on in the background; call it directly.');
  }
  const first = answer.content.find((block) => block.type === 'text')?.text;
  if (answer.isError) {
    const code = answer._meta?.[ERROR_CODE_META_KEY];
    const message = (first ?? 'The tool failed.').replace(/^Error: /, '');
    return failed(typeof code === 'string' ? code : 'tool_error', message);
  }
  if (answer.structuredContent !== undefined) return { value: answer.structuredContent };
  if (first === undefined) return { value: answer };
  try {
    return { value: parseJson(first, DEFAULT_INBOUND_LIMITS) };
  } catch {
    return { value: first };
  }
}

function failed(code: string, message: string): Answer {
  return { error: { code, message } };
}

/** A protocol fault in the terms of code: a tool that is not there is not found. */
function faultOf(error: unknown): Answer {
  if (error instanceof ProtocolFault) {
    return failed(error.code === RPC.invalidParams ? 'not_found' : 'unavailable', error.message);
  }
  if (error instanceof HttpRefusal) return failed('invalid', error.message);
  throw error;
}
