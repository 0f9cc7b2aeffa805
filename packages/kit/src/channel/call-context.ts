/** What a running tool, resource or prompt gets besides its input. */
import type { CreateMessageRequest, CreateMessageResult, Root } from '@modelcontextprotocol/server';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import type { Caller } from '../access/caller.ts';
import type { Connection } from './connection.ts';
import type { SharedErrorCode } from '../call/errors.ts';
import { META_PREFIX, ToolError } from '../call/errors.ts';
import { InputNeeded, isSupported } from './channel.ts';
import type { InputRequest, Interaction, LogLevel, StepOptions } from './channel.ts';
import { RoundTrip } from './rounds.ts';
import { describeIssues } from '../call/validation.ts';

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
  /** W3C trace context of the caller, when it sent one. */
  readonly traceparent?: string | undefined;
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
  /** What `prepare` of the tool returned before the task was made. */
  readonly prepared: unknown;
}

const METHOD_OF = {
  elicitation: 'elicitation/create',
  sampling: 'sampling/createMessage',
  roots: 'roots/list',
} as const;

/** The part of an exchange that a context shows. */
export interface ContextExchange {
  readonly info: RequestInfo;
  readonly signal: () => AbortSignal;
  readonly connection?: Connection | undefined;
  /** Present when the call runs as a task. */
  readonly task?: { readonly id: string; readonly prepared: unknown };
}

/** The one implementation of Context, over whatever channel the call has. */
export class CallContext<Services> implements Context<Services, string> {
  readonly caller: Caller;
  readonly services: Services;
  readonly request: RequestInfo;
  readonly connection: Connection | undefined;
  readonly taskId: string | null;
  readonly prepared: unknown;
  readonly #io: Interaction;
  readonly #signal: () => AbortSignal;
  #meta: Record<string, unknown> | undefined;

  constructor(caller: Caller, services: Services, exchange: ContextExchange, io: Interaction) {
    this.caller = caller;
    this.services = services;
    this.request = exchange.info;
    this.connection = exchange.connection;
    this.taskId = exchange.task?.id ?? null;
    this.prepared = exchange.task?.prepared;
    this.#io = io;
    this.#signal = exchange.signal;
  }

  // Made on first use: most tools never look at it, and each costs time on the hot path.
  get signal(): AbortSignal {
    return this.#signal();
  }

  error(code: string, message: string, data?: unknown): ToolError {
    return new ToolError(code, message, data);
  }

  addMeta(facts: Readonly<Record<string, unknown>>): void {
    this.#meta ??= {};
    for (const [name, fact] of Object.entries(facts)) this.#meta[META_PREFIX + name] = fact;
  }

  /** What the tool added about its answer; undefined for most. */
  get meta(): Record<string, unknown> | undefined {
    return this.#meta;
  }

  async progress(done: number, total?: number, message?: string): Promise<void> {
    await this.#io.progress?.(done, total, message);
  }

  async log(level: LogLevel, data: unknown): Promise<void> {
    await this.#io.log?.(level, data);
  }

  supports(capability: 'elicitation' | 'sampling' | 'roots'): boolean {
    return isSupported(this.#io.capabilities, METHOD_OF[capability]);
  }

  async ask(key: string, question: Question<z.ZodObject | JsonSchema>): Promise<Record<string, unknown>> {
    const { message, schema } = question;
    const isZod = schema instanceof z.ZodObject;
    const request: InputRequest = {
      method: 'elicitation/create',
      params: { message, requestedSchema: isZod ? formSchema(schema) : schema },
    };
    const response = await this.#io.request(key, request);
    if (!('action' in response) || response.action !== 'accept') throw declined(key);
    if (!isZod) return response.content ?? {};
    const parsed = schema.safeParse(response.content ?? {});
    if (parsed.success) return parsed.data;
    if (this.#io instanceof RoundTrip) {
      this.#io.forget(key);
      this.#io.pending.set(key, request);
      throw new InputNeeded();
    }
    throw new ToolError(
      'declined',
      `The answer to "${key}" does not fit: ${describeIssues(parsed.error.issues)}.`,
      {
        reason: 'invalid_answer',
      },
    );
  }

  async sample(key: string, request: CreateMessageRequest['params']): Promise<CreateMessageResult> {
    const response = await this.#io.request(key, { method: 'sampling/createMessage', params: request });
    if (!('role' in response)) throw declined(key);
    // A role is what only a sampling answer has.
    return response as CreateMessageResult;
  }

  async roots(key: string): Promise<Root[]> {
    const response = await this.#io.request(key, { method: 'roots/list' });
    if (!('roots' in response) || !Array.isArray(response.roots)) throw declined(key);
    return response.roots;
  }

  releaseStream(): void {
    this.#io.releaseStream?.();
  }

  step<T>(key: string, work: () => Promise<T> | T, options?: StepOptions): Promise<T> {
    return this.#io.step(key, work, options);
  }

  async sleep(key: string, until: number | Date): Promise<void> {
    if (this.#io.sleep !== undefined) return this.#io.sleep(key, until);
    const waitMs = typeof until === 'number' ? until : until.getTime() - Date.now();
    await delay(Math.max(0, waitMs), undefined, { signal: this.signal });
  }
}

function declined(key: string): ToolError {
  return new ToolError('declined', `The request for "${key}" was declined.`, { reason: 'declined' });
}

function formSchema(schema: z.ZodObject): JsonSchema {
  const {
    $schema: _dialect,
    additionalProperties: _closed,
    ...form
  } = z.toJSONSchema(schema, { io: 'input' });
  return form;
}
