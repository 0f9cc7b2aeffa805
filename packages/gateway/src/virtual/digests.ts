/** Short words for what is shown, so that two of them tell whether anybody sees something else. */
import { createHash } from 'node:crypto';
import type { Holdings } from './holdings.ts';

/** The lists that clients hear of. */
export const LISTS = ['tools', 'resources', 'prompts'] as const;
export type Digests = Readonly<Record<(typeof LISTS)[number], string>>;

/** A word for each list. */
export function digestsOf({ tools, resources, prompts }: Holdings): Digests {
  return {
    tools: digestOf(
      tools.map(({ name, place, item }) => {
        const { title, description, _meta } = item;
        if (item.kind === 'tool') return [place.toolset, name, title, description, item.hints, _meta];
        const { definition, unlisted, inputSchema, outputSchema, hints } = item;
        const words = definition ?? { title, description, inputSchema, outputSchema, hints, _meta };
        return [place.toolset, name, unlisted, words];
      }),
    ),
    resources: digestOf(resources.map(({ name, place, item }) => [place.toolset, name, wordsOf(item)])),
    prompts: digestOf(prompts.map(({ name, place, item }) => [place.toolset, name, wordsOf(item)])),
  };
}

function wordsOf(item: object): unknown {
  return 'definition' in item ? item.definition : undefined;
}

export function digestOf(facts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('base64url').slice(0, 22);
}
