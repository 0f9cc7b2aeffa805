/** A live way to one upstream, whatever its era and transport: what is asked of it, what comes back, how it fails. */
import type { ServedTool, UpstreamTarget } from '@parley/connections';
import type { ClientCapabilities, InputRequest, InputResponse, LogLevel, ParamHeader } from '@parley/kit';

/** The one header of a client's request that an HTTP upstream gets as it came: it signs what the client passes on. */
export const FORWARDED_HEADER = 'x-hub-signature-256';

/** One request to an upstream. */
export interface LinkRequest {
  readonly method: string;
  /** As the upstream shall get them; the link adds what its era needs in `_meta`. */
  readonly params: Readonly<Record<string, unknown>>;
  /** What the client behind the call can be asked; an upstream is never offered more. */
  readonly capabilities: ClientCapabilities;
  /** Fires when the client has cancelled or gone: the upstream is told, and the request rejects. */
  readonly signal: AbortSignal;
  /** The longest time for the whole of it; progress extends the idle limit and never this one. */
  readonly limitMs: number;
  /** True: it changes nothing, so it may be sent once more on a connection that closed before any answer. */
  readonly isRead?: boolean;
  /** Who is behind it: a question that names no call is asked only while all calls it can belong to are of one. */
  readonly principal?: string | undefined;
  /** The tool as it was agreed to, where what it stands for is looked up here. */
  readonly pinned?: ServedTool | undefined;
  /** Arguments that the schema of the tool wants repeated as headers. */
  readonly paramHeaders?: readonly ParamHeader[] | undefined;
  /** The header `x-parley-hops` as it came in, where the request came from another server of this kind. */
  readonly hops?: string | undefined;
  /** Goes out as `x-request-id`: one of our own, since clients choose theirs freely. */
  readonly requestId?: string;
  /** In the form of W3C, or absent. */
  readonly traceparent?: string | undefined;
  /** Goes out as `x-hub-signature-256`. */
  readonly signature?: string;
  /** Headers of this one request, such as one that the connection maps; they win over those of the target. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: the client wants no progress, and none is asked for. */
  onProgress?(done: number, total?: number, message?: string): void;
  /** The mildest level that the client asked for, with where messages go. Absent: no messages are asked for. */
  readonly log?: { readonly level: LogLevel; on(level: LogLevel, data: unknown, logger?: string): void };
  /** Told when a 2025 server says in the middle of the call that its lists are others. */
  onLists?(): void;
  /** A question of a 2025 server in the middle of the call. Absent: every question is declined at once. */
  onAsk?(request: InputRequest, signal: AbortSignal): Promise<InputResponse>;
}

/** What a server said about itself. */
export interface ServerFacts {
  readonly era: 'modern' | 'legacy';
  readonly protocolVersion: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly info: { readonly name: string; readonly version: string; readonly title?: string } | null;
  readonly instructions: string | null;
}

/** What an upstream tells without being asked. */
export type LinkNotice =
  | { readonly kind: 'tools' | 'prompts' | 'resources' }
  | { readonly kind: 'resource'; readonly uri: string }
  /** The stream was lost and is open again: anything may have changed meanwhile. */
  | { readonly kind: 'reopened' };

/** What is listened for. */
export interface LinkWatch {
  /** Documents whose changes are wanted, besides those of the lists. */
  setUris(uris: ReadonlySet<string>): Promise<void>;
  close(): Promise<void>;
}

/** A way to one upstream with one set of credentials. Stateless, a session, a stream or a process: callers do not see it. */
export interface Link {
  /** Opens it if need be; throws an `UpstreamFault`. */
  facts(signal?: AbortSignal): Promise<ServerFacts>;
  /**
   * Sends a request and returns its result as it came: for a 2026 server also `resultType` `input_required` or `task`.
   * Throws an `UpstreamFault`, or the reason of the signal.
   */
  request(request: LinkRequest): Promise<Readonly<Record<string, unknown>>>;
  /** Listens to lists and to these documents; a lost stream is opened again with backoff until it is closed. */
  watch(on: (notice: LinkNotice) => void, uris?: ReadonlySet<string>): Promise<LinkWatch>;
}

/** All links of this process. */
export interface Links {
  /** The link of a target; two calls with the same target and principal share what can be shared. */
  of(target: UpstreamTarget): Link;
  /** Ends what a connection has open: it was changed, switched off or deleted. */
  forget(connectionId: string): Promise<void>;
  close(): Promise<void>;
}

/** Why a request to an upstream failed. */
export type FaultKind =
  /** Down, refused, no such name, TLS, no place for another process. */
  | 'unreachable'
  /** No answer in time, or a stream that fell silent. */
  | 'timeout'
  /** 401 after a refresh, or nothing to sign in with. */
  | 'auth_required'
  /** 403. */
  | 'forbidden'
  /** 429. */
  | 'rate_limited'
  /** 5xx. */
  | 'broken'
  /** No JSON, a wrong id, too large, too deep. */
  | 'invalid_result'
  /** It ended in the middle: a cut stream, a crashed process. */
  | 'dropped'
  /** The tool is not what was agreed to, and was not called. */
  | 'changed'
  /** An error of JSON-RPC, as the server sent it. */
  | 'rpc'
  /** Switched off here: no programs allowed, an address that the guard refuses. */
  | 'not_allowed';

/** What went wrong with an upstream, in words without an address and without a secret of its own; whoever shows them cuts them. */
export class UpstreamFault extends Error {
  override readonly name = 'UpstreamFault';
  readonly kind: FaultKind;
  /** False: nothing of the request has left, so it may be sent again. */
  readonly wasSent: boolean;
  readonly retryAfterMs: number | undefined;
  /** Of the kind `auth_required`: where the person can do something about it. */
  readonly link: string | undefined;
  /** Of the kind `rpc`: what the server said. */
  readonly rpc: { readonly code: number; readonly message: string; readonly data?: unknown } | undefined;
  /** True: it is about the credentials, the words or the wish for too much of one caller, and says nothing of the health of the upstream. */
  readonly isOfCaller: boolean;
  /** True: the upstream answered 4xx. It is well, and will not have this request. */
  readonly isRefusal: boolean;
  /** Of the kind `auth_required`: the header WWW-Authenticate. It is for code, never for a client. */
  readonly challenge: string | undefined;

  constructor(
    kind: FaultKind,
    message: string,
    {
      wasSent = true,
      retryAfterMs,
      link,
      rpc,
      challenge,
      isOfCaller = false,
      isRefusal = false,
    }: {
      wasSent?: boolean;
      isOfCaller?: boolean;
      isRefusal?: boolean;
      retryAfterMs?: number | undefined;
      link?: string | undefined;
      rpc?: UpstreamFault['rpc'];
      challenge?: string | undefined;
    } = {},
  ) {
    super(message);
    this.kind = kind;
    this.wasSent = wasSent;
    this.retryAfterMs = retryAfterMs;
    this.link = link;
    this.rpc = rpc;
    this.challenge = challenge;
    this.isOfCaller = isOfCaller;
    this.isRefusal = isRefusal;
  }
}

/** The connection was changed or switched off while a request was under way: another link leads to what it is now. */
export class LinkForgotten extends UpstreamFault {
  constructor() {
    super('unreachable', 'The connection was changed or switched off. Try again.', { wasSent: false });
  }
}
