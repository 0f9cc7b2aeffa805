/** One tool, one object: everything else about a tool is derived from this literal. */
import type { ContentBlock } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import type { Caller } from '../access/caller.ts';
import type { ToolError } from '../call/errors.ts';
import type { Context } from './context.ts';
import { refuseOwnAnnotations } from './effects.ts';
import type { Effect, Hints } from './effects.ts';
import type { Privileged } from '../access/resolver.ts';

/** How a tool behaves as a task. */
export interface TaskOptions<Input, Output> {
  /** Raised when the order of steps changes; a worker with another version leaves the task alone. */
  readonly version?: number;
  /** How long the finished task can be read. */
  readonly ttlMs?: number;
  /** How long a call without a progress token waits before it is answered with a handle. */
  readonly inlineLimitMs?: number;
  /** True: only for callers who can follow it. It ends soon, so others simply wait. */
  readonly followedOnly?: boolean;
  /** The answer while the task is still running, instead of the plain handle. */
  handle?(input: Input, task: RunningTask): { output: Output; text: string };
}

/** How a caller who cannot follow tasks gets the result of one: by the same call once more. */
export interface ComeBack<Services, Input, Output> {
  /** Calls of one caller for which this is the same are one task until its result is given out. Absent: the input. */
  same?(input: Input): unknown;
  /** The answer while the task goes on, which has to say what to call again; undefined: the plain one. */
  meanwhile?(input: Input, task: LeftTask<Services>): Promise<{ output: Output; text: string } | undefined>;
  /** True of a result that whoever comes late has no use for: the work is done anew. */
  isStale?(output: Output): boolean;
  /** Ends what a task has begun that took its process down again and again; returns what its caller is told. */
  givenUp?(input: Input, task: LeftTask<Services>): Promise<ToolError>;
}

/** A task whose caller was answered before its end. */
export interface LeftTask<Services> {
  readonly taskId: string;
  /** The tool as its caller sees it. */
  readonly name: string;
  readonly caller: Caller;
  readonly services: Services;
}

/** What a handle may tell of the task it stands for. */
export interface RunningTask {
  readonly taskId: string;
  readonly createdAt: number;
  readonly done: number;
  readonly status: 'working' | 'input_required';
  /** What to do next, in one sentence. */
  readonly message: string;
  readonly pollIntervalMs: number;
}

/** The literal `defineTool` takes; `run` comes last so that types flow into it. `Given` is what each call begins with. */
export interface ToolSpec<
  Services,
  Name extends string,
  Input extends z.ZodObject,
  Output extends z.ZodObject,
  Errors extends Record<string, string>,
  Given extends readonly unknown[] = [],
> {
  readonly name: Name;
  readonly title: string;
  readonly description: string;
  readonly effect: Effect;
  /** The tool reaches outside the system. */
  readonly external?: boolean;
  /** A fault of the server is answered as a result with a reference to the log, instead of as an error of the protocol. */
  readonly faults?: 'result';
  /** It limits how often it is called by itself, so the lower rate of tools that reach outside or run things does not count it. */
  readonly ownRate?: boolean;
  /** Not in the default set: only by explicit grant; `'by-name'`: an owner's wildcard is none. */
  readonly privileged?: Privileged;
  /** Gone when nobody is watching, whatever was granted. */
  readonly unattended?: 'block';
  /** `agents`: only callers that act as an agent have it. */
  readonly callers?: 'agents';
  /** False means the tool does not exist right now. */
  available?(services: Services, caller: Caller): boolean;
  /** May, or must, run as a durable task. */
  readonly task?: 'allowed' | 'required';
  /** Details of the task; absent: the defaults. */
  readonly taskOptions?: TaskOptions<z.output<Input>, z.input<Output>>;
  /** Absent: who cannot follow the task gets its handle all the same. */
  readonly comeBack?: ComeBack<Services, z.output<Input>, z.input<Output>>;
  /** Asks what must be known before the task exists; what it returns is `ctx.prepared` in `run`. */
  prepare?(input: z.output<Input>, ctx: Context<Services, keyof Errors & string>): Promise<unknown>;
  /** Corrects a single hint that the effect gets wrong. */
  readonly hints?: Partial<Hints>;
  /** Listed as it is. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly input: Input;
  readonly output: Output;
  /** The tool's own error codes, one sentence each. */
  readonly errors?: Errors;
  /** The answer as a sentence; absent: compact JSON of the output. */
  text?(output: z.output<Output>): string;
  /** The answer as content blocks. */
  content?(output: z.output<Output>): ContentBlock[];
  run(
    input: z.output<Input>,
    ctx: Context<Services, keyof Errors & string>,
    ...given: Given
  ): Promise<z.input<Output>> | z.input<Output>;
}

export interface Tool<
  Services = unknown,
  Name extends string = string,
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
  Errors extends Record<string, string> = Record<string, string>,
> extends ToolSpec<Services, Name, Input, Output, Errors> {
  readonly kind: 'tool';
  /** The name that grants and records know it by, where somebody shows it under another. */
  readonly granted?: string;
}

/** Any tool, whatever its types: what a catalog holds. */
// oxlint-disable-next-line typescript/no-explicit-any -- a heterogeneous list has no common input type
export type AnyTool = Tool<any, string, any, any, any>;

/** `defineTool` of one toolset: its services, and what it gives to each `run` besides the context. */
export type DefineTool<Services, Given extends readonly unknown[] = []> = <
  const Name extends string,
  Input extends z.ZodObject,
  Output extends z.ZodObject,
  const Errors extends Record<string, string> = Record<never, string>,
>(
  spec: ToolSpec<Services, Name, Input, Output, Errors, Given>,
) => Tool<Services, Name, Input, Output, Errors>;

/**
 * Defines a tool whose `ctx.services` is of the given type.
 *
 * @example
 * const defineTool = defineToolFor<BoardServices>();
 */
export function defineToolFor<Services>(): DefineTool<Services> {
  return (spec) => {
    refuseOwnAnnotations(spec);
    return { ...spec, kind: 'tool' };
  };
}

/**
 * The same for tools that all begin alike: `begin` runs first in every call, and `run` is given what it returns.
 *
 * @example
 * const defineTool = defineToolWith((ctx: Context<BoardServices>) => ctx.services.boardOf(ctx.caller));
 * // run: (input, ctx, board) => board.search(input)
 */
export function defineToolWith<Services, Given>(
  begin: (ctx: Context<Services>) => Promise<Given>,
): DefineTool<Services, [given: Given]> {
  const define = defineToolFor<Services>();
  return (spec) => define({ ...spec, run: async (input, ctx) => spec.run(input, ctx, await begin(ctx)) });
}

/**
 * Defines a tool that needs no services.
 *
 * @example
 * const add = defineTool({
 *   name: 'add', title: 'Add', description: 'Adds two numbers.', effect: 'read',
 *   input: z.object({ a: z.number().describe('First'), b: z.number().describe('Second') }),
 *   output: z.object({ sum: z.number() }),
 *   run: ({ a, b }) => ({ sum: a + b }),
 * });
 */
export const defineTool = defineToolFor<unknown>();
