/** Whether a new tool is one that went away under another name. */
import { toJson } from '@parley/store';
import type { UpstreamTool } from '../upstream.ts';
import { namelessHash } from './hash.ts';

const ALIKE = 0.6;
const MOST_COMPARED = 200;
const MOST_WORDS = 500;

/** Looks for the tool that another one was, among those that are gone; the likest one counts. */
export function createRenames(gone: readonly UpstreamTool[]) {
  const byRest = new Map(gone.map((tool) => [namelessHash(tool), tool.name]));
  // Whoever takes away and adds thousands at once has renamed nothing that a person could follow.
  const traits = gone.slice(0, MOST_COMPARED).map((tool) => ({ name: tool.name, ...traitsOf(tool) }));
  let left = MOST_COMPARED;
  return (tool: UpstreamTool): string | null => {
    const same = byRest.get(namelessHash(tool));
    if (same !== undefined) return same;
    if (traits.length === 0 || left === 0) return null;
    left -= 1;
    const own = traitsOf(tool);
    let best: { name: string; score: number } | undefined;
    for (const other of traits) {
      const score = likeness(own, other);
      if (score >= ALIKE && score > (best?.score ?? 0)) best = { name: other.name, score };
    }
    return best?.name ?? null;
  };
}

interface Traits {
  readonly words: ReadonlySet<string>;
  readonly fields: ReadonlySet<string>;
  readonly parts: ReadonlySet<string>;
}

function traitsOf({ name, title = '', description = '', inputSchema }: UpstreamTool): Traits {
  const { properties } = inputSchema;
  const fields = Object.entries(isObject(properties) ? properties : {}).map(
    ([field, schema]) => `${field} ${isObject(schema) ? toJson(schema['type']) : ''}`,
  );
  return {
    words: wordsOf(`${title} ${description}`),
    fields: new Set(fields.slice(0, MOST_WORDS)),
    parts: wordsOf(name.replaceAll(/([a-z])([A-Z])/g, '$1 $2')),
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function wordsOf(text: string): Set<string> {
  const words = text
    .slice(0, 20_000)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return new Set(words.filter((word) => word !== '').slice(0, MOST_WORDS));
}

function likeness(one: Traits, other: Traits): number {
  return (
    0.5 * overlap(one.words, other.words) +
    0.3 * (one.fields.size + other.fields.size === 0 ? 1 : overlap(one.fields, other.fields)) +
    0.2 * overlap(one.parts, other.parts)
  );
}

/** How much of all that they have both have; nothing is no likeness. */
function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const both = [...one].filter((each) => other.has(each)).length;
  return both === 0 ? 0 : both / (one.size + other.size - both);
}
