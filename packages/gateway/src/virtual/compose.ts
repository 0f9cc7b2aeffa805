/** Puts a virtual MCP together: what its members hold, selected, named and overridden, and its own tools in code. */
import type { ServedMember, ServedVirtualMcp } from '@parley/connections';
import { namesFor, uriSelection } from '@parley/connections';
import type { AnyTool, JsonSchema, OutsideTool, ShownUri, UriTemplate } from '@parley/kit';
import { compileAnyTemplate } from '@parley/kit';
import type { Store } from '@parley/store';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ToolUniverse } from '../sandbox/tool-universe.ts';
import type { SchemaChecks } from '../upstream/schema-checks/checker.ts';
import { codeTool } from './code-tool.ts';
import type { HeldPrompt, HeldResource, HeldTool, Holdings } from './holdings.ts';
import type { KeptResults } from './kept-results.ts';
import { overridden } from './overridden.ts';
import { renamesOf, speakingOf } from './shown-uris.ts';

/** Where the definition of a tool says whose it is. */
export const CONNECTION_META = 'parley/connection';

/** What a virtual MCP is made with. */
export interface ComposeParts {
  readonly store: Store;
  readonly organizationId: string;
  readonly results: KeptResults;
  readonly checks: SchemaChecks;
  readonly sandbox: Pick<Sandbox, 'run'>;
  /** What a member holds; undefined: it is not there now. */
  heldBy(member: ServedMember): Promise<Holdings | undefined>;
  /** What the code of a tool may call, given what the members hold. */
  universeOf(held: readonly HeldTool[], dependencies: readonly string[]): Promise<ToolUniverse>;
}

/** A virtual MCP, put together. */
export interface Composed extends Holdings {
  /** The names that all has, so that equal ones can be told. */
  readonly names: readonly string[];
  /** Members that are there; those that are not are left out. */
  readonly present: number;
  /** How many tools the members have before anything is selected. */
  readonly offered: number;
  /** What is not as it was set up, for whoever keeps it. */
  readonly notes: readonly string[];
}

/** Members are asked together, so that none waits for another. */
export async function composed(virtual: ServedVirtualMcp, parts: ComposeParts): Promise<Composed> {
  const found = await Promise.all(
    virtual.members.map(async (member) => ({ member, held: await parts.heldBy(member) })),
  );
  const notes: string[] = [];
  const present: Present[] = [];
  for (const { member, held } of found) {
    if (held === undefined) notes.push(`"${member.title}" is not there now and left out.`);
    else present.push({ member, held: selected(member, held), all: held });
  }
  const named = await namesFor(parts.store, {
    organizationId: parts.organizationId,
    virtualMcpId: virtual.id,
    members: {
      tools: present.map(({ member, held }) => namingMember(member, held.tools)),
      prompts: present.map(({ member, held }) => namingMember(member, held.prompts)),
      resources: present.map(({ member, held }) => namingMember(member, held.resources)),
    },
  });
  const shownAs = (kind: keyof typeof named) => {
    const names = new Map(
      named[kind].names.map((each) => [`${each.connection_id} ${each.upstream_name}`, each.exposed_name]),
    );
    return ({ connectionId }: ServedMember, name: string) => names.get(`${connectionId} ${name}`);
  };
  const [toolName, promptName, resourceUri] = [shownAs('tools'), shownAs('prompts'), shownAs('resources')];
  const tools: HeldTool[] = [];
  const resources: HeldResource[] = [];
  const prompts: HeldPrompt[] = [];
  for (const { member, held } of present) {
    const shown = held.resources.flatMap((each) => {
      const uri = resourceUri(member, each.name);
      return uri === undefined ? [] : [{ held: each, shown: uri }];
    });
    resources.push(
      ...shown.map(({ held: each, shown: uri }) => ({
        ...each,
        name: uri,
        item: { ...each.item, shown: uri },
      })),
    );
    const renames = renamesOf(shown.filter((each) => each.shown !== each.held.name));
    for (const each of held.tools) {
      const name = toolName(member, each.name);
      if (name !== undefined) tools.push(await shownTool(each, name, { member, parts, renames, notes }));
    }
    for (const each of held.prompts) {
      const name = promptName(member, each.name);
      if (name !== undefined) prompts.push({ ...each, name, item: { ...each.item, shown: name } });
    }
  }
  const place = { toolset: virtual.id, title: virtual.title, services: {} };
  const own = virtual.tools.map((tool): HeldTool => {
    const universe = () => parts.universeOf(tools, tool.dependencies);
    const item = codeTool(tool, { sandbox: parts.sandbox, universe, faultsOf: faultsOfIn(parts) });
    return { name: tool.name, place, item, isCode: true };
  });
  const all = [...own, ...tools];
  return {
    tools: all,
    resources,
    prompts,
    keepsResults: present.some(({ all: { keepsResults } }) => keepsResults) || hasBudget(virtual),
    names: [...all, ...resources, ...prompts].map(({ name }) => name),
    present: present.length,
    offered: present.reduce((count, { all: { tools: offered } }) => count + offered.length, 0),
    notes,
  };
}

function faultsOfIn({ checks, organizationId }: ComposeParts) {
  return (schema: JsonSchema) => checks.against(schema, organizationId);
}

interface Present {
  readonly member: ServedMember;
  /** What is shown of it. */
  readonly held: Holdings;
  readonly all: Holdings;
}

function namingMember(
  { connectionId, alias, prefix }: ServedMember,
  held: readonly { readonly name: string }[],
) {
  return { connectionId, alias, prefix, names: held.map(({ name }) => name) };
}

function hasBudget({ members }: ServedVirtualMcp): boolean {
  return members.some(({ overrides }) =>
    Object.values(overrides).some(({ resultBudget }) => resultBudget !== undefined),
  );
}

/** What is shown of a member; the rest is as if it were not there. */
function selected({ selection }: ServedMember, held: Holdings): Holdings {
  const among = (names: readonly string[] | null) => {
    const wanted = names && new Set(names);
    return ({ name }: { readonly name: string }) => wanted === null || wanted.has(name);
  };
  const selects = uriSelection(selection.resources);
  return {
    ...held,
    tools: held.tools.filter(among(selection.tools)),
    prompts: held.prompts.filter(among(selection.prompts)),
    resources: held.resources
      .filter(({ name }) => selects(name))
      .map((each) => (selection.resources === null ? each : onlySelected(each, selects))),
  };
}

/** A template that is selected reads only what is selected too. */
function onlySelected(held: HeldResource, selects: (uri: string) => boolean): HeldResource {
  const { template, shown = held.item.uri, uri: own } = held.item;
  if (template === undefined) return held;
  // A nested one is selected by what its own virtual MCP shows it as.
  const pattern = shown === own ? undefined : compileAnyTemplate(shown);
  const narrowed: UriTemplate = {
    ...template,
    match(uri) {
      const variables = template.match(uri);
      return variables && selects(pattern?.expand(variables) ?? uri) ? variables : undefined;
    },
  };
  return { ...held, item: { ...held.item, template: narrowed } };
}

interface Showing {
  readonly member: ServedMember;
  readonly parts: ComposeParts;
  readonly renames: ShownUri | undefined;
  readonly notes: string[];
}

async function shownTool(
  held: HeldTool,
  name: string,
  { member, parts, renames, notes }: Showing,
): Promise<HeldTool> {
  const { place } = held;
  let item = withOrigin(held, member);
  const override = Object.hasOwn(member.overrides, held.name) ? member.overrides[held.name] : undefined;
  if (override !== undefined) {
    const applied = await overridden(item, override, {
      place,
      results: parts.results,
      faultsOf: faultsOfIn(parts),
    });
    if ('tool' in applied) item = applied.tool;
    else notes.push(`The override of "${held.name}" of "${member.title}" is not applied: ${applied.misfit}.`);
  }
  if (renames !== undefined && item.kind === 'outside-tool') item = speakingOf(item, renames);
  return { ...held, name, item: { ...item, name, granted: item.granted ?? item.name } };
}

/** The tool with the word whose it is, unless one further in has said so. */
function withOrigin(
  { item, place, isCode }: HeldTool,
  { connectionId }: ServedMember,
): AnyTool | OutsideTool {
  const given = (item.kind === 'outside-tool' ? item.definition?._meta : undefined) ?? item._meta ?? {};
  if (CONNECTION_META in given) return item;
  // The management tools are granted by their toolset, and known as a connection.
  const id = item.kind === 'tool' && isCode === undefined ? connectionId : place.toolset;
  const origin = { id, title: place.title, name: item.granted ?? item.name };
  const _meta = { ...given, [CONNECTION_META]: origin };
  if (item.kind === 'outside-tool' && item.definition !== undefined)
    return { ...item, definition: { ...item.definition, _meta } };
  return { ...item, _meta };
}
