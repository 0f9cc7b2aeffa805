/** The names under which virtual MCPs show what their members have: read, settled and kept. */
import type { Queryable, Store, StoreTransaction } from '@parley/store';
import type { ConnectionTables, ExposedNameRow } from '../schema.ts';
import type { VirtualMcp } from '../shapes/virtual-mcp.ts';
import { takeTurns } from './base.ts';
import type { NamedMembers, OwnNames } from './member-names.ts';
import { CATALOGS_ALONE, knownMembers, ownTools, settleAll } from './member-names.ts';
import type { Named, NameKind, SettledNames } from './naming.ts';
import { NAME_KINDS } from './naming.ts';

type Collision = NonNullable<VirtualMcp['collisions']>[number];

// Indexes of databases take no longer ones; what is longer has its name worked out each time.
const LONGEST_KEPT = 1000;

/** Where two members have something of the same name, and who kept it. */
export async function collisionsOf(
  from: Queryable,
  organizationId: string,
  id: string,
  self?: OwnNames,
): Promise<Collision[]> {
  const members = await knownMembers(from, organizationId, id, { self });
  const settled = await settleAll(from, { organizationId, virtualMcpId: id, members });
  return NAME_KINDS.flatMap((kind) => {
    const { names, holders, bareName } = settled[kind];
    return names.flatMap((named) => {
      const holder = holders.get(bareName(named));
      if (holder === undefined || holder === named.connection_id) return [];
      return [{ ...named, winner_connection_id: holder }];
    });
  });
}

/** How many tools a virtual MCP shows, its own among them, and how many of them gave way to another of their name. */
export async function shownCounts(
  from: Queryable,
  organizationId: string,
  id: string,
  self?: OwnNames,
): Promise<{ readonly own: number; readonly tools: number; readonly collisions: number }> {
  const members = await knownMembers(from, organizationId, id, { self });
  const settled = await settleAll(from, { organizationId, virtualMcpId: id, members });
  const { names, holders, bareName } = settled.tools;
  const beaten = names.filter((named) => {
    const holder = holders.get(bareName(named));
    return holder !== undefined && holder !== named.connection_id;
  });
  const own = await ownTools(from, id);
  return { own: own.length, tools: own.length + names.length, collisions: beaten.length };
}

/** Keeps the names of everything that is known now, so that they stay whatever comes and goes. */
export async function fixNames(tx: StoreTransaction, organizationId: string, id: string): Promise<void> {
  const members = await knownMembers(tx, organizationId, id, CATALOGS_ALONE);
  const given = { organizationId, virtualMcpId: id, members };
  await write(tx, given, await settleAll(tx, given));
}

/** The names of all that members show now; those that are new are kept before they are shown to anybody. */
export async function namesFor(store: Store, given: NamedMembers): Promise<Record<NameKind, SettledNames>> {
  const settled = await settleAll(store, given);
  if (NAME_KINDS.every((kind) => settled[kind].fresh.every((named) => !isKeepable(named)))) return settled;
  return store.transaction(async (tx) => {
    await takeTurns(tx, given.organizationId);
    const agreed = await settleAll(tx, given);
    await write(tx, given, agreed);
    return agreed;
  });
}

async function write(
  tx: StoreTransaction,
  { organizationId, virtualMcpId, members }: NamedMembers,
  settled: Record<NameKind, SettledNames>,
): Promise<void> {
  const db = tx.db<ConnectionTables>();
  for (const kind of NAME_KINDS) {
    const present = members[kind].map(({ connectionId }) => connectionId);
    const rows = settled[kind].fresh.filter(isKeepable).map((named): ExposedNameRow => ({
      virtual_mcp_id: virtualMcpId,
      organization_id: organizationId,
      kind,
      ...named,
    }));
    for (let at = 0; at < rows.length; at += 100) {
      const some = rows.slice(at, at + 100);
      // Whoever had one of these and is no member any more has let it go.
      await db
        .deleteFrom('exposed_names')
        .where('virtual_mcp_id', '=', virtualMcpId)
        .where('kind', '=', kind)
        .where(
          'exposed_name',
          'in',
          some.map(({ exposed_name }) => exposed_name),
        )
        .where('connection_id', 'not in', present)
        .execute();
      // A tool of the virtual MCP itself may hold a name that was another's before.
      await db
        .insertInto('exposed_names')
        .values(some)
        .onConflict((conflict) => conflict.columns(['virtual_mcp_id', 'kind', 'exposed_name']).doNothing())
        .execute();
    }
  }
}

function isKeepable({ upstream_name, exposed_name }: Named): boolean {
  return upstream_name.length <= LONGEST_KEPT && exposed_name.length <= LONGEST_KEPT;
}
