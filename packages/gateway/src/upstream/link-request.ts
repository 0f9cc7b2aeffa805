/** From the call of a client to the request of a link: what the upstream shall get, and what goes back meanwhile. */
import type { ServedConnection } from '@parley/connections';
import { GATEWAY_DEFAULTS } from '@parley/connections';
import { TokenBuckets } from '@parley/http';
import type { ClientCapabilities, OutsideCall } from '@parley/kit';
import { detach } from '@parley/kit';
import { randomUUID } from 'node:crypto';
import type { LinkRequest } from './link.ts';
import { FORWARDED_HEADER } from './link.ts';

/** What a connection is asked for by its own words. */
export interface Wanted {
  readonly method:
    | 'tools/call'
    | 'resources/read'
    | 'prompts/get'
    | 'completion/complete'
    | 'tasks/get'
    | 'tasks/update'
    | 'tasks/cancel';
  readonly params: Readonly<Record<string, unknown>>;
  /** True: it changes nothing. */
  readonly isRead: boolean;
  /** The tool as it was agreed to, where the link looks up what it stands for. */
  readonly pinned?: LinkRequest['pinned'];
  /** Arguments that the schema of a tool wants repeated as headers. */
  readonly paramHeaders?: LinkRequest['paramHeaders'];
  /** What the upstream is offered, where that is not what the client can do: tasks are followed here. */
  readonly capabilities?: ClientCapabilities;
  /** Absent: the call limit of the connection. */
  readonly limitMs?: number;
}

const SIGNATURE = /^sha256=[0-9a-f]{64}$/i;
/** Neither the version `ff`, nor ids of zeros alone. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The first letter of a state that is of the upstream itself. */
export const THEIR_STATE = 'u';

/** True when there is anything that the client could be asked. */
export function canBeAsked({ capabilities }: OutsideCall): boolean {
  const { elicitation, sampling, roots } = capabilities;
  return elicitation !== undefined || sampling !== undefined || roots !== undefined;
}

/** The parameters with what the client brought for a server of 2026. */
export function withAnswers(
  params: Wanted['params'],
  { requestState, inputResponses }: OutsideCall,
): Wanted['params'] {
  if (requestState === undefined && inputResponses === undefined) return params;
  return {
    ...params,
    ...(inputResponses !== undefined && { inputResponses }),
    ...(requestState !== undefined && { requestState: requestState.slice(THEIR_STATE.length) }),
  };
}

export function limitOf({ settings }: ServedConnection): number {
  return settings.callTimeoutMs ?? GATEWAY_DEFAULTS.callTimeoutMs;
}

/** What a client gave as its trace, where it is one; it goes out as a header. */
export function fitTrace(traceparent: string | undefined): string | undefined {
  return traceparent !== undefined && TRACEPARENT.test(traceparent) ? traceparent : undefined;
}

export function requestOf(
  connection: ServedConnection,
  { method, params, isRead, pinned, paramHeaders, capabilities, limitMs }: Wanted,
  call: OutsideCall,
  {
    headers,
    hops,
  }: { readonly headers?: LinkRequest['headers'] | undefined; readonly hops?: string | undefined },
): LinkRequest {
  const { logLevel } = call;
  const isWork = !method.startsWith('tasks/');
  const signature = call.header(FORWARDED_HEADER);
  return {
    method,
    params,
    capabilities: capabilities ?? call.capabilities,
    signal: call.signal,
    limitMs: limitMs ?? limitOf(connection),
    isRead,
    principal: call.caller.id,
    ...(pinned !== undefined && { pinned }),
    ...(paramHeaders !== undefined && { paramHeaders }),
    ...(hops !== undefined && { hops }),
    requestId: randomUUID(),
    // One signature and nothing besides: a header that came twice is joined to one that is none.
    ...(signature !== undefined && SIGNATURE.test(signature) && { signature }),
    ...(headers !== undefined && { headers }),
    // What is asked about a task says nothing besides.
    ...(call.wantsProgress && isWork && { onProgress: progressTo(call) }),
    ...(logLevel !== undefined && isWork && { log: { level: logLevel, on: logTo(call) } }),
  };
}

// Each of them costs as much as a small call: a server that tells of every byte would keep all others waiting.
const NOTICES_AT_ONCE = 100;
const NOTICES_PER_SECOND = 20;

/** Makes what an upstream said fit to be passed on. */
export type Clean = <T>(value: T) => T;

/** The same request, whose notices come without what must not pass either, and without those that are too many. */
export function withFitNotices(request: LinkRequest, clean: Clean, now?: () => number): LinkRequest {
  const { onProgress, log } = request;
  if (onProgress === undefined && log === undefined) return request;
  const rate = new TokenBuckets(NOTICES_PER_SECOND, NOTICES_AT_ONCE, now);
  return {
    ...request,
    ...(onProgress !== undefined && {
      onProgress(done, total, message) {
        if (rate.take('progress') === 0) onProgress(done, total, clean(message));
      },
    }),
    ...(log !== undefined && {
      log: {
        ...log,
        on(level, data, logger) {
          if (rate.take('log') === 0) log.on(level, clean(data), clean(logger));
        },
      },
    }),
  };
}

/** Notices have nobody to report to: a client that does not read them misses them, and nothing else. */
const IGNORED = () => undefined;

function progressTo(call: OutsideCall): NonNullable<LinkRequest['onProgress']> {
  return (done, total, message) => detach(() => call.progress(done, total, message), IGNORED);
}

function logTo(call: OutsideCall): NonNullable<LinkRequest['log']>['on'] {
  return (level, data) => detach(() => call.log(level, data), IGNORED);
}
