/** A call of a 2025 session that begins before the SDK has its request, and goes on with it when the SDK gets it. */
import type { Connection } from '../channel/connection.ts';
import type { Channel } from '../channel/channel.ts';
import type { Exchange, ReadHeader } from '../call/exchange.ts';
import type { FoundTool } from '../call/tool-calls.ts';
import { isToolResult } from '../call/tool-answer.ts';
import type { ToolAnswer } from '../call/tool-answer.ts';
import { detach } from '../detach.ts';
import type { CheckedServer } from './checked-server.ts';
import { sessionParts } from './exchange.ts';

/** A call as it came, before the SDK has seen it. */
export interface EarlyCall {
  readonly id: string | number;
  readonly arguments: Record<string, unknown> | undefined;
  readonly traceparent: string | undefined;
  readonly properties: string | undefined;
  readonly clientLabel: string | undefined;
  readonly header: ReadHeader;
  readonly connection: Connection | undefined;
}

export class BegunCall {
  /** What the tool answers, as clients of 2025 know it. */
  readonly answer: Promise<ToolAnswer>;
  /** Settles when the SDK has the request, or never gets it. */
  readonly taken: Promise<unknown>;
  readonly #taking = Promise.withResolvers<Channel>();
  readonly #needSdk: () => void;
  #controller: AbortController | undefined;
  #exchange: Exchange | undefined;

  /** Begins it. `needSdk` is called when the tool asks or tells its client something, which only the SDK can send. */
  constructor(server: CheckedServer, tool: FoundTool, call: EarlyCall, needSdk: () => void) {
    this.#needSdk = needSdk;
    // Told to the tool, if it waits for the channel.
    this.taken = this.#taking.promise.catch(() => undefined);
    this.answer = this.#run(server, tool, call);
  }

  /** The SDK has the request: what is asked, told and cancelled from now on goes through it. */
  take(exchange: Exchange): Promise<ToolAnswer> {
    this.#exchange = exchange;
    if (exchange.channel !== undefined) this.#taking.resolve(exchange.channel);
    const early = this.#controller;
    if (early !== undefined) {
      const signal = exchange.signal();
      const abort = () => early.abort(signal.reason);
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort);
    }
    return this.answer;
  }

  /** The SDK will never get the request: nobody can be asked or told any more. */
  abandon(reason: unknown): void {
    if (this.#exchange !== undefined) return;
    this.#taking.reject(reason);
    this.#early().abort(reason);
  }

  async #run(server: CheckedServer, { tool, call: run }: FoundTool, call: EarlyCall): Promise<ToolAnswer> {
    const { header, connection } = call;
    const channel: Channel = {
      capabilities: server.getClientCapabilities() ?? {},
      request: async (key, request) => (await this.#channel()).request(key, request),
      step: async (_key, work) => work(),
      // Where the SDK never gets the request, there is no stream to let go of.
      releaseStream: () => detach(this.#releaseStream(), () => undefined),
      log: async (level, data) => (await this.#channel()).log?.(level, data),
    };
    const signal = () => this.#exchange?.signal() ?? this.#early().signal;
    const answer = await run(call.arguments, {
      ...sessionParts(server, call),
      signal,
      channel,
      header,
      connection,
    });
    return asLegacy(server, answer, tool.definition.outputSchema);
  }

  async #releaseStream(): Promise<void> {
    (await this.#channel()).releaseStream?.();
  }

  #channel(): Promise<Channel> {
    // A tool may ask before this is constructed.
    if (this.#exchange === undefined) queueMicrotask(this.#needSdk);
    return this.#taking.promise;
  }

  #early(): AbortController {
    this.#controller ??= new AbortController();
    return this.#controller;
  }
}

/** Clients of 2025 know objects alone: other data is wrapped, as the SDK wraps its schema in their lists. */
export function asLegacy(
  server: CheckedServer,
  answer: ToolAnswer,
  outputSchema: FoundTool['tool']['definition']['outputSchema'],
): ToolAnswer {
  if (!isToolResult(answer) || answer.structuredContent === undefined) return answer;
  return server.projectCallToolResult(answer, outputSchema);
}
