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

/** The text of the file: one line with all but the definitions and with their lengths, then one definition a line. */
export function writeDescription({ catalog, ...rest }: Description): string {
  const guards = catalog.tools.map(({ json: _json, ...guard }) => guard);
  const lengths = catalog.tools.map(({ json }) => Buffer.byteLength(json));
  const head = JSON.stringify({ catalog: { ...catalog, tools: guards }, lengths, ...rest });
  return [head, ...catalog.tools.map(({ json }) => json)].join('\n');
}

/** Reads what was built together with this code, to serve some toolsets or all; undefined when it runs from source. */
export function readDescription(served: readonly string[]): Description | undefined {
  if (import.meta.url.endsWith('.ts')) return undefined;
  try {
    return parseDescription(readFileSync(new URL(DESCRIPTION_FILE, import.meta.url)), served);
  } catch {
    // Without it a start is slower and nothing else.
    return undefined;
  }
}

/** The description in the bytes of the file. Tools that are not served have their guards, and no definition. */
export function parseDescription(bytes: Buffer, served: readonly string[]): Description {
  // Definitions go to clients as they are: parsing them would cost a start more than all the rest.
  let end = bytes.indexOf('\n');
  // Written by `writeDescription`.
  const { catalog, lengths, ...rest } = JSON.parse(bytes.toString('utf8', 0, end)) as Description & {
    readonly lengths: readonly number[];
  };
  const tools = catalog.tools.map((guard, index) => {
    const begin = end + 1;
    end = begin + (lengths[index] ?? 0);
    const isServed = served.length === 0 || served.includes(guard.toolset);
    return { ...guard, json: isServed ? bytes.toString('utf8', begin, end) : '' };
  });
  return { catalog: { ...catalog, tools }, ...rest };
}
