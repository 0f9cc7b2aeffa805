/** Grants on the command line: how they are given, and how they are shown. */
import type { Grants } from '@parley/kit';
import { UsageError } from '../config.ts';
import type { Host } from '../start/host.ts';

/** `--grant feedback:search,get_post --grant "annotations:*"`; the name of a connection stands where a toolset can. */
export function parseGrants(given: unknown): Grants | undefined {
  if (!Array.isArray(given) || given.length === 0) return undefined;
  const grants = new Map<string, string[]>();
  for (const text of given.map(String)) {
    const [resource = '', tools = '', ...rest] = text.split(':');
    const names = tools.split(',').filter((name) => name !== '');
    if (resource === '' || names.length === 0 || rest.length > 0) {
      throw new UsageError(
        `--grant: must look like TOOLSET:TOOL,TOOL, "TOOLSET:*" or CONNECTION:TOOL,TOOL (got "${text}")`,
      );
    }
    grants.set(resource, [...(grants.get(resource) ?? []), ...names]);
  }
  return Object.fromEntries(grants);
}

/** The grants in one line; beside everything only those names are told that the wildcard does not give. */
export function showGrants(
  grants: Grants,
  host: Pick<Host, 'engine'>,
  /** Of connections, by their ids. */
  names: ReadonlyMap<string, string> = new Map(),
): string {
  const hasAll = grants['*']?.includes('*') === true;
  const byName = new Set(
    host.engine().common.tools.flatMap(({ privileged, name }) => (privileged === 'by-name' ? [name] : [])),
  );
  const parts = Object.entries(grants).flatMap(([resource, tools]) => {
    const told = hasAll ? tools.filter((tool) => byName.has(tool)) : tools;
    return told.length === 0 ? [] : [`${names.get(resource) ?? resource}:${told.join(',')}`];
  });
  return [...(hasAll ? ['everything'] : []), ...parts].join(' ') || 'nothing';
}
