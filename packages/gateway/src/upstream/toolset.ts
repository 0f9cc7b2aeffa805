/** One connection as a toolset: its tools, resources and prompts as their server defines them, carried by the bridge. */
import type {
  CallToolResult,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  Tool,
} from '@modelcontextprotocol/server';
import type { ServedConnection, ServedTool } from '@parley/connections';
import { documentHash, isDocumentOf, pinningOf, UI_SCHEME, uiUriOf } from '@parley/connections';
import type {
  Caller,
  Effect,
  Installed,
  JsonSchema,
  Offer,
  OutsideCall,
  OutsideCompletion,
  OutsidePrompt,
  OutsideResource,
  OutsideTool,
} from '@parley/kit';
import {
  defineOutsidePrompt,
  defineOutsideResource,
  defineOutsideTool,
  defineToolset,
  install,
  isToolResult,
  META,
  paramHeadersOf,
  ToolError,
} from '@parley/kit';
import type { Bridge } from './bridge.ts';
import { asToolAnswer } from './bridge.ts';
import { cleaned } from './clean-result.ts';
import { quarantined } from './errors.ts';
import { outputCheck } from './output-check.ts';
import type { SkillFiles } from './skills.ts';
import { documentsWithSkills, refuseOtherFile, skillFilesOf } from './skills.ts';
import type { SchemaChecks } from './schema-checks/checker.ts';
import { inputCheck } from './schema-checks/input-check.ts';

type Result = Readonly<Record<string, unknown>>;
type Definition = Readonly<Record<string, unknown>>;

/** What toolsets of connections stand on. */
export interface ToolsetParts {
  readonly bridge: Bridge;
  /** What is known of a connection now, after a refresh that a call has waited for. */
  current(organizationId: string, connectionId: string): ServedConnection | undefined;
  /** Has an upstream looked at again that is not what it was. */
  announce?(connection: ServedConnection): void;
  /** What holds arguments and results against the schemas of upstreams. */
  readonly checks: SchemaChecks;
  /** Keeps what is over the budget of a connection; absent: results pass however long they are. */
  readonly results?: LongResults | undefined;
  readonly onFault: (error: unknown, where: string) => void;
}

/** Results that are longer than a connection wants its answers to be. */
export interface LongResults {
  /** The result as it is when it is within the budget; else its beginning, with a link to the rest. */
  within(
    caller: Caller,
    result: CallToolResult,
    budget: number,
    from: { readonly toolset: string; readonly tool: string },
  ): Promise<CallToolResult>;
  /** What reads the rest. */
  readonly documents: readonly OutsideResource[];
}

/** Why a list of the connection may not be what there is, besides what is stored of it. */
export type DegradedNow = { readonly reason: string; readonly since: string } | undefined;

/** Documents are where long things are read, so they may be as long as a result that is kept. */
const MOST_READ = 10 * 1024 * 1024;
const MOST_PROMPT = 1024 * 1024;

/** A server that was never read may have all of them. */
export const OFFERS = ['resources', 'prompts', 'completions'] as const satisfies readonly Offer[];

/** The toolset of a connection, named by its id. */
export function toolsetOf(
  connection: ServedConnection,
  parts: ToolsetParts,
  degraded: DegradedNow,
): Installed {
  const { id, title, instructions } = connection;
  const files = skillFilesOf(connection);
  return install(
    defineToolset({
      name: id,
      title,
      ...(instructions !== null && { instructions: cleaned(instructions, []) }),
      ...(degraded !== undefined && { degraded }),
      offers: OFFERS.filter(
        (offer) =>
          !connection.isKnown ||
          connection.capabilities[offer] !== undefined ||
          // What is too long for an answer is read as one.
          (offer === 'resources' && parts.results !== undefined),
      ),
      tools: connection.tools.map((tool) => outsideTool(connection, tool, parts)),
      resources: [
        ...documentsWithSkills(connection, files).flatMap(({ definition, isListed, skill }) => {
          const more = { ...(!isListed && { unlisted: true }), ...(skill !== undefined && { skill }) };
          return outsideResource(connection, definition, parts, { files, more });
        }),
        ...connection.templates.flatMap((definition) =>
          outsideResource(connection, definition, parts, { files }),
        ),
        ...(budgetOf(connection) === undefined ? [] : (parts.results?.documents ?? [])),
      ],
      prompts: connection.prompts.map((definition) => outsidePrompt(connection, definition, parts)),
    }),
  );
}

/** One tool of a connection. */
export function outsideTool(
  connection: ServedConnection,
  tool: ServedTool,
  parts: ToolsetParts,
): OutsideTool {
  const { definition, hash, state } = tool;
  const { name } = definition;
  const { effect, external } = effectOf(definition.annotations);
  const faultsOf = (schema: JsonSchema) => parts.checks.against(schema, connection.organizationId);
  const { inputSchema, outputSchema } = definition;
  const check = outputCheck(connection.title, name, outputSchema && faultsOf(outputSchema));
  const declared = paramHeadersOf(inputSchema);
  const paramHeaders = declared.length === 0 ? undefined : declared;
  const budget = budgetOf(connection);
  // Its link has only the document of now, in which another request may stand under this name.
  const pinned = connection.type === 'OPENAPI' ? tool : undefined;
  const isHeld = state === 'held';
  const refuseHeld = async () => {
    throw quarantined(name, connection.title);
  };
  return defineOutsideTool({
    name,
    // As its server wrote it; the kit lists it word for word.
    definition: (budget === undefined ? definition : withoutOutput(definition)) as Tool,
    title: definition.title ?? name,
    description: definition.description ?? '',
    effect,
    external,
    revision: hash,
    inputSchema,
    ...(outputSchema !== undefined && budget === undefined && { outputSchema }),
    check: inputCheck(faultsOf(inputSchema)),
    // Those who hold the grant learn why it does not run; to all others it is not there.
    ...(isHeld && { unlisted: true, check: refuseHeld }),
    async call(args, call) {
      const { bridge } = parts;
      // What only follows a task was sent under the definition of then.
      if (call.followed === undefined) {
        const refreshing = bridge.refreshing(connection.id);
        if (refreshing !== undefined) await refreshing;
        // It may also have been read again while the arguments were checked.
        refuseChanged(connection, tool, call, parts);
      }
      const params = { name, arguments: args };
      const isRead = effect === 'read';
      const wanted = { method: 'tools/call', params, isRead, pinned, paramHeaders } as const;
      const checked = check(await bridge.ask(connection, wanted, call), call.caller.id);
      const answer = asToolAnswer(inOrder(unstamped(checked instanceof Promise ? await checked : checked)));
      const isWhole = budget === undefined || parts.results === undefined || call.request.isForCode === true;
      // What is no result at all is refused as that, by whoever checks it.
      if (isWhole || !isToolResult(answer) || !Array.isArray(answer.content)) return answer;
      return parts.results.within(call.caller, answer, budget, { toolset: connection.id, tool: name });
    },
    abandon: (requestState) => parts.bridge.abandon(requestState),
    ...asTask(connection),
  });
}

/** Slow calls of a connection that says so become durable tasks, of clients that can follow them. */
function asTask({ settings: { taskAfterMs } }: ServedConnection): Pick<OutsideTool, 'task' | 'taskOptions'> {
  if (taskAfterMs === undefined) return {};
  return { task: 'allowed', taskOptions: { declaredOnly: true, graceMs: taskAfterMs } };
}

/** What was announced while a call came in may have changed the very tool that it is for. */
function refuseChanged(
  connection: ServedConnection,
  { definition: { name }, hash }: ServedTool,
  { caller }: OutsideCall,
  { current }: ToolsetParts,
): void {
  const { id, title } = connection;
  const known = current(caller.organizationId, id);
  if (known === connection) return;
  const now = known?.tools.find(({ definition }) => definition.name === name);
  if (now === undefined) throw new ToolError('not_found', `${title} has no tool ${name} any more.`);
  if (now.state === 'held') throw quarantined(name, title);
  if (now.hash !== hash)
    throw new ToolError(
      'conflict',
      `${name} of ${title} has just changed. List the tools and call it again.`,
    );
}

/** A shortened answer has no structure, which clients would miss where the definition promises one. */
function withoutOutput({ outputSchema: _outputSchema, ...rest }: ServedTool['definition']) {
  return rest;
}

function budgetOf({ settings }: ServedConnection): number | undefined {
  return settings.resultBudget ?? undefined;
}

/** What hints of unknown truth say at most; absent ones count as the worst. */
export function effectOf(annotations: Definition = {}): { effect: Effect; external: boolean } {
  const external = annotations['openWorldHint'] !== false;
  if (annotations['readOnlyHint'] === true) return { effect: 'read', external };
  if (annotations['destructiveHint'] !== false) return { effect: 'run', external };
  return { effect: annotations['idempotentHint'] === true ? 'update' : 'create', external };
}

/** A resource or template of a connection; none when it could stand for anything. */
export function outsideResource(
  connection: ServedConnection,
  definition: Definition,
  { bridge, onFault, announce }: ToolsetParts,
  { files, more = {} }: { readonly files: SkillFiles; readonly more?: Partial<OutsideResource> },
): OutsideResource[] {
  const { uriTemplate } = definition;
  const ref = typeof uriTemplate === 'string' ? { type: 'ref/resource', uri: uriTemplate } : undefined;
  try {
    return [
      defineOutsideResource({
        ...more,
        // As its server wrote it; discovery has looked at its names and sizes.
        definition: definition as unknown as Resource,
        async read(uri, call) {
          const wanted = { method: 'resources/read', params: { uri }, isRead: true } as const;
          const result = await bridge.ask(connection, wanted, call);
          refuseOtherPage(connection, uri, result, announce);
          refuseOtherFile(files, { uri, result, connection }, announce);
          refuseLong(result['contents'], MOST_READ, 'Read less of it, if its server can give parts.');
          // The kit looks at its shape, and the SDK at every field.
          return unstamped(result) as ReadResourceResult;
        },
        ...(ref !== undefined &&
          canComplete(connection) && { complete: completion(connection, ref, bridge) }),
        abandon: (requestState) => bridge.abandon(requestState),
      }),
    ];
  } catch (error) {
    // One definition that cannot be used costs nothing but itself.
    onFault(error, `resources of ${connection.id}`);
    return [];
  }
}

/** A page for an app that is not the one behind the tools that somebody agreed to is given to nobody. */
function refuseOtherPage(
  connection: ServedConnection,
  uri: string,
  result: Result,
  announce: ToolsetParts['announce'],
): void {
  if (!uri.startsWith(UI_SCHEME) || pinningOf(connection.settings) !== 'strict') return;
  const behind = connection.tools.filter(({ definition }) => uiUriOf(definition) === uri);
  // A question, or a page that no tool names.
  if (behind.length === 0 || !Array.isArray(result['contents'])) return;
  const listed = connection.resources.find((resource) => resource['uri'] === uri);
  const hash = documentHash(result['contents'], listed);
  if (behind.some((tool) => tool.state === 'approved' && isDocumentOf(tool, hash))) return;
  announce?.(connection);
  throw new ToolError(
    'quarantined',
    `The page ${uri} of ${connection.title} is new or has changed. An owner or administrator has to approve the tools that show it first.`,
  );
}

/** A prompt of a connection. */
export function outsidePrompt(
  connection: ServedConnection,
  definition: Definition,
  { bridge }: ToolsetParts,
): OutsidePrompt {
  const name = String(definition['name']);
  const ref = { type: 'ref/prompt', name };
  return defineOutsidePrompt({
    definition: definition as unknown as Prompt, // as its server wrote it
    async get(args, call) {
      const wanted = { method: 'prompts/get', params: { name, arguments: args }, isRead: true } as const;
      const result = await bridge.ask(connection, wanted, call);
      refuseLong(result['messages'], MOST_PROMPT, 'Ask for it with other arguments.');
      // The kit looks at its shape, and the SDK at every field.
      return unstamped(result) as GetPromptResult;
    },
    ...(canComplete(connection) && { complete: completion(connection, ref, bridge) }),
    abandon: (requestState) => bridge.abandon(requestState),
  });
}

/** Nothing is cut out of a document or a prompt: half of one says something else. */
function refuseLong(parts: unknown, most: number, hint: string): void {
  const size = parts === undefined ? 0 : JSON.stringify(parts).length;
  if (size > most)
    throw new ToolError(
      'too_large',
      `It has about ${size} bytes; at most ${most} fit in one answer. ${hint}`,
    );
}

function canComplete({ capabilities }: ServedConnection): boolean {
  return capabilities['completions'] !== undefined;
}

function completion(connection: ServedConnection, ref: Definition, bridge: Bridge) {
  return async (
    name: string,
    value: string,
    call: OutsideCall,
    filled: Readonly<Record<string, string>> | undefined,
  ): Promise<OutsideCompletion> => {
    const params = {
      ref,
      argument: { name, value },
      ...(filled !== undefined && { context: { arguments: filled } }),
    };
    const wanted = { method: 'completion/complete', params, isRead: true } as const;
    const { completion: found } = await bridge.ask(connection, wanted, call);
    // The kit looks at each field before it passes it on.
    return (typeof found === 'object' && found !== null ? found : { values: [] }) as OutsideCompletion;
  };
}

/** A finished result without what each server stamps on its own: Parley puts its own stamps there. */
function unstamped(result: Result): Result {
  const { resultType, _meta: meta, ...rest } = result;
  const isStamped = typeof meta === 'object' && meta !== null && Object.hasOwn(meta, META.serverInfo);
  if (resultType !== 'complete' && !isStamped) return result;
  const kept = isStamped ? withoutStamp(meta) : meta;
  return {
    ...(kept !== undefined && { _meta: kept }),
    ...rest,
    ...(resultType !== undefined && resultType !== 'complete' && { resultType }),
  };
}

/** The usual fields as Parley's own results have them, which are then written without another look. */
function inOrder(result: Result): Result {
  if (result['resultType'] !== undefined) return result;
  const { _meta: meta, content, structuredContent, isError, ...rest } = result;
  return {
    ...(meta !== undefined && { _meta: meta }),
    content,
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isError !== undefined && { isError }),
    ...rest,
  };
}

function withoutStamp(meta: object): object | undefined {
  const rest = Object.entries(meta).filter(([key]) => key !== META.serverInfo);
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}
