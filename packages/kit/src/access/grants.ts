/** What callers may do: grants, and the arithmetic on them. */

/** Tools by resource: a toolset's name, a connection id, or `*`; `*` as a tool means all of them. */
export type Grants = Readonly<Record<string, readonly string[]>>;

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

/** True when `grants` give anything at all on `resource`. */
export function isTouched(grants: Grants, resource: string): boolean {
  return toolsOn(grants, resource).size > 0;
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
