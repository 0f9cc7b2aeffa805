/** One call of a tool for somebody in the console: through the engine of its endpoint, as every other call goes. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { plainErrorOf, signalOf } from '@parley/gateway';
import { HttpRefusal } from '@parley/http';
import { writeAnswer } from '@parley/http/pages';
import { toRefusal } from '@parley/http/rest';
import type { Caller, Engine, Exchange, ToolAnswer } from '@parley/kit';
import {
  ERROR_CODE_META_KEY,
  errorBehind,
  isInputRequired,
  isToolResult,
  ProtocolFault,
  requestInfo,
} from '@parley/kit';
import { callerToActAs } from './acting-as.ts';
import { engineNamed } from './engine-named.ts';
import { FRESH_SIGN_IN } from './sensitive.ts';
import type { ConsoleScope } from './scope.ts';
import { freshSignIn } from '@parley/http/rest';

const STREAM = 'text/event-stream';
const CLIENT = 'Parley console';

/** What is called, with what. */
export interface ConsoleCall extends ConsoleScope {
  readonly caller: Caller;
  readonly params: { readonly endpoint: string; readonly tool: string };
  readonly query: { readonly mode?: string | undefined };
  readonly body: {
    readonly arguments: Readonly<Record<string, unknown>>;
    readonly requestState?: string | undefined;
    readonly inputResponses?: Readonly<Record<string, unknown>> | undefined;
    readonly as?: string | undefined;
  };
}

/** Calls it and writes the answer. */
export async function callTool(call: ConsoleCall): Promise<void> {
  const { exchange, body } = call;
  const { req, res } = exchange;
  const caller = body.as === undefined ? call.caller : await callerToActAs(call, body.as);
  const engine = await engineFor(call, caller);
  const isStream = req.headers.accept?.includes(STREAM) === true;
  const given = exchangeOf(call);
  if (!isStream) return writeJson(call, await answerOf(engine, caller, call, given));
  openStream(call, caller);
  const streamed = { ...given, ...channelsOn(res) };
  const frame = await answerOf(engine, caller, call, streamed).then(frameOf, faultFrame(call));
  if (!res.destroyed) res.end(frame);
}

async function engineFor({ gateway, params, query }: ConsoleCall, caller: Caller): Promise<Engine> {
  return engineNamed(gateway, caller, { endpoint: params.endpoint, mode: query.mode });
}

/** A result, or a question or task; what the engine refuses is thrown as a refusal. */
async function answerOf(
  engine: Engine,
  caller: Caller,
  { params, body }: ConsoleCall,
  exchange: Exchange,
): Promise<ToolAnswer> {
  try {
    const answer = await engine.call(caller, params.tool, body.arguments, exchange);
    if (isToolResult(answer) && errorBehind(answer)?.code === FRESH_SIGN_IN) throw freshSignIn();
    return answer;
  } catch (error) {
    throw error instanceof ProtocolFault ? plainErrorOf(error) : error;
  }
}

/** What comes with a request of the console. */
export function exchangeOf({
  exchange: { req, res },
  body,
}: Pick<ConsoleCall, 'exchange' | 'body'>): Exchange {
  let signal: AbortSignal | undefined;
  const { traceparent } = req.headers;
  return {
    info: requestInfo({
      id: randomUUID(),
      era: 'rest',
      client: CLIENT,
      traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    }),
    signal: () => (signal ??= signalOf(res)),
    // A person sits there and can fill in forms; no model does.
    capabilities: { elicitation: { form: {} } },
    requestState: body.requestState,
    inputResponses: body.inputResponses,
  };
}

/** Takes a place and begins the answer; what is said from then on stands in the stream. */
function openStream({ exchange: { res }, services, config }: ConsoleCall, caller: Caller): void {
  const { streamsPerCaller, streamsPerOrganization, streamsPerProcess } = config.limits;
  const release = services.places.take([
    [`caller ${caller.id}`, streamsPerCaller],
    [`organization ${caller.organizationId}`, streamsPerOrganization],
    ['process', streamsPerProcess],
  ]);
  if (release === undefined)
    throw new HttpRefusal('RATE_LIMITED', 'Too many streams are open. Close one, or try again later.', {
      headers: { 'retry-after': '15' },
    });
  res.once('close', release);
  if (res.destroyed) return release();
  services.unread.guard(res);
  res.writeHead(200, {
    'content-type': `${STREAM}; charset=utf-8`,
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
  });
  res.flushHeaders();
}

function channelsOn(res: ServerResponse): Pick<Exchange, 'progress' | 'log' | 'logLevel'> {
  let last = -Infinity;
  const write = (event: string, data: object) => {
    if (!res.destroyed && !res.writableEnded) res.write(eventOf(event, data));
  };
  return {
    async progress(done, total, message) {
      if (done <= last) return;
      last = done;
      write('progress', { done, total: total ?? null, message: message ?? null });
    },
    async log(level, data) {
      write('log', { level, data });
    },
    logLevel: 'debug',
  };
}

function frameOf(answer: ToolAnswer): string {
  if (isInputRequired(answer)) {
    const { inputRequests, requestState } = answer;
    return eventOf('question', { inputRequests, requestState });
  }
  if (!isToolResult(answer)) return eventOf('task', { task: answer });
  return eventOf('result', shownResult(answer));
}

function faultFrame({ host }: ConsoleCall): (error: unknown) => string {
  return (error) => {
    const refusal = toRefusal(error);
    if (refusal === undefined) host.onFault(error, 'console call');
    const { code, message } = refusal ?? new HttpRefusal('INTERNAL_ERROR', 'Internal error');
    return eventOf('error', { code, message });
  };
}

function eventOf(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The same fields always, so that nobody has to look whether one is there. */
function shownResult({ content, structuredContent, isError, _meta }: CallToolResult) {
  return {
    content,
    structuredContent: structuredContent ?? null,
    isError: isError === true,
    code: isError === true ? (_meta?.[ERROR_CODE_META_KEY] ?? null) : null,
    _meta: _meta ?? {},
  };
}

function writeJson({ exchange: { req, res } }: ConsoleCall, answer: ToolAnswer): void {
  if (isInputRequired(answer)) {
    const { inputRequests, requestState } = answer;
    throw new HttpRefusal('INPUT_REQUIRED', 'The tool asks for more. Call it again with answers.', {
      details: { inputRequests, requestState },
    });
  }
  const data = isToolResult(answer) ? shownResult(answer) : { task: answer };
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  writeAnswer(req, res, { status: 200, headers, body: JSON.stringify({ data }) });
}
