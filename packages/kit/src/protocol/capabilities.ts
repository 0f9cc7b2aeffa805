/** What a server over an engine says it can do. */
import type { ListedCatalog } from '../catalog/listing.ts';
import type { Offer } from '../define/toolset.ts';
import type { Extension } from './extension.ts';

type Offering = Pick<ListedCatalog, 'resources' | 'prompts' | 'toolsets'>;

/**
 * The capabilities over a catalog: resources and prompts where there are any or may be, extensions for modern clients.
 * A 2025 client hears of them once, so what may come while its session lasts is said from the beginning.
 */
export function capabilitiesOf(
  catalog: Offering,
  extensions: readonly Extension[],
  era: 'modern' | 'legacy',
  canSubscribe = true,
) {
  const offers = offersOf(catalog);
  return {
    tools: { listChanged: true },
    logging: {},
    ...(offers.has('resources') && { resources: canSubscribe ? { subscribe: true, listChanged: true } : {} }),
    ...(extensions.length > 0 &&
      era === 'modern' && {
        extensions: Object.fromEntries(extensions.map(({ name }) => [name, {}])),
      }),
    ...(offers.has('prompts') && { prompts: { listChanged: true } }),
    ...(offers.has('completions') && { completions: {} }),
  };
}

/** What there is besides tools, and what its toolsets say that they may have. */
export function offersOf({ resources, prompts, toolsets }: Offering): ReadonlySet<Offer> {
  const offers = new Set<Offer>(toolsets.flatMap(({ offers: more = [] }) => more));
  if (resources.length > 0) offers.add('resources');
  if (prompts.length > 0) offers.add('prompts');
  // There is something to complete: prompts, or templates of another server.
  if (prompts.length > 0 || resources.some(({ completes }) => completes === true)) offers.add('completions');
  return offers;
}
