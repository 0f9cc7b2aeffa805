/** The context of a call: what its code may ask, tell and do once, over whatever channel the call has. */
import type { CreateMessageRequest, CreateMessageResult, Root } from '@modelcontextprotocol/server';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import type { Caller } from '../access/caller.ts';
import { META_PREFIX, ToolError } from '../call/errors.ts';
import type { Exchange } from '../call/exchange.ts';
import { describeIssues } from '../call/validation.ts';
import type { Context, JsonSchema, Question, RequestInfo } from '../define/context.ts';
import type { Channel, ClientCapabilities, InputRequest, LogLevel, StepOptions } from './channel.ts';
import { isSupported } from './channel.ts';
import type { Connection } from './connection.ts';

const METHOD_OF = {
  elicitation: 'elicitation/create',
  sampling: 'sampling/createMessage',
  roots: 'roots/list',
} as const;

/** The part of a call that a context shows. */
export interface ContextCall {
  readonly caller: Caller;
  readonly exchange: Exchange;
  /** Opened by the first question: most calls ask nothing. */
  readonly channel: Channel;
  /** How long another server took. */
  upstreamMs?: number | undefined;
  /** How long it waited on purpose. */
  waitedMs?: number | undefined;
}

/** The one implementation of Context. */
export class CallContext<Services> implements Context<Services, string> {
  readonly services: Services;
  readonly #call: ContextCall;
  #meta: Record<string, unknown> | undefined;

  constructor(call: ContextCall, services: Services) {
    this.services = services;
    this.#call = call;
  }

  get caller(): Caller {
    return this.#call.caller;
  }

  get request(): RequestInfo {
    return this.#call.exchange.info;
  }

  get connection(): Connection | undefined {
    return this.#call.exchange.connection;
  }

  get taskId(): string | null {
    return this.#call.exchange.task?.id ?? null;
  }

  get isFollowed(): boolean {
    return this.#call.exchange.task?.isFollowed ?? false;
  }

  get prepared(): unknown {
    return this.#call.exchange.task?.prepared;
  }

  // Made on first use: most tools never look at it, and each costs time on the hot path.
  get signal(): AbortSignal {
    return this.#call.exchange.signal();
  }

  /** What the client can be asked. */
  get capabilities(): ClientCapabilities {
    const { channel, capabilities } = this.#call.exchange;
    return channel?.capabilities ?? capabilities ?? {};
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
    const { exchange } = this.#call;
    await (exchange.channel ?? exchange).progress?.(done, total, message);
  }

  async log(level: LogLevel, data: unknown): Promise<void> {
    const { exchange } = this.#call;
    await (exchange.channel ?? exchange).log?.(level, data);
  }

  supports(capability: 'elicitation' | 'sampling' | 'roots'): boolean {
    return isSupported(this.capabilities, METHOD_OF[capability]);
  }

  async ask(key: string, question: Question<z.ZodObject | JsonSchema>): Promise<Record<string, unknown>> {
    const { message, schema } = question;
    const isZod = schema instanceof z.ZodObject;
    const request: InputRequest = {
      method: 'elicitation/create',
      params: { message, requestedSchema: isZod ? formSchema(schema) : schema },
    };
    const { channel } = this.#call;
    const response = await this.#answer(key, request);
    if (!('action' in response) || response.action !== 'accept') throw declined(key);
    if (!isZod) return response.content ?? {};
    const parsed = schema.safeParse(response.content ?? {});
    if (parsed.success) return parsed.data;
    channel.askAgain?.(key, request);
    throw new ToolError(
      'declined',
      `The answer to "${key}" does not fit: ${describeIssues(parsed.error.issues)}.`,
      {
        reason: 'invalid_answer',
      },
    );
  }

  async sample(key: string, request: CreateMessageRequest['params']): Promise<CreateMessageResult> {
    const response = await this.#answer(key, { method: 'sampling/createMessage', params: request });
    if (!('role' in response)) throw declined(key);
    // A role is what only a sampling answer has.
    return response as CreateMessageResult;
  }

  async roots(key: string): Promise<Root[]> {
    const response = await this.#answer(key, { method: 'roots/list' });
    if (!('roots' in response) || !Array.isArray(response.roots)) throw declined(key);
    return response.roots;
  }

  async #answer(key: string, request: InputRequest) {
    return this.#waited(this.#call.channel.request(key, request));
  }

  /** Notes how long the call waited for what it wanted to wait for. */
  async #waited<T>(waiting: Promise<T>): Promise<T> {
    const startedMs = performance.now();
    try {
      return await waiting;
    } finally {
      this.#call.waitedMs = (this.#call.waitedMs ?? 0) + performance.now() - startedMs;
    }
  }

  releaseStream(): void {
    this.#call.exchange.channel?.releaseStream?.();
  }

  step<T>(key: string, work: () => Promise<T> | T, options?: StepOptions): Promise<T> {
    return this.#call.channel.step(key, work, options);
  }

  async sleep(key: string, until: number | Date): Promise<void> {
    const { channel } = this.#call.exchange;
    if (channel?.sleep !== undefined) return channel.sleep(key, until);
    const waitMs = typeof until === 'number' ? until : until.getTime() - Date.now();
    await this.#waited(delay(Math.max(0, waitMs), undefined, { signal: this.signal }));
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
