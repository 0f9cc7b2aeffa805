/** What a server over an engine says it can do. */
import type { Extension } from './extension.ts';
import type { ListedCatalog } from '../catalog/listing.ts';

/** The capabilities over a catalog: resources and prompts only where there are any, extensions for modern clients. */
export function capabilitiesOf(
  { resources, prompts }: Pick<ListedCatalog, 'resources' | 'prompts'>,
  extensions: readonly Extension[],
  era: 'modern' | 'legacy',
  canSubscribe = true,
) {
  return {
    tools: { listChanged: true },
    logging: {},
    ...(resources.length > 0 && { resources: canSubscribe ? { subscribe: true, listChanged: true } : {} }),
    ...(extensions.length > 0 &&
      era === 'modern' && {
        extensions: Object.fromEntries(extensions.map(({ name }) => [name, {}])),
      }),
    ...(prompts.length > 0 && { prompts: { listChanged: true } }),
    ...(canComplete({ resources, prompts }) && { completions: {} }),
  };
}

/** True where there is something to complete: prompts, or templates of another server. */
export function canComplete({ resources, prompts }: Pick<ListedCatalog, 'resources' | 'prompts'>): boolean {
  return prompts.length > 0 || resources.some(({ completes }) => completes === true);
}
