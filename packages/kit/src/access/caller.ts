/** Who acts and what they may do: callers, grants, and the arithmetic on grants. */

/** Where a call came from. */
export type Source = 'web' | 'key' | 'stdio' | 'cli' | 'agent' | 'schedule' | 'webhook' | 'remote';

/** Tools by resource: a toolset's name, a connection id, or `*`; `*` as a tool means all of them. */
export type Grants = Readonly<Record<string, readonly string[]>>;

/** Who acts. Built by identity, never by a client. */
export interface Caller {
  readonly id: string;
  readonly name: string;
  readonly organizationId: string;
  readonly userId: string | null;
  readonly roles: readonly string[];
  readonly grants: Grants;
  readonly source: Source;
  /** True when nobody is watching; tools marked `unattended: 'block'` are gone. */
  readonly unattended: boolean;
}

/** A caller that no person or key stands for: it owns work of the server itself and is granted nothing. */
export function systemCaller(id: string, name: string, organizationId: string): Caller {
  const powers = { roles: [], grants: {}, source: 'schedule', unattended: true } as const;
  return { id, name, organizationId, userId: null, ...powers };
}

/** Whoever a program serves that knows nobody: its only caller, as an owner with these grants. */
export function soleCaller(id: string, name: string, powers: Pick<Caller, 'grants' | 'source'>): Caller {
  return { ...systemCaller(id, name, id), roles: ['owner'], ...powers, unattended: false };
}

/** Where a call comes from that nobody watches. */
export type UnattendedSource = Extract<Source, 'agent' | 'schedule' | 'webhook' | 'remote'>;

/** The same caller, acting with nobody watching: for what they leave behind to be done. */
export function unattended(caller: Caller, source: UnattendedSource): Caller {
  return { ...caller, source, unattended: true };
}

/** Everything: what owners and administrators hold. */
export const ALL_GRANTS: Grants = { '*': ['*'] };

const EVERY = '*';

function toolsOn(grants: Grants, resource: string): ReadonlySet<string> {
  const own = Object.hasOwn(grants, resource) ? (grants[resource] ?? []) : [];
  const everywhere = Object.hasOwn(grants, EVERY) ? (grants[EVERY] ?? []) : [];
  return new Set([...own, ...everywhere]);
}

/** True when `grants` give `name` on `resource`. */
export function isGranted(grants: Grants, resource: string, name: string): boolean {
  const tools = toolsOn(grants, resource);
  return tools.has(EVERY) || tools.has(name);
}

/** True when the tool is named itself, not only covered by a wildcard. */
export function isNamed(grants: Grants, resource: string, name: string): boolean {
  return toolsOn(grants, resource).has(name);
}

/** What both sides allow: a key's power is its own grants cut to its owner's. */
export function intersectGrants(left: Grants, right: Grants): Grants {
  const result: Record<string, string[]> = {};
  for (const resource of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const a = toolsOn(left, resource);
    const b = toolsOn(right, resource);
    const covers = (tools: ReadonlySet<string>, tool: string) => tools.has(EVERY) || tools.has(tool);
    const both = [...new Set([...a, ...b])].filter((tool) => covers(a, tool) && covers(b, tool));
    if (both.length > 0) result[resource] = both.toSorted();
  }
  return simplified(result);
}

/** Leaves out what the wildcard resource gives anyway; names stay beside a wildcard, since some tools ask for them. */
function simplified(grants: Record<string, string[]>): Grants {
  const everywhere = new Set(grants[EVERY]);
  const result: Record<string, string[]> = {};
  for (const [resource, tools] of Object.entries(grants)) {
    const left = tools.filter((tool) => resource === EVERY || !everywhere.has(tool));
    if (left.length > 0) result[resource] = left;
  }
  return result;
}

/** What either side allows: a member with several roles holds their union. */
export function unionGrants(all: readonly Grants[]): Grants {
  const result = new Map<string, Set<string>>();
  for (const grants of all) {
    for (const [resource, tools] of Object.entries(grants)) {
      result.set(resource, new Set([...(result.get(resource) ?? []), ...tools]));
    }
  }
  return Object.fromEntries([...result].map(([resource, tools]) => [resource, [...tools].toSorted()]));
}

/** The first grant in `wanted` that `held` does not cover, or undefined when all are covered. */
export function firstUncovered(held: Grants, wanted: Grants): { resource: string; tool: string } | undefined {
  for (const [resource, tools] of Object.entries(wanted)) {
    const mine = toolsOn(held, resource);
    if (mine.has(EVERY)) continue;
    const missing = tools.find((tool) => !mine.has(tool));
    if (missing !== undefined) return { resource, tool: missing };
  }
  return undefined;
}

/** True for owners and administrators. */
export function mayAdminister(caller: Pick<Caller, 'roles'>): boolean {
  return caller.roles.includes('owner') || caller.roles.includes('admin');
}

/** True for the team: administrators, members and holders of roles that build on `member`; a `user` is a visitor. */
export function isTeam({ roles }: Pick<Caller, 'roles'>): boolean {
  if (['owner', 'admin', 'member'].some((role) => roles.includes(role))) return true;
  return roles.length > 0 && !roles.includes('user');
}

/** Equal keys mean equal power: what list and view caches are keyed by. */
export function powerKeyOf(caller: Caller): string {
  const grants = Object.entries(caller.grants)
    .map(([resource, tools]) => [resource, [...tools].toSorted()] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([
    grants,
    caller.unattended || isUnattendedSource(caller.source),
    mayAdminister(caller),
  ]);
}

/** Schedules, webhooks and remote agents act with nobody watching, whatever the flag says. */
export function isUnattendedSource(source: Source): boolean {
  return source === 'schedule' || source === 'webhook' || source === 'remote';
}
