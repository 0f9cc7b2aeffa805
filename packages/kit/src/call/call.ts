/** One call, read or prompt: who asks for what, with which arguments, and the channel back to whoever asked. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Caller } from '../access/caller.ts';
import type { CatalogTool } from '../catalog/compiled-tool.ts';
import type { Channel } from '../channel/channel.ts';
import { RoundTrip } from '../channel/rounds.ts';
import type { StateSealer } from '../channel/sealed-state.ts';
import type { StepStore } from '../channel/steps.ts';
import type { RequestInfo } from '../define/context.ts';
import type { Exchange } from './exchange.ts';
import type { FailedCall, Middleware, ToolCall } from './middleware.ts';
import type { CallBody, CallRecord, Observer } from './record.ts';
import type { LongResults } from './result-size.ts';
import { capResult, withPromise } from './result-size.ts';
import type { TaskSeam } from './task-seam.ts';

/** The parts that an engine and its narrowed copies share. */
export interface Core {
  readonly sealer: StateSealer;
  readonly steps: StepStore;
  readonly observe: Observer;
  readonly onFault: (error: unknown, where: string) => void;
  readonly middleware: readonly Middleware[];
  /** What the middleware makes of what was thrown. */
  readonly failed: (error: unknown, during: FailedCall) => unknown;
  readonly tasks: TaskSeam | undefined;
  readonly maxResultBytes: number;
  readonly longResults: LongResults | undefined;
}

/** What is asked for. */
export interface Asked {
  readonly caller: Caller;
  readonly method: 'tools/call' | 'resources/read' | 'prompts/get';
  readonly toolset: string;
  /** The name of the tool or prompt, or the URI. */
  readonly name: string;
  readonly args: unknown;
  readonly exchange: Exchange;
}

/** A call under way. */
export class Call {
  readonly caller: Caller;
  readonly method: Asked['method'];
  readonly toolset: string;
  readonly name: string;
  readonly args: unknown;
  readonly exchange: Exchange;
  readonly #core: Core;
  readonly #startedMs = performance.now();
  #rounds: RoundTrip | undefined;
  /** How long another server took; undefined where none was asked. */
  upstreamMs: number | undefined;
  /** How long it waited on purpose: for an answer of its client, or for a time. */
  waitedMs: number | undefined;

  constructor(core: Core, { caller, method, toolset, name, args, exchange }: Asked) {
    this.#core = core;
    this.caller = caller;
    this.method = method;
    this.toolset = toolset;
    this.name = name;
    this.args = args;
    this.exchange = exchange;
  }

  get request(): RequestInfo {
    return this.exchange.info;
  }

  get taskId(): string | null {
    return this.exchange.task?.id ?? null;
  }

  /** The way back to the client. Round trips are opened by whoever asks first, since most calls ask nothing. */
  get channel(): Channel {
    return this.exchange.channel ?? this.rounds();
  }

  /** The channel, when it is open. */
  get opened(): Channel | undefined {
    return this.exchange.channel ?? this.#rounds;
  }

  /** The rounds of this call; throws when the client brought a state that is not of this call. */
  rounds(): RoundTrip {
    this.#rounds ??= new RoundTrip(this.#core, this.#binding(), this.exchange);
    return this.#rounds;
  }

  /** Opens the rounds that a client says it is in, so that a state of another call is refused before any work. */
  resume(): void {
    const { channel, requestState } = this.exchange;
    if (channel === undefined && requestState !== undefined) this.rounds();
  }

  /** True once `resume` has seen that the client comes back with a state of this very call. */
  get isGoingOn(): boolean {
    const { channel, requestState } = this.exchange;
    return channel === undefined && requestState !== undefined;
  }

  /** Tells the observer how the call ended. */
  ended({ outcome, code }: Pick<CallRecord, 'outcome' | 'code'>, body?: CallBody): void {
    const { caller, method, name, toolset } = this;
    const durationMs = performance.now() - this.#startedMs;
    const { upstreamMs, waitedMs } = this;
    const { info } = this.exchange;
    this.#core.observe({
      caller,
      method,
      name,
      toolset,
      outcome,
      code,
      durationMs,
      upstreamMs,
      waitedMs,
      info,
      body,
    });
  }

  /** What the definition is known by, where it may become another while the call waits for an answer. */
  protected get revision(): string | undefined {
    return undefined;
  }

  #binding() {
    const { id: callerId, organizationId } = this.caller;
    const { revision } = this;
    // A name stands for another tool at another URL, so the toolset is bound too.
    const name = `${this.toolset} ${this.name}${revision === undefined ? '' : ` ${revision}`}`;
    return { callerId, organizationId, method: this.method, name, arguments: this.args };
  }
}

/** A call of a tool. */
export class CallOfTool extends Call implements ToolCall {
  readonly tool: CatalogTool;
  readonly #core: Core;
  /** The arguments, once they are checked. */
  input: unknown = undefined;
  /** True once its answer stands for work that goes on. */
  isHandedOut = false;

  constructor(core: Core, tool: CatalogTool, asked: Pick<Asked, 'caller' | 'args' | 'exchange'>) {
    const { caller, args, exchange } = asked;
    // Records and states know a tool by the name that grants use, whatever it is shown as.
    const { toolset, granted: name = tool.name } = tool;
    super(core, { caller, method: 'tools/call', toolset, name, args, exchange });
    this.tool = tool;
    this.#core = core;
  }

  protected override get revision(): string | undefined {
    return this.tool.revision;
  }

  /** True when the client follows tasks by itself. */
  get canFollowTasks(): boolean {
    const { channel, capabilities } = this.exchange;
    const extension = this.#core.tasks?.extension.name;
    if (channel !== undefined || extension === undefined) return false;
    return Object.hasOwn(capabilities?.extensions ?? {}, extension);
  }

  /** The result, or an error result with its beginning when it is too large. */
  capped(result: CallToolResult): CallToolResult {
    return capResult(result, this.#core.maxResultBytes);
  }

  /** The result of another server, with links in place of what is too large where its caller can follow them. */
  fitted(result: CallToolResult): CallToolResult | Promise<CallToolResult> {
    const capped = this.capped(result);
    const { longResults, maxResultBytes } = this.#core;
    const { caller, toolset, name, tool } = this;
    // Code cannot read what was left out of its answer, and shall not take a part for the whole.
    if (capped === result || longResults === undefined || this.request.isForCode === true) return capped;
    return longResults
      .fitted(caller, result, maxResultBytes, { toolset, tool: name })
      .then((fitted) =>
        fitted === undefined
          ? capped
          : withPromise(fitted, result, tool.definition.outputSchema !== undefined),
      );
  }
}
