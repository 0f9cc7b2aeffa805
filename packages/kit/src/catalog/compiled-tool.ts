/** One tool as the catalog holds it: its wire definition, its input check and its guarded run. */
import type { CallToolResult, Tool as WireTool } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import { guardOf } from '../access/availability.ts';
import type { Caller } from '../access/caller.ts';
import type { CallOfTool } from '../call/call.ts';
import { badAnswer, followedIn, throughRounds } from '../call/outside.ts';
import { isTextAlone, refuseUnspecified } from '../call/spec-shape.ts';
import type { CreatedTask } from '../call/tool-answer.ts';
import { isToolResult } from '../call/tool-answer.ts';
import { CallContext } from '../channel/call-context.ts';
import type { JsonSchema } from '../define/context.ts';
import type { Effect } from '../define/effects.ts';
import { hintsOf } from '../define/effects.ts';
import { ToolError } from '../call/errors.ts';
import type { OutsideTool } from '../define/outside-tool.ts';
import { paramHeadersOf } from './param-headers.ts';
import type { ParamHeader } from './param-headers.ts';
import { unkeepableIn } from '../call/json-path.ts';
import type { ShownUri } from './shown-uris.ts';
import { metaInShownUris, resultInShownUris } from './shown-uris.ts';
import { schemaFaults } from '../call/schema-words.ts';
import { inputSchemaOf, isWriteOnlyAt, outputSchemaOf } from './published-schema.ts';
import type { Guarded } from '../access/resolver.ts';
import type { AnyTool, TaskOptions } from '../define/tool.ts';
import type { IsSecretPath } from '../call/validation.ts';
import { describeIssues, hasSecretName } from '../call/validation.ts';

/** The outcome of checking a call's arguments. */
export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: ToolError };

/** Where a tool belongs. */
export interface Owner {
  readonly toolset: string;
  readonly services: unknown;
  /** True: the toolset builds its services from what the server keeps. */
  readonly hasServices?: boolean;
  /** The kind of source, when that is not this program. */
  readonly source?: string;
  /** What a tool that may run as a task publishes besides its output. */
  readonly handleSchema?: JsonSchema | undefined;
}

/** A tool ready to be listed, guarded and called. */
export interface CatalogTool extends Guarded {
  /** The kind of source that it comes from; absent: it is code of this program. */
  readonly source?: string;
  readonly effect: Effect;
  readonly external: boolean;
  /** How a fault of the server is answered; absent: as an error of the protocol. */
  readonly faults?: 'result';
  /** False: its toolset has none, so that it works on nothing that the server keeps. */
  readonly hasServices: boolean;
  /** It limits how often it is called by itself; never true of a tool of somebody else. */
  readonly ownRate: boolean;
  readonly task: 'allowed' | 'required' | undefined;
  // oxlint-disable-next-line typescript/no-explicit-any -- the types of one tool, erased like those of its run
  readonly taskOptions: TaskOptions<any, any>;
  /** How whoever cannot follow its task comes back for the result. */
  readonly comeBack: CatalogComeBack | undefined;
  readonly prepare: ((call: CallOfTool) => Promise<unknown>) | undefined;
  /** The MCP definition; made on first use, then kept. */
  readonly definition: WireTool;
  /** The definition as JSON text. */
  readonly json: string;
  /** True: no list shows it, though it can be called. */
  readonly unlisted?: boolean;
  /** Another one whenever the definition of a tool of another server is another. */
  readonly revision?: string;
  /** Arguments that a client must repeat as `Mcp-Param-*` headers. */
  readonly paramHeaders: readonly ParamHeader[];
  /** `callerId`: whose arguments they are. */
  check(args: unknown, callerId?: string): Checked | Promise<Checked>;
  /** Runs with the input that was checked. */
  run(call: CallOfTool): Promise<CallToolResult | CreatedTask>;
  /** The same under another name. */
  renamed(name: string): CatalogTool;
  /** The same, which names documents by the URIs that they are shown under. */
  speaking(shownUri: ShownUri): CatalogTool;
}

/** The coming back to a tool, with what it leaves out filled in. */
export interface CatalogComeBack {
  same(input: unknown): unknown;
  meanwhile(input: unknown, task: { taskId: string; caller: Caller }): Promise<CallToolResult | undefined>;
  isStale(output: unknown): boolean;
  /** What the caller of a task that was given up is told; undefined: the plain fault. */
  givenUp(input: unknown, task: { taskId: string; caller: Caller }): Promise<ToolError | undefined>;
}

interface Parts {
  readonly owner: Owner;
  readonly schemas: () => { inputSchema: JsonSchema; outputSchema?: JsonSchema };
  readonly check: CatalogTool['check'];
  readonly run: CatalogTool['run'];
  readonly shownUri?: ShownUri | undefined;
}

/** Compiles one of our own tools: Zod in, Zod out, both checked. */
export function compileTool(tool: AnyTool, owner: Owner): CatalogTool {
  const { services, handleSchema } = owner;
  // Unknown fields are refused unless the tool asked for them.
  const input: z.ZodObject = tool.input.def.catchall === undefined ? tool.input.strict() : tool.input;
  let published: JsonSchema | undefined;
  const isSecret: IsSecretPath = (path) =>
    hasSecretName(path) || isWriteOnlyAt((published ??= inputSchemaOf(input)), path);
  return assemble(tool, {
    owner,
    schemas: () => ({
      inputSchema: inputSchemaOf(input),
      outputSchema: withHandle(outputSchemaOf(tool.output), tool, handleSchema),
    }),
    check(args) {
      const parsed = input.safeParse(args ?? {});
      const fault = parsed.success ? unkeepableIn(args) : undefined;
      if (fault !== undefined) return { ok: false, error: new ToolError('invalid', fault) };
      if (parsed.success) return { ok: true, value: parsed.data };
      const message =
        args === undefined
          ? `No arguments provided for tool: ${tool.name}`
          : describeIssues(parsed.error.issues, args, { isSecret, schema: input });
      return { ok: false, error: new ToolError('invalid', message) };
    },
    async run(call) {
      const ctx = new CallContext(call, services);
      const output = tool.output.safeParse(await tool.run(call.input, ctx));
      if (!output.success) throw brokenOutput(tool.name, describeIssues(output.error.issues));
      return resultOf(tool, output.data, ctx.meta);
    },
  });
}

/** Compiles a foreign tool: its JSON Schema is checked by the SDK's validator, loaded on the first call. */
export function compileOutsideTool(tool: OutsideTool, owner: Owner): CatalogTool {
  const { services, handleSchema } = owner;
  let validator: Promise<(args: unknown) => Promise<Checked>> | undefined;
  return assemble(tool, {
    owner,
    schemas: () => ({
      inputSchema: tool.inputSchema,
      ...(tool.outputSchema !== undefined && {
        outputSchema: withHandle(tool.outputSchema, tool, handleSchema),
      }),
    }),
    async check(args, callerId) {
      if (tool.check !== undefined) return ownCheck(tool.check(args ?? {}, callerId));
      validator ??= jsonSchemaCheck(tool.inputSchema);
      const checked = await (await validator)(args ?? {});
      const faults = checked.ok ? undefined : await tool.faultsIn?.(args ?? {});
      return faults === undefined ? checked : { ok: false, error: new ToolError('invalid', faults) };
    },
    run(call) {
      // The validator has just shown that the arguments are an object.
      const args = call.input as Record<string, unknown>;
      return throughRounds<CallToolResult | CreatedTask>(call, services, {
        enter: (outside) => tool.call(args, outside),
        finished: (answer) => outsideAnswer(answer, call),
        abandon: (state) => tool.abandon?.(state),
        tasks: {
          followed: followedIn(call.exchange.task?.prepared),
          isRepeatable: tool.effect === 'read',
          handOn: (task) => (call.canFollowTasks ? task : undefined),
        },
      });
    },
  });
}

function assemble(tool: AnyTool | OutsideTool, parts: Parts, shown: string = tool.name): CatalogTool {
  const { toolset, services, source } = parts.owner;
  const external = tool.external ?? false;
  const isOutside = tool.kind === 'outside-tool';
  const { granted = tool.name } = tool;
  const define = once((): WireTool => {
    const schemas = parts.schemas();
    if (isOutside && tool.definition !== undefined)
      return {
        ...tool.definition,
        name: shown,
        ...(schemas.outputSchema && { outputSchema: schemas.outputSchema }),
        ...metaOf(tool.definition._meta, parts.shownUri),
      };
    return {
      name: shown,
      title: tool.title,
      description: tool.description,
      // Both kinds are object schemas; the wire type narrows `type` to the literal.
      inputSchema: schemas.inputSchema as WireTool['inputSchema'],
      ...(schemas.outputSchema && { outputSchema: schemas.outputSchema }),
      // Clients of the first two revisions know a title only here.
      annotations: { title: tool.title, ...hintsOf(tool.effect, external, tool.hints) },
      ...(tool._meta !== undefined && { _meta: tool._meta }),
    };
  });
  const json = once(() => JSON.stringify(define()));
  const paramHeaders = once(() => paramHeadersOf(parts.schemas().inputSchema));
  return {
    ...guardOf(tool, { name: shown, toolset, services }),
    ...(shown !== granted && { granted }),
    ...(isOutside && tool.unlisted === true && { unlisted: true }),
    ...(isOutside && tool.revision !== undefined && { revision: tool.revision }),
    ...(source !== undefined && { source }),
    effect: tool.effect,
    external,
    ...(tool.kind === 'tool' && tool.faults !== undefined && { faults: tool.faults }),
    hasServices: parts.owner.hasServices === true,
    ownRate: tool.kind === 'tool' && tool.ownRate === true,
    task: tool.task,
    taskOptions: tool.taskOptions ?? {},
    comeBack: tool.kind === 'tool' ? comeBackOf(tool, shown, services) : undefined,
    prepare:
      tool.kind === 'tool' && tool.prepare !== undefined
        ? async (call) => tool.prepare?.(call.input, new CallContext(call, services))
        : undefined,
    get definition() {
      return define();
    },
    get json() {
      return json();
    },
    get paramHeaders() {
      return paramHeaders();
    },
    check: parts.check,
    run: parts.shownUri === undefined ? parts.run : inShownUris(parts.run, parts.shownUri),
    renamed: (name) => assemble(tool, parts, name),
    speaking: (shownUri) => assemble(tool, { ...parts, shownUri }, shown),
  };
}

function metaOf(meta: WireTool['_meta'], shownUri: ShownUri | undefined): Pick<WireTool, '_meta'> {
  const shown = meta === undefined || shownUri === undefined ? undefined : metaInShownUris(meta, shownUri);
  return shown === undefined ? {} : { _meta: shown };
}

function inShownUris(run: CatalogTool['run'], shownUri: ShownUri): CatalogTool['run'] {
  return async (call) => {
    const answer = await run(call);
    return isToolResult(answer) ? resultInShownUris(answer, shownUri) : answer;
  };
}

function comeBackOf(tool: AnyTool, name: string, services: unknown): CatalogComeBack | undefined {
  const { comeBack } = tool;
  if (comeBack === undefined) return undefined;
  return {
    same: (input) => (comeBack.same === undefined ? input : comeBack.same(input)),
    async meanwhile(input, task) {
      const answer = await comeBack.meanwhile?.(input, { ...task, name, services });
      if (answer === undefined) return undefined;
      return { content: [{ type: 'text', text: answer.text }], structuredContent: answer.output };
    },
    isStale: (output) => comeBack.isStale?.(output) ?? false,
    givenUp: async (input, task) => comeBack.givenUp?.(input, { ...task, name, services }),
  };
}

function resultOf(
  tool: AnyTool,
  output: Record<string, unknown>,
  meta: Record<string, unknown> | undefined,
): CallToolResult {
  const content = tool.content?.(output) ?? [
    { type: 'text', text: tool.text?.(output) ?? JSON.stringify(output) },
  ];
  if (meta === undefined) return { content, structuredContent: output };
  return { _meta: meta, content, structuredContent: output };
}

/** What a tool is answered with whose answer is not as it said. */
export function brokenOutput(name: string, faults: string): ToolError {
  return new ToolError(
    'invalid_output',
    `The tool ${name} gave an answer that breaks its own schema: ${faults}.`,
  );
}

/** A tool that may run as a task answers with its output or with a handle, and says so; its own handle is an output. */
function withHandle(
  own: JsonSchema,
  { task, taskOptions }: Pick<AnyTool | OutsideTool, 'task' | 'taskOptions'>,
  handleSchema: JsonSchema | undefined,
): JsonSchema {
  if (task === undefined || taskOptions?.handle !== undefined || handleSchema === undefined) return own;
  // Whoever declared the extension gets a task by it, and nobody else gets a handle.
  if (taskOptions?.declaredOnly === true) return own;
  // Every handle is like every other, and the next sentence of it says what to do: the names suffice.
  const { required } = handleSchema;
  return { type: 'object', anyOf: [own, { type: 'object', required }] };
}

/** A finished answer of another server. */
function outsideAnswer(
  answer: Readonly<Record<string, unknown>>,
  call: CallOfTool,
): CallToolResult | Promise<CallToolResult> {
  if (answer.resultType !== undefined && answer.resultType !== 'complete')
    throw badAnswer('its resultType is none that clients know');
  if (!Array.isArray(answer.content) || answer.content.some((block) => typeof block !== 'object' || !block))
    throw badAnswer('content is not a list of blocks');
  if (answer.isError !== undefined && typeof answer.isError !== 'boolean')
    throw badAnswer('isError is neither true nor false');
  // Looked at block by block.
  const fitted = () => call.fitted(answer as CallToolResult);
  return isTextAlone(answer) ? fitted() : refuseUnspecified('CallToolResult', answer).then(fitted);
}

/** The outcome of a check that throws what is wrong. */
async function ownCheck(check: Promise<unknown>): Promise<Checked> {
  try {
    return { ok: true, value: await check };
  } catch (error) {
    if (error instanceof ToolError) return { ok: false, error };
    throw error;
  }
}

async function jsonSchemaCheck(schema: JsonSchema): Promise<(args: unknown) => Promise<Checked>> {
  const { fromJsonSchema } = await import('@modelcontextprotocol/server');
  const standard = fromJsonSchema<Record<string, unknown>>(schema)['~standard'];
  return async (args) => {
    const outcome = await standard.validate(args);
    if (outcome.issues === undefined) return { ok: true, value: outcome.value };
    const said = outcome.issues.map(({ message }) => schemaFaults(message, schema, args)).join('; ');
    return { ok: false, error: new ToolError('invalid', said) };
  };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
