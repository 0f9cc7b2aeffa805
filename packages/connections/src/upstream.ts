/** What connections need from the client of upstream servers; the gateway has it. */
import type { Caller, Skill } from '@parley/kit';

/** A server to reach, with the credentials of one call. */
export interface UpstreamTarget {
  readonly id: string;
  readonly organizationId: string;
  readonly type: 'HTTP' | 'SSE' | 'STDIO' | 'OPENAPI';
  readonly url: string | null;
  readonly token: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly program: UpstreamProgram | null;
  /** What is secret of the connection, wherever it turns up. */
  readonly secrets: readonly string[];
  /** Those of them that somebody stored, where a client brought others along; absent: all. */
  readonly storedSecrets?: readonly string[] | undefined;
  /** Whose credentials these are: the id of a user; empty: everybody's. Links of two are never shared. */
  readonly principal: string;
  /** Hosts, `host` or `host:port`, that this one connection may reach besides what the guard allows anyway. */
  readonly allow: readonly string[];
  /** Of the type OPENAPI: where the service is, when that is not for its document to say. */
  readonly openapiServer?: string | null;
  /** The era that was seen last; null: to be found out. */
  readonly era: 'modern' | 'legacy' | null;
  /** Until when that is believed, in ms since the epoch; absent: for as long as the links believe it. */
  readonly eraUntil?: number | undefined;
  /** Answers may have as many bytes. */
  readonly maxResultBytes: number;
}

/** A program that speaks MCP over its standard input and output. */
export interface UpstreamProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | null;
  readonly env: Readonly<Record<string, string>>;
  /** True: stored by somebody on this machine, who needs nobody's leave to start programs on it. */
  readonly isLocal?: boolean | undefined;
}

export type UpstreamStatus =
  | 'ok'
  | 'unreachable'
  | 'timeout'
  | 'auth_required'
  | 'invalid_protocol'
  | 'disabled';

/** Why an upstream could not be asked; the sentence names no address and no secret. */
export interface UpstreamFailure {
  readonly ok: false;
  readonly status: Exclude<UpstreamStatus, 'ok'>;
  readonly message: string;
}

/** A tool as its server defines it. */
export interface UpstreamTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
  readonly icons?: readonly unknown[] | undefined;
  readonly execution?: Readonly<Record<string, unknown>> | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** Anything else that a server lists, as it came. */
export type Definition = Readonly<Record<string, unknown>>;

/** What a server said about itself when it was asked. */
export interface ServerSeen {
  readonly era: 'modern' | 'legacy';
  readonly protocolVersion: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly info: { readonly name: string; readonly version: string; readonly title?: string } | null;
  readonly instructions: string | null;
}

/** Something that a server lists and nobody is shown, with the reason. */
export interface Dropped {
  readonly kind: 'tools' | 'resources' | 'templates' | 'prompts' | 'skills' | 'server';
  readonly name: string | null;
  readonly reason: string;
}

/** Everything that a server has: complete and checked. */
export interface Discovered {
  readonly server: ServerSeen;
  readonly tools: readonly UpstreamTool[];
  readonly resources: readonly Definition[];
  readonly templates: readonly Definition[];
  readonly prompts: readonly Definition[];
  readonly skills: readonly Skill[];
  readonly dropped: readonly Dropped[];
  /** How long the server says that its lists hold; null: it does not say. */
  readonly ttlMs: number | null;
  /** Hashes of the UI documents that tools name, by URI. */
  readonly documents?: Readonly<Record<string, string>>;
  /** Of a service that is no server of MCP: digests of the requests that its tools stand for, by their names. */
  readonly requests?: Readonly<Record<string, string>>;
}

/** What asking a server gave. What is absent besides the tools was not asked for, and stays as it is known. */
export type Discovery =
  | ({ readonly ok: true } & Pick<Discovered, 'tools'> & Partial<Discovered>)
  | UpstreamFailure;

/** How long a call may last. */
export interface CallLimits {
  /** Ends it early. */
  readonly signal?: AbortSignal;
  /** Absent: what the type of the connection has for anything. */
  readonly limitMs?: number;
}

/** Why a tool was not called, or did not answer: the code of any other call, and a sentence. */
export interface CallFailure {
  readonly ok: false;
  readonly status: string;
  readonly message: string;
}

/** What came of the call of a tool. */
export interface UpstreamAnswer {
  readonly ok: true;
  readonly outcome: 'answered' | 'failed' | 'no_such_tool';
  /** The data of an answer, or its text where it has none. */
  readonly data: unknown;
}

export interface Upstream {
  /** True when programs may be started. */
  readonly isStdioAllowed: boolean;
  /** The only commands that may be started, word for word. Absent: any. */
  readonly commands?: readonly string[] | undefined;
  /** Connects as a call would, and leaves again. */
  test(target: UpstreamTarget): Promise<{ readonly ok: true } | UpstreamFailure>;
  /** All that the server has. Nothing is opened once `leadsThere` says that the connection does not lead there now. */
  discover(target: UpstreamTarget, leadsThere?: () => Promise<boolean>): Promise<Discovery>;
  /** Calls a tool in the name of somebody, through the same stages as the call of a client. */
  call(
    target: UpstreamTarget,
    tool: string,
    args: Record<string, unknown>,
    by: CallLimits & { readonly caller: Caller },
  ): Promise<UpstreamAnswer | CallFailure>;
}
