/** Tools that are not there because this server lacks what they stand on. */
import type { Middleware } from '@parley/kit';
import { SQL_TOOL } from '@parley/mesh/name';
import type { Store } from '@parley/store';

/** The names of the tools that this store cannot serve. */
export function missingTools({ databases }: Pick<Store, 'databases'>): string[] {
  return databases.isAvailable ? [] : [SQL_TOOL];
}

/** Hides them from lists and calls; nothing where all is there, since every list would pay for it. */
export function withoutMissing(store: Pick<Store, 'databases'>): Middleware[] {
  const missing = new Set(missingTools(store));
  if (missing.size === 0) return [];
  return [{ list: (tools) => tools.filter(({ name, granted = name }) => !missing.has(granted)) }];
}
