/** What the build wrote down about Parley's own toolsets, so that a start can list them before it loads them. */
import { readFileSync } from 'node:fs';
import type { RoleDefaults } from '@parley/identity';
import type { CatalogDescription } from '@parley/kit';

/** The own toolsets, what they give to roles, and every migration of the base, written down. */
export interface Description {
  readonly catalog: CatalogDescription;
  readonly migrations: readonly { readonly set: string; readonly names: readonly string[] }[];
  readonly roleDefaults: RoleDefaults;
}

/** The name of the file, beside the bundle that it describes. */
export const DESCRIPTION_FILE = 'toolsets.txt';

/** The text of the file: one line with all but the definitions, then one definition a line. */
export function writeDescription({ catalog, ...rest }: Description): string {
  const guards = catalog.tools.map(({ json: _json, ...guard }) => guard);
  const head = JSON.stringify({ catalog: { ...catalog, tools: guards }, ...rest });
  return [head, ...catalog.tools.map(({ json }) => json)].join('\n');
}

/** Reads what was built together with this code; undefined when it runs from source. */
export function readDescription(): Description | undefined {
  if (import.meta.url.endsWith('.ts')) return undefined;
  try {
    return parseDescription(readFileSync(new URL(DESCRIPTION_FILE, import.meta.url), 'utf8'));
  } catch {
    // Without it a start is slower and nothing else.
    return undefined;
  }
}

/** The description in the text of the file. */
export function parseDescription(text: string): Description {
  // Definitions go to clients as they are: parsing them would cost a start more than all the rest.
  const [head = '', ...definitions] = text.split('\n');
  // Written by `writeDescription`.
  const { catalog, ...rest } = JSON.parse(head) as Description;
  const tools = catalog.tools.map((guard, index) => ({ ...guard, json: definitions[index] ?? '' }));
  return { catalog: { ...catalog, tools }, ...rest };
}
