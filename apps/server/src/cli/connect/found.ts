/** Connections of the caller's organization, found by the id or the name that somebody types. */
import type { Connection, Connections, Definitions } from '@parley/connections';
import { selfConnectionId } from '@parley/connections';
import { commandWord, UsageError } from '../../config.ts';
import { printable } from '../../printable.ts';
import type { Acting } from '../actions.ts';

const PAGE = 1000;
const MOST_NAMED = 50;

/** The service of connections. */
export async function connectionsIn({ host }: Pick<Acting, 'host'>): Promise<Connections> {
  // Most commands have nothing to do with it, and it is a lot of code.
  const { meshToolset } = await import('@parley/mesh');
  return host.servicesOf(meshToolset).connections;
}

/** The service of what their tools are and were. */
export async function definitionsIn({ host }: Pick<Acting, 'host'>): Promise<Definitions> {
  const { meshToolset } = await import('@parley/mesh');
  return host.servicesOf(meshToolset).definitions;
}

interface Virtual {
  /** Virtual MCPs as well. */
  readonly include_virtual?: boolean;
}

/** All connections to other servers; virtual MCPs only where they are asked for, and Parley itself never. */
export async function allConnections(
  acting: Pick<Acting, 'host' | 'caller'>,
  { include_virtual = false }: Virtual = {},
): Promise<Connection[]> {
  const connections = await connectionsIn(acting);
  const found: Connection[] = [];
  for (;;) {
    const query = { limit: PAGE, offset: found.length, include_virtual };
    const { items } = await connections.list(acting.caller, query);
    found.push(...items);
    if (items.length < PAGE) return found.filter(isOther(acting));
  }
}

/** Everything but Parley itself, whose grants name its toolsets. */
function isOther({ caller }: Pick<Acting, 'caller'>): (connection: Connection) => boolean {
  const own = selfConnectionId(caller.organizationId);
  return ({ id }) => id !== own;
}

/** Those with an id or a name. */
export async function connectionsCalled(
  acting: Pick<Acting, 'host' | 'caller'>,
  wanted: string,
  { include_virtual = false }: Virtual = {},
): Promise<Connection[]> {
  const connections = await connectionsIn(acting);
  const named = async (field: 'id' | 'title') => {
    const where = { field: [field], operator: 'eq' as const, value: wanted };
    const query = { where, limit: PAGE, offset: 0, include_virtual };
    return (await connections.list(acting.caller, query)).items.filter(isOther(acting));
  };
  const byId = await named('id');
  return byId.length > 0 ? byId : named('title');
}

/** The one with an id or a name; throws where there is none, or where several have the name. */
export async function foundConnection(acting: Acting, wanted: string): Promise<Connection> {
  const [found, ...others] = await connectionsCalled(acting, wanted);
  if (found === undefined) throw await noSuchConnection(acting, wanted);
  if (others.length === 0) return found;
  const ids = [found, ...others].map(({ id }) => id).join(', ');
  throw new UsageError(
    `Several connections have the name "${printable(wanted)}". Give the id of one: ${ids}`,
  );
}

async function noSuchConnection(acting: Acting, wanted: string): Promise<UsageError> {
  const all = await allConnections(acting);
  const names = all.slice(0, MOST_NAMED).map(({ title }) => printable(title));
  const more = all.length > MOST_NAMED ? ` and more: see "${commandWord()} connect list"` : '';
  const there =
    names.length === 0
      ? `There is none yet: "${commandWord()} connect add" makes one`
      : `There are: ${names.join(', ')}${more}`;
  return new UsageError(`There is no connection "${printable(wanted)}". ${there}.`);
}
