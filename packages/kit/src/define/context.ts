/** What a running tool, resource or prompt gets besides its input, and the words that it is described in. */
import type { CreateMessageRequest, CreateMessageResult, Root } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import type { Caller } from '../access/caller.ts';
import type { SharedErrorCode, ToolError } from '../call/errors.ts';
import type { LogLevel, StepOptions } from '../channel/channel.ts';
import type { Connection } from '../channel/connection.ts';

/** A form for the person behind the call: a flat Zod object, or the JSON Schema itself. */
export interface Question<Schema> {
  readonly message: string;
  readonly schema: Schema;
}

/** A plain JSON Schema object. */
export type JsonSchema = Record<string, unknown>;

/** Facts about the request that a tool may show, never decide on. */
export interface RequestInfo {
  readonly id: string | null;
  readonly era: 'modern' | 'legacy' | 'local' | 'rest';
  readonly client: string | null;
  /** The revision that a session of 2025 agreed on. */
  readonly protocolVersion?: string | undefined;
  /** W3C trace context of the caller, when it sent one. */
  readonly traceparent?: string | undefined;
  /** Labels for the record, as the client sent them: the text of a JSON object. */
  readonly properties?: string | undefined;
  /** What the client calls itself in a header, for the record alone. */
  readonly clientLabel?: string | undefined;
  /** The virtual MCP that it came through. */
  readonly virtualMcpId?: string;
  /** The answer goes to code, which needs all of it, and not to a model, whose window it would fill. */
  readonly isForCode?: true;
}

/**
 * The second argument of `run`. `ask`, `sample` and `roots` look like await but may enter the tool again from the
 * top with the answer in hand, so what must happen once goes in `step`.
 */
export interface Context<Services = unknown, ErrorCode extends string = never> {
  readonly caller: Caller;
  readonly services: Services;
  readonly request: RequestInfo;
  /** The session or process behind the request; absent when each request stands for itself. */
  readonly connection: Connection | undefined;
  /** Fires when the call is cancelled or its client goes away. */
  readonly signal: AbortSignal;
  /** Makes a typed error to throw: `throw ctx.error('not_found', 'No such post.')`. */
  error(code: SharedErrorCode | ErrorCode, message: string, data?: unknown): ToolError;
  /** Adds facts about the answer to the result's `_meta`, each name under the prefix `dev.parley/`. */
  addMeta(facts: Readonly<Record<string, unknown>>): void;
  /** Tells the caller how far the work is; does nothing when nobody asked for progress. */
  progress(done: number, total?: number, message?: string): Promise<void>;
  /** Sends a log line to a client that asked for logs. */
  log(level: LogLevel, data: unknown): Promise<void>;
  /** True when the client can be asked, sampled or listed. */
  supports(capability: 'elicitation' | 'sampling' | 'roots'): boolean;
  /** Asks the person; throws `declined` when they refuse. */
  ask<Schema extends z.ZodObject>(key: string, question: Question<Schema>): Promise<z.output<Schema>>;
  ask(key: string, question: Question<JsonSchema>): Promise<Record<string, unknown>>;
  /** Asks the client's model. */
  sample(key: string, request: CreateMessageRequest['params']): Promise<CreateMessageResult>;
  /** Lists the client's workspace roots. */
  roots(key: string): Promise<Root[]>;
  /** Lets go of a 2025 session's stream during long work; the client reconnects for the result. */
  releaseStream(): void;
  /** Runs `work` once for this call, also when the call is entered again; in a task also after a crash. */
  step<T>(key: string, work: () => Promise<T> | T, options?: StepOptions): Promise<T>;
  /** Waits for a time or until a date; in a task the wait survives restarts. */
  sleep(key: string, until: number | Date): Promise<void>;
  /** The id of the task this call runs as; null when it runs inline. */
  readonly taskId: string | null;
  /** True in a task that its caller can follow, for days if need be. */
  readonly isFollowed: boolean;
  /** What `prepare` of the tool returned before the task was made. */
  readonly prepared: unknown;
}
