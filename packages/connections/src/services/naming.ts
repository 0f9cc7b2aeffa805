/** How what the members of a virtual MCP show is told apart: a name of its own for each, the same for as long as it is kept. */
import { createHash } from 'node:crypto';
import type { ExposedNameRow } from '../schema.ts';

/** What has names: tools and prompts have words, resources and templates URIs. */
export type NameKind = ExposedNameRow['kind'];
export const NAME_KINDS = ['tools', 'prompts', 'resources'] as const satisfies readonly NameKind[];

/** Something of a member under the name that the virtual MCP shows. */
export interface Named {
  readonly connection_id: string;
  readonly upstream_name: string;
  readonly exposed_name: string;
}

/** A member and what it has of one kind, by its own names. */
export interface NamingMember {
  readonly connectionId: string;
  readonly alias: string;
  readonly prefix: string | null;
  readonly names: readonly string[];
}

/** Everything that decides about the names of one kind. */
export interface NamingCase {
  readonly virtualMcpId: string;
  readonly kind: NameKind;
  /** What the virtual MCP has itself, which is never called otherwise. */
  readonly own: readonly string[];
  /** What was shown before. */
  readonly kept: readonly Named[];
  readonly members: readonly NamingMember[];
}

export interface SettledNames {
  readonly names: readonly Named[];
  /** Who has a name to itself, by the name. */
  readonly holders: ReadonlyMap<string, string>;
  /** The same as in `names`, where nothing was kept before. */
  readonly fresh: readonly Named[];
  /** The name that something would have if no other had it. */
  bareName(named: Unnamed): string;
}

type Unnamed = Omit<Named, 'exposed_name'>;

/** Gives everything a name: what was kept, then in the order of the members what is free. */
export function settleNames({ virtualMcpId, kind, own, kept, members }: NamingCase): SettledNames {
  const byId = new Map(members.map((member) => [member.connectionId, member]));
  const ways = kind === 'resources' ? BY_URI : BY_WORD;
  const bareName = (named: Unnamed) => ways.bare(named, byId.get(named.connection_id)?.prefix ?? '');
  const keptNames = new Map<string, string>();
  const taken = new Set(own);
  // The bare name is held by the virtual MCP itself, then by whoever had it first.
  const holders = new Map(own.map((name) => [name, virtualMcpId]));
  for (const named of kept) {
    const { connection_id, exposed_name } = named;
    if (!byId.has(connection_id) || taken.has(exposed_name)) continue;
    taken.add(exposed_name);
    const isBare = exposed_name === bareName(named);
    if (isBare) holders.set(exposed_name, connection_id);
    // One that had to give way for a time has two, and gets its own back.
    if (isBare || !keptNames.has(keyOf(named))) keptNames.set(keyOf(named), exposed_name);
  }
  const names: Named[] = [];
  const fresh: Named[] = [];
  for (const member of members) {
    for (const upstream_name of member.names) {
      const unnamed = { connection_id: member.connectionId, upstream_name };
      const before = keptNames.get(keyOf(unnamed));
      const bare = bareName(unnamed);
      const candidates = [bare, ...ways.others(unnamed, member)];
      const exposed_name = before ?? candidates.find((name) => !taken.has(name));
      // Only one that the same member has twice finds all of them taken.
      if (exposed_name === undefined) continue;
      taken.add(exposed_name);
      if (!holders.has(bare)) holders.set(bare, member.connectionId);
      names.push({ ...unnamed, exposed_name });
      if (before === undefined) fresh.push({ ...unnamed, exposed_name });
    }
  }
  return { names, holders, fresh, bareName };
}

export const keyOf = ({ connection_id, upstream_name }: Unnamed) => `${connection_id} ${upstream_name}`;

interface Ways {
  bare(named: Unnamed, prefix: string): string;
  /** What may stand for the bare name, best first; the last is nobody else's. */
  others(named: Unnamed, member: NamingMember): readonly string[];
}

const MOST_CHARACTERS = 64;
const KEPT_CHARACTERS = 55;

const BY_WORD: Ways = {
  bare: (named, prefix) => safeName(`${prefix}${named.upstream_name}`, named),
  others(named, { alias, prefix }) {
    const prefixed = safeName(`${alias}_${prefix ?? ''}${named.upstream_name}`, named);
    return [prefixed, `${prefixed.slice(0, KEPT_CHARACTERS)}_${hashOf(named)}`];
  },
};

function safeName(name: string, named: Unnamed): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').replace(/^_/, 'x_');
  return plain.length > MOST_CHARACTERS ? `${plain.slice(0, KEPT_CHARACTERS)}_${hashOf(named)}` : plain;
}

function hashOf(named: Unnamed): string {
  return createHash('sha256').update(keyOf(named)).digest('hex').slice(0, 8);
}

const UI = 'ui://';

const BY_URI: Ways = {
  bare: ({ upstream_name }) => upstream_name,
  others(named, { alias }) {
    const { upstream_name: uri } = named;
    const under = (place: string) =>
      // Hosts know a page for an app by its scheme.
      uri.startsWith(UI) ? `${UI}${place}/${uri.slice(UI.length)}` : `parley://${place}/${encoded(uri)}`;
    return [under(alias), under(`${alias}_${hashOf(named)}`)];
  },
};

/** The URI as one path segment; the variables of a template stay what they are. */
function encoded(uri: string): string {
  return encodeURIComponent(uri.toWellFormed()).replaceAll('%7B', '{').replaceAll('%7D', '}');
}
