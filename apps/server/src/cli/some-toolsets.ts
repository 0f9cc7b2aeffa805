/** The toolsets that a command line names, held against those that there are. */
import type { Caller, Listing } from '@parley/kit';
import { UsageError } from '../config.ts';

/** Throws when the caller's organization has no toolset of a name. */
export async function requireToolsets(
  listing: Listing,
  caller: Caller,
  toolsets: readonly string[],
): Promise<void> {
  if (toolsets.length === 0) return;
  await listing.ready(caller);
  const known = listing.catalogFor(caller).toolsets.map(({ name }) => name);
  const unknown = toolsets.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`There is no toolset "${unknown}". There are: ${known.join(', ')}.`);
}
