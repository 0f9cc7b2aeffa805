/** `parley connect virtual`: virtual MCPs, made of chosen tools of connections that are named as people name them. */
import type { VirtualMcp, VirtualMcps } from '@parley/connections';
import { VirtualMcpCreate, VirtualMcpUpdate } from '@parley/connections';
import { describeIssues, ToolError } from '@parley/kit';
import { UsageError } from '../../config.ts';
import { printable } from '../../printable.ts';
import type { Acting, Outcome } from '../actions.ts';
import { requireTool } from '../actions.ts';
import { servedAt } from '../address.ts';
import { commandLine } from '../command-line.ts';
import { table } from '../table.ts';
import { connectionsCalled } from './found.ts';
import type { Given } from './given.ts';
import { connectionNames, requireTools } from './grants.ts';

const USAGE =
  'Usage: parley connect virtual list | create NAME --with CONNECTION[:TOOL,...]... | change NAME [--title T] [--with CONNECTION[:TOOL,...]]... [--without CONNECTION]... | enable NAME | disable NAME | remove NAME';
const PAGE = 1000;

/** Chooses what to do with virtual MCPs. */
export async function virtual(
  acting: Acting,
  [action, name, ...rest]: readonly string[],
  given: Given,
): Promise<Outcome> {
  if (action === 'list' ? name !== undefined : name === undefined || rest.length > 0)
    throw new UsageError(USAGE);
  if (action !== 'create' && action !== 'change' && given.has('with'))
    throw new UsageError(`--with is for "parley connect virtual create" and "change". ${USAGE}`);
  const stray = (['title', 'without'] as const).find((flag) => given.has(flag));
  if (action !== 'change' && stray !== undefined)
    throw new UsageError(`--${stray} is for "parley connect virtual change". ${USAGE}`);
  if (action === 'list') return list(acting);
  if (action === 'change') return change(acting, name ?? '', given);
  if (action === 'create') return create(acting, name ?? '', given.list('with'));
  if (action === 'remove') return remove(acting, name ?? '');
  if (action === 'enable') return switched(acting, name ?? '', 'active');
  if (action === 'disable') return switched(acting, name ?? '', 'inactive');
  throw new UsageError(USAGE);
}

async function virtualMcpsIn({ host }: Pick<Acting, 'host'>): Promise<VirtualMcps> {
  // Most commands have nothing to do with it, and it is a lot of code.
  const { meshToolset } = await import('@parley/mesh');
  return host.servicesOf(meshToolset).virtualMcps;
}

async function list(acting: Acting): Promise<Outcome> {
  requireTool(acting, 'COLLECTION_VIRTUAL_MCP_LIST');
  const all = (await allVirtual(acting)).toSorted((a, b) => a.title.localeCompare(b.title));
  const names = await connectionNames(acting);
  const shown = all.map((item) => shownVirtual(item, acting, names));
  const rows = shown.map(({ name, id, status, members, at }) => [name, id, status, membersText(members), at]);
  return { json: shown, text: table(['NAME', 'ID', 'STATUS', 'MEMBERS', 'WHERE'], rows) };
}

function shownVirtual(
  { id, title, status, connections }: VirtualMcp,
  { config }: Pick<Acting, 'config'>,
  names: ReadonlyMap<string, string>,
) {
  const members = connections.map(({ connection_id, selected_tools }) => ({
    id: connection_id,
    name: names.get(connection_id) ?? connection_id,
    tools: selected_tools,
  }));
  return { id, name: title, status, members, at: `${servedAt(config)}/mcp/virtual-mcp/${id}` };
}

function membersText(members: ReturnType<typeof shownVirtual>['members']): string {
  return (
    members.map(({ name, tools }) => `${name} (${tools === null ? 'all' : tools.length})`).join(', ') || '-'
  );
}

async function allVirtual(acting: Acting): Promise<VirtualMcp[]> {
  const virtualMcps = await virtualMcpsIn(acting);
  const found: VirtualMcp[] = [];
  for (;;) {
    const { items } = await virtualMcps.list(acting.caller, { limit: PAGE, offset: found.length });
    found.push(...items);
    if (items.length < PAGE) return found;
  }
}

async function create(acting: Acting, title: string, members: readonly string[]): Promise<Outcome> {
  requireTool(acting, 'COLLECTION_VIRTUAL_MCP_CREATE');
  if (members.length === 0) throw new UsageError(USAGE);
  await refuseTakenTitle(acting, title);
  const connections = [];
  for (const member of members) connections.push(await memberOf(acting, member));
  const parsed = VirtualMcpCreate.safeParse({ title, connections });
  if (!parsed.success) throw new UsageError(describeIssues(parsed.error.issues));
  const made = await (await virtualMcpsIn(acting)).create(acting.caller, parsed.data);
  const shown = shownVirtual(made, acting, await connectionNames(acting));
  const lines = [
    `The virtual MCP ${printable(title)} (${made.id}) has ${printable(membersText(shown.members))}.`,
    `It is at ${shown.at}, for keys that have the tools of its members; ?mode=smart_tool_selection or ?mode=code_execution there is another way to them.`,
    `A key for its tools: ${commandLine('keys', 'create', 'NAME', '--grant', `${grantName(made)}:*`)}`,
  ];
  return { json: shown, text: lines.join('\n') };
}

/** What a grant calls it: its id where the name would be read otherwise. */
const grantName = ({ id, title }: VirtualMcp) => (/[:\p{C}]/u.test(title) ? id : title);

async function refuseTakenTitle(acting: Acting, title: string, own?: string): Promise<void> {
  const taken = (await allVirtual(acting)).find((each) => each.title === title && each.id !== own);
  if (taken === undefined) return;
  throw new ToolError(
    'conflict',
    `There is a virtual MCP "${printable(title)}" already (${taken.id}). Choose another name, or remove it first.`,
  );
}

/** Changes what is given and nothing else: a member that is named again gets other tools and keeps its place. */
async function change(acting: Acting, name: string, given: Given): Promise<Outcome> {
  requireTool(acting, 'COLLECTION_VIRTUAL_MCP_UPDATE');
  const title = given.text('title');
  const [added, dropped] = [given.list('with'), given.list('without')];
  if (title === undefined && added.length === 0 && dropped.length === 0) throw new UsageError(USAGE);
  const before = await foundVirtual(acting, name);
  if (title !== undefined) await refuseTakenTitle(acting, title, before.id);
  const members = new Map<string, object>(before.connections.map((member) => [member.connection_id, member]));
  for (const text of dropped) members.delete((await memberCalled(acting, before, text)).connection_id);
  for (const text of added) {
    const member = await memberOf(acting, text);
    const all = { selected_tools: null, selected_resources: null, selected_prompts: null };
    members.set(member.connection_id, { ...members.get(member.connection_id), ...all, ...member });
  }
  const parsed = VirtualMcpUpdate.safeParse({
    ...(title !== undefined && { title }),
    ...((added.length > 0 || dropped.length > 0) && { connections: [...members.values()] }),
  });
  if (!parsed.success) throw new UsageError(describeIssues(parsed.error.issues));
  const after = await (await virtualMcpsIn(acting)).update(acting.caller, before.id, parsed.data);
  if (after === undefined) throw new ToolError('not_found', 'The virtual MCP was deleted meanwhile.');
  const shown = shownVirtual(after, acting, await connectionNames(acting));
  const has = printable(membersText(shown.members));
  return { json: shown, text: `The virtual MCP ${printable(after.title)} (${after.id}) has ${has}.` };
}

/** A member by its name or id; one whose connection is gone has its id left. */
async function memberCalled(acting: Acting, { title, connections }: VirtualMcp, text: string) {
  const names = await connectionNames(acting);
  const named = (id: string) => id === text || names.get(id) === text;
  const byId = connections.filter(({ connection_id }) => connection_id === text);
  const [found, ...others] =
    byId.length > 0 ? byId : connections.filter(({ connection_id }) => named(connection_id));
  if (found !== undefined && others.length === 0) return found;
  const ids = (found === undefined ? connections : [found, ...others]).map(({ connection_id }) => {
    const shownName = names.get(connection_id);
    return shownName === undefined ? connection_id : `${shownName} (${connection_id})`;
  });
  const there = printable(ids.join(', ') || 'none');
  throw new UsageError(
    found === undefined
      ? `--without: "${printable(text)}" is no member of ${printable(title)}. There are: ${there}.`
      : `--without: several members have the name "${printable(text)}". Give the id of one: ${there}`,
  );
}

/** `CONNECTION`, or `CONNECTION:TOOL,TOOL`. */
async function memberOf(acting: Acting, text: string) {
  const at = text.lastIndexOf(':');
  // A name may have a colon in it, and then it is one without tools.
  const [whole] = await membersCalled(acting, text);
  const [name, tools] = at === -1 || whole !== undefined ? [text] : [text.slice(0, at), text.slice(at + 1)];
  const [found, ...others] = whole === undefined ? await membersCalled(acting, name) : [whole];
  if (found === undefined) {
    const there = [...(await connectionNames(acting)).values()].join(', ') || 'none';
    throw new UsageError(
      `--with: there is no connection or virtual MCP "${printable(name)}". There are: ${printable(there)}.`,
    );
  }
  if (others.length > 0) {
    const ids = [found, ...others].map(({ id }) => id).join(', ');
    throw new UsageError(`--with: several have the name "${printable(name)}". Give the id of one: ${ids}`);
  }
  if (tools === undefined || tools === '*') return { connection_id: found.id };
  const selected = tools.split(',').flatMap((tool) => (tool.trim() === '' ? [] : [tool.trim()]));
  if (selected.length === 0)
    throw new UsageError('--with: must look like CONNECTION or CONNECTION:TOOL,TOOL');
  requireTools(found, selected, 'with');
  // Chosen tools are all that it has: what else the server has was not asked for.
  return { connection_id: found.id, selected_tools: selected, selected_resources: [], selected_prompts: [] };
}

const membersCalled = (acting: Acting, name: string) =>
  connectionsCalled(acting, name, { include_virtual: true });

async function foundVirtual(acting: Acting, wanted: string): Promise<VirtualMcp> {
  const all = await allVirtual(acting);
  const byId = all.filter(({ id }) => id === wanted);
  const [found, ...others] = byId.length > 0 ? byId : all.filter(({ title }) => title === wanted);
  if (found !== undefined && others.length === 0) return found;
  if (found !== undefined) {
    const ids = [found, ...others].map(({ id }) => id).join(', ');
    throw new UsageError(
      `Several virtual MCPs have the name "${printable(wanted)}". Give the id of one: ${ids}`,
    );
  }
  const there = all.map(({ title }) => printable(title)).join(', ');
  const rest = there === '' ? 'There is none yet' : `There are: ${there}`;
  throw new UsageError(`There is no virtual MCP "${printable(wanted)}". ${rest}.`);
}

async function remove(acting: Acting, name: string): Promise<Outcome> {
  requireTool(acting, 'COLLECTION_VIRTUAL_MCP_DELETE');
  const { id, title } = await foundVirtual(acting, name);
  const deleted = await (await virtualMcpsIn(acting)).delete(acting.caller, id);
  if (deleted === undefined) throw new ToolError('not_found', 'The virtual MCP was deleted meanwhile.');
  return {
    json: { id, name: title, deleted: true },
    text: `The virtual MCP ${printable(title)} is deleted.`,
  };
}

async function switched(acting: Acting, name: string, status: 'active' | 'inactive'): Promise<Outcome> {
  requireTool(acting, 'COLLECTION_VIRTUAL_MCP_UPDATE');
  const { id, title } = await foundVirtual(acting, name);
  const after = await (await virtualMcpsIn(acting)).update(acting.caller, id, { status });
  if (after === undefined) throw new ToolError('not_found', 'The virtual MCP was deleted meanwhile.');
  const word = status === 'active' ? 'on' : 'off';
  const json = shownVirtual(after, acting, await connectionNames(acting));
  return { json, text: `The virtual MCP ${printable(title)} is switched ${word}.` };
}
