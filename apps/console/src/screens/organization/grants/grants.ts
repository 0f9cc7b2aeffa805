/** Owns what grants mean for tools: whether they cover one, and what they say in a line. */
import type { Tool } from '../../../api/schema.ts';
import type { Effect } from '../../../api/types.ts';
import type { Grants } from '../queries.ts';

/** The tools of one resource: a toolset or a connection. */
export interface Resource {
  readonly id: string;
  readonly title: string;
  readonly tools: readonly Tool[];
}

/** All effects, from the mildest to the one that nobody can foresee. */
export const EFFECTS: readonly Effect[] = ['read', 'create', 'update', 'delete', 'run'];

/** The tools by what grants name them by; virtual MCPs show tools that have their place elsewhere. */
export function resourcesOf(tools: readonly Tool[]): readonly Resource[] {
  const own = tools.filter(({ source }) => source !== 'virtual');
  const byPlace = Map.groupBy(own, ({ endpoint }) => endpoint);
  return [...byPlace].map(([id, rows]) => ({ id, title: rows[0]?.endpointTitle ?? id, tools: rows }));
}

/** The names that grants have for a resource, those for all resources too. */
export function namesFor(grants: Grants, resource: string): readonly string[] {
  return [...(grants[resource] ?? []), ...(grants['*'] ?? [])];
}

/** Whether grants cover a tool; a wildcard gives a privileged one to administrators alone. */
export function covers(grants: Grants, tool: Tool, isAdministrator: boolean): boolean {
  const names = namesFor(grants, tool.endpoint);
  if (names.includes(tool.name)) return true;
  return names.includes('*') && (isAdministrator || !tool.isPrivileged);
}

/** Grants in a line: "everything", "Management: all, Feedback: 3 tools". */
export function grantsText(grants: Grants, titleOf: (resource: string) => string): string {
  if (grants['*']?.includes('*')) return 'everything';
  const parts = Object.entries(grants).flatMap(([resource, names]) => {
    if (names.length === 0) return [];
    if (names.includes('*')) return [`${titleOf(resource)}: all`];
    const [only] = names;
    return [`${titleOf(resource)}: ${names.length === 1 ? only : `${names.length} tools`}`];
  });
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

/** Grants with a name of a resource given or taken. */
export function withName(grants: Grants, resource: string, name: string, isGiven: boolean): Grants {
  return withNames(grants, resource, [name], isGiven);
}

/** The same for several names. */
export function withNames(
  grants: Grants,
  resource: string,
  names: readonly string[],
  isGiven: boolean,
): Grants {
  const before = grants[resource] ?? [];
  const next = isGiven
    ? [...new Set([...before, ...names])]
    : before.filter((known) => !names.includes(known));
  const { [resource]: _before, ...rest } = grants;
  return next.length === 0 ? rest : { ...rest, [resource]: next };
}
