/** The data of a run: how nodes read what came before them. Nothing in it is ever evaluated. */
import type { GraphNode } from './graph.ts';

/** What nodes can read: what the run was given, and the newest output of each node. */
export interface RunData {
  readonly input: unknown;
  readonly nodes: Record<string, unknown>;
}

const MAX_RENDERED = 65_536;
const PLACE = /\{\{\s{0,10}([A-Za-z0-9_.-]{1,200})\s{0,10}\}\}/g;

/** The value at a path such as `input.user.name`; undefined when there is none. */
export function valueAt(data: RunData, path: string): unknown {
  let value: unknown = data;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key]; // just seen to be there
  }
  return value;
}

/** The template with each `{{path}}` replaced by what is there; nothing where there is nothing. */
export function render(template: string, data: RunData): string {
  // A function: what is inserted is text, whatever signs it has.
  return template
    .replace(PLACE, (_place, path: string) => textOf(valueAt(data, path)))
    .slice(0, MAX_RENDERED);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.slice(0, MAX_RENDERED);
}

type Condition = Extract<GraphNode, { type: 'condition' }>['config'];

/** Whether a condition holds. Texts and numbers that look alike are alike, since a template makes texts of both. */
export function holds({ path, op, value: wanted = null }: Condition, data: RunData): boolean {
  const found = valueAt(data, path);
  switch (op) {
    case 'exists':
      return found !== undefined && found !== null;
    case 'eq':
      return isSame(found, wanted);
    case 'ne':
      return !isSame(found, wanted);
    case 'gt':
      return numberOf(found) > numberOf(wanted);
    case 'lt':
      return numberOf(found) < numberOf(wanted);
    case 'contains':
      return Array.isArray(found)
        ? found.some((each) => isSame(each, wanted))
        : typeof found === 'string' && found.includes(textOf(wanted));
  }
}

function isSame(found: unknown, wanted: unknown): boolean {
  if (typeof found === 'object' || typeof wanted === 'object') return (found ?? null) === wanted;
  return found === undefined ? wanted === null : textOf(found) === textOf(wanted);
}

/** What is no number compares with nothing. */
function numberOf(value: unknown): number {
  return typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
    ? Number(value)
    : NaN;
}
