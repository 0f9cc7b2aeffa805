/** Grants on connections and virtual MCPs: given by their names, held against the tools that they are known to have. */
import type { Connection } from '@parley/connections';
import type { Grants } from '@parley/kit';
import { ToolError } from '@parley/kit';
import { commandWord, UsageError } from '../../config.ts';
import { printable } from '../../printable.ts';
import type { Acting } from '../actions.ts';
import { allConnections, connectionsCalled } from './found.ts';

const MOST_NAMED = 50;
/** How identity begins to say that a grant names nothing that there is. */
const NO_TOOLSET = 'grants: there is no toolset';

/** Grants as they are stored, and the virtual MCPs that were named among them. */
export interface ResolvedGrants {
  readonly grants: Grants;
  readonly virtual: readonly string[];
}

/**
 * The grants with the id in the place of each name of a connection, and those that the tools of a virtual MCP take in
 * its place; what is neither is left to whoever stores them.
 */
export async function withConnectionIds(
  acting: Pick<Acting, 'host' | 'caller'>,
  grants: Grants,
): Promise<ResolvedGrants> {
  const virtual: string[] = [];
  const named: [string, readonly string[]][] = [];
  for (const [resource, tools] of Object.entries(grants)) {
    const isToolset = resource === '*' || acting.host.isForEverybody(resource);
    const found =
      isToolset || !maySee(acting)
        ? []
        : await connectionsCalled(acting, resource, { include_virtual: true });
    const [connection, ...others] = found;
    if (others.length > 0) {
      const ids = found.map(({ id }) => id).join(', ');
      throw new UsageError(
        `--grant: several connections or virtual MCPs have the name "${printable(resource)}". Give the id of one: ${ids}`,
      );
    }
    if (connection?.connection_type === 'VIRTUAL') {
      virtual.push(connection.title);
      named.push(...(await originsIn(acting, connection, tools)));
      continue;
    }
    if (connection !== undefined) requireTools(connection, tools, 'grant');
    named.push([connection?.id ?? resource, tools]);
  }
  return { grants: joined(named), virtual };
}

/** What the tools of a virtual MCP take: it serves who has those of its members, under the names that it shows. */
async function originsIn(
  { host, caller }: Pick<Acting, 'host' | 'caller'>,
  connection: Connection,
  wanted: readonly string[],
): Promise<[string, readonly string[]][]> {
  const { meshToolset } = await import('@parley/mesh');
  const origins = await host.servicesOf(meshToolset).toolOriginsOf(caller, connection.id);
  if (origins.length === 0)
    throw new UsageError(
      `--grant: nothing is known of the tools of "${printable(connection.title)}" yet. Ask its members for theirs with "${commandWord()} connect refresh", or grant those of its members: --grant CONNECTION:TOOL,TOOL`,
    );
  requireTools({ ...connection, tools: origins.map(({ name }) => ({ name })) }, wanted, 'grant');
  const isAll = wanted.includes('*');
  return origins.flatMap(({ name, resource, tool }) =>
    isAll || wanted.includes(name) ? [[resource, [tool]]] : [],
  );
}

/** What to say of grants that came by way of virtual MCPs; undefined: nothing. */
export function virtualNote({ virtual }: ResolvedGrants): string | undefined {
  if (virtual.length === 0) return undefined;
  const names = printable(virtual.map((title) => `"${title}"`).join(', '));
  return `For ${names} these are grants on what stands behind its tools, as they are now: what it shows later takes another grant.`;
}

/** A tool that the connection is not known to have is a mistake; of one that was never read nobody can tell. */
export function requireTools(
  { title, tools }: Connection,
  wanted: readonly string[],
  flag: 'grant' | 'with',
): void {
  if (tools === null) return;
  const names = tools.map(({ name }) => String(name));
  const unknown = wanted.find((name) => name !== '*' && !names.includes(name));
  if (unknown === undefined) return;
  const there = names.slice(0, MOST_NAMED).join(', ') || 'no tools';
  throw new UsageError(
    `--${flag}: "${printable(title)}" has no tool "${printable(unknown)}". It has: ${printable(there)}.`,
  );
}

/** One name and its id may both have been given. */
function joined(named: readonly [string, readonly string[]][]): Grants {
  const byId = new Map<string, string[]>();
  for (const [id, tools] of named) byId.set(id, [...new Set([...(byId.get(id) ?? []), ...tools])]);
  return Object.fromEntries(byId);
}

/** The names of connections by their ids, for those who may see them. */
export async function connectionNames(
  acting: Pick<Acting, 'host' | 'caller'>,
): Promise<ReadonlyMap<string, string>> {
  const all = maySee(acting) ? await allConnections(acting, { include_virtual: true }) : [];
  return new Map(all.map(({ id, title }) => [id, title]));
}

function maySee({ host, caller }: Pick<Acting, 'host' | 'caller'>): boolean {
  return host.engine().view(caller).tool('COLLECTION_CONNECTIONS_LIST', caller) !== undefined;
}

/** Stores grants; where one names nothing that there is, connections and virtual MCPs are told beside toolsets. */
export async function storingGrants<T>(
  acting: Pick<Acting, 'host' | 'caller'>,
  store: () => Promise<T>,
): Promise<T> {
  try {
    return await store();
  } catch (error) {
    const isUnknown = error instanceof ToolError && error.message.startsWith(NO_TOOLSET);
    if (!isUnknown) throw error;
    const titles = [...(await connectionNames(acting)).values()];
    if (titles.length === 0) throw error;
    const more = titles.length > MOST_NAMED ? ` and more: see "${commandWord()} connect list"` : '';
    const named = printable(titles.slice(0, MOST_NAMED).join(', '));
    throw new ToolError(error.code, `${error.message} Connections and virtual MCPs: ${named}${more}.`);
  }
}
