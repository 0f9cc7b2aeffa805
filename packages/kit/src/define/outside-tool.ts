/** A tool that comes from outside (an upstream, an OpenAPI document): its JSON Schemas are kept word for word. */
import type { Tool as WireTool } from '@modelcontextprotocol/server';
import type { Caller } from '../access/caller.ts';
import type { Privileged } from '../access/resolver.ts';
import type { CreatedTask, ToolAnswer } from '../call/tool-answer.ts';
import type { ClientCapabilities, LogLevel } from '../channel/channel.ts';
import type { Context, JsonSchema } from './context.ts';
import { refuseOwnAnnotations } from './effects.ts';
import type { Effect, Hints } from './effects.ts';
import type { TaskOptions } from './tool.ts';

/** What code that stands for another server gets besides its arguments. */
export interface OutsideCall extends Pick<
  Context,
  | 'caller'
  | 'services'
  | 'request'
  | 'connection'
  | 'signal'
  | 'taskId'
  | 'error'
  | 'progress'
  | 'log'
  | 'releaseStream'
> {
  /** What the client can be asked; never offer the other server more. */
  readonly capabilities: ClientCapabilities;
  /** The state that the other server gave with its last question, as it was. */
  readonly requestState: string | undefined;
  /** A header of the client's request, for the one that a connection maps; never one that is Parley's own business. */
  header(name: string): string | undefined;
  /** The task of the other server that stands for this call: it is to be followed, and nothing is called again. */
  readonly followed: CreatedTask | undefined;
  /** What the client answered to that question. */
  readonly inputResponses: Readonly<Record<string, unknown>> | undefined;
  /** False: nobody asked for progress, so the other server need not be asked for it. */
  readonly wantsProgress: boolean;
  /** The mildest level of messages that the client asked for; undefined: it wants none. */
  readonly logLevel: LogLevel | undefined;
  /** Adds to the time that the other server took, for the record. */
  addUpstreamMs(ms: number): void;
}

/** The literal `defineOutsideTool` takes. */
export interface OutsideToolSpec {
  readonly name: string;
  /** The name that grants and records know it by, where its server has another than is shown. */
  readonly granted?: string;
  /** True: it can be called by those who have it, and no list shows it. */
  readonly unlisted?: boolean;
  /** Another one whenever its definition is another: a round trip that began under another one is refused. */
  readonly revision?: string;
  /** Listed word for word, but for its name. Absent: made from the fields below. */
  readonly definition?: WireTool;
  readonly title: string;
  readonly description: string;
  readonly effect: Effect;
  readonly external?: boolean;
  readonly privileged?: Privileged;
  readonly unattended?: 'block';
  readonly callers?: 'agents';
  /** Decides in place of grants that name it, by nothing but the power of the caller. */
  heldBy?(caller: Caller): boolean;
  available?(services: unknown, caller: Caller): boolean;
  /** May run as a durable task, so that slow calls are answered with a handle. */
  readonly task?: 'allowed' | 'required';
  readonly taskOptions?: TaskOptions<unknown, unknown>;
  readonly hints?: Partial<Hints>;
  /** Listed as it is. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  /**
   * Checks arguments in place of `inputSchema`, and returns what `call` gets; throws `invalid`. `callerId` is whose they
   * are, where a check that costs too much is held against somebody.
   */
  check?(args: unknown, callerId?: string): Promise<Record<string, unknown>>;
  /** What is wrong with arguments that did not pass `inputSchema`; undefined: as the validator says it. */
  faultsIn?(args: unknown): string | undefined | Promise<string | undefined>;
  /**
   * Gets the arguments after they passed `inputSchema`. Returns a finished result; or a question, with the state of
   * its own server, after whose answer it is called again with both; or a task of its own server, with which it is
   * called again to follow it, by a task of ours where the client can follow one.
   */
  call(args: Record<string, unknown>, call: OutsideCall): Promise<ToolAnswer> | ToolAnswer;
  /** Nobody will answer the question that came with this state: lets go of what waits for it. */
  abandon?(requestState: string): void;
}

export interface OutsideTool extends OutsideToolSpec {
  readonly kind: 'outside-tool';
}

/** Puts a foreign definition into the same catalog, under the same guard. */
export function defineOutsideTool(spec: OutsideToolSpec): OutsideTool {
  refuseOwnAnnotations(spec);
  return { ...spec, kind: 'outside-tool' };
}
