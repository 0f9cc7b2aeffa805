/** Owns calling tools as the person who is signed in: one answer, or a stream with progress and questions. */
import { ApiError, FRESH_SIGN_IN, clientHooks, dataOf, send } from './client.ts';
import { readServerEvents } from './server-events.ts';

/** One block of a tool's answer, as MCP has it. */
export interface ContentBlock {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
  readonly uri?: string;
  readonly name?: string;
  readonly resource?: { uri: string; mimeType?: string; text?: string; blob?: string };
  readonly [field: string]: unknown;
}

/** A tool's answer. */
export interface ToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  /** What kind of error it was. */
  readonly code?: string | null;
  readonly _meta?: Record<string, unknown>;
}

/** What a tool asks before it goes on. */
export interface ToolQuestion {
  readonly inputRequests: Readonly<Record<string, InputRequest>>;
  readonly requestState?: string;
}

/** One question: a form to fill in, or a page to open. */
export interface InputRequest {
  readonly method?: string;
  readonly params?: {
    readonly message?: string;
    readonly requestedSchema?: unknown;
    readonly url?: string;
    readonly [field: string]: unknown;
  };
}

/** What comes while a tool runs; the last one is result, question, task or error. */
export type ToolEvent =
  | { readonly kind: 'progress'; readonly done: number; readonly total?: number; readonly message?: string }
  | { readonly kind: 'log'; readonly data: unknown }
  | { readonly kind: 'question'; readonly question: ToolQuestion }
  | { readonly kind: 'task'; readonly task: Record<string, unknown> }
  | { readonly kind: 'result'; readonly result: ToolResult }
  | { readonly kind: 'error'; readonly code: string; readonly message: string };

/** What goes with a call besides its arguments. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly requestState?: string;
  readonly inputResponses?: Readonly<Record<string, unknown>>;
  /** The id of a caller to act for. */
  readonly as?: string;
}

function addressOf(endpoint: string, tool: string): string {
  return `/api/call/${encodeURIComponent(endpoint)}/${encodeURIComponent(tool)}`;
}

/**
 * Calls a tool and gives its structured answer; an error of the tool is thrown as `ApiError`.
 *
 *     const { items } = await callTool<{ items: Agent[] }>('agent', 'agent_list', {});
 */
export async function callTool<T>(
  endpoint: string,
  tool: string,
  args: object = {},
  options: CallOptions = {},
): Promise<T> {
  const { signal, ...rest } = options;
  const body = { arguments: args, ...rest };
  const result = await dataOf<ToolResult>(await send('POST', addressOf(endpoint, tool), body, { signal }));
  if (result.isError) throw toolError(result);
  return result.structuredContent as T; // The tool's output schema says what it is
}

const LOST =
  'The connection to the server was lost while the tool ran. It may have done its work: look at My runs before you run it again.';

/** Calls a tool and hands on everything that comes, in order, until the call ends. */
export async function streamTool(
  endpoint: string,
  tool: string,
  args: unknown,
  onEvent: (event: ToolEvent) => void,
  options: CallOptions = {},
): Promise<void> {
  const { signal, ...rest } = options;
  const once = async (): Promise<boolean> => {
    let mustProve = false;
    let hasEnded = false;
    const headers = { accept: 'text/event-stream' };
    const body = { arguments: args, ...rest };
    const response = await send('POST', addressOf(endpoint, tool), body, { signal, headers });
    const read = readServerEvents(response, (name, data) => {
      const event = toolEventOf(name, data);
      hasEnded ||= event !== undefined && event.kind !== 'progress' && event.kind !== 'log';
      if (event?.kind === 'error' && event.code === FRESH_SIGN_IN) mustProve = true;
      else if (event) onEvent(event);
    });
    await read.catch((fault: unknown) => {
      if (signal?.aborted) throw fault;
    });
    if (!hasEnded && !signal?.aborted) onEvent({ kind: 'error', code: 'LOST', message: LOST });
    return mustProve;
  };
  if (!(await once())) return;
  const isProven = await clientHooks.onFreshSignIn();
  if (!isProven || (await once()))
    onEvent({ kind: 'error', code: FRESH_SIGN_IN, message: 'It was not run: it needs a fresh sign-in.' });
}

/** What a failed tool said, as an error with its code. */
export function toolError(result: ToolResult): ApiError {
  const text =
    result.content.find((block) => block.type === 'text')?.text ?? 'The tool failed without a reason.';
  return new ApiError(text.replace(/^Error: /, ''), {
    code: result.code ?? 'TOOL_ERROR',
    status: 200,
    details: result.structuredContent,
  });
}

function toolEventOf(name: string, data: unknown): ToolEvent | undefined {
  const body = (typeof data === 'object' && data !== null ? data : {}) as Record<string, never>; // Fields as the route's document says
  switch (name) {
    case 'progress':
      return { kind: 'progress', done: body['done'] ?? 0, total: body['total'], message: body['message'] };
    case 'log':
      return { kind: 'log', data };
    case 'question':
      return { kind: 'question', question: data as ToolQuestion }; // As the route's document says
    case 'task':
      return { kind: 'task', task: body['task'] ?? {} };
    case 'result':
      return { kind: 'result', result: data as ToolResult }; // As the route's document says
    case 'error':
      return { kind: 'error', code: body['code'] ?? 'ERROR', message: body['message'] ?? '' };
    default:
      return undefined;
  }
}
