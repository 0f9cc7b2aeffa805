/** What is different between two definitions of a tool, field by field, in words that people can read. */
import { toJson } from '@parley/store';
import type { UpstreamTool } from '../upstream.ts';
import { skillOf, sorted, templateOf, uiOf } from './hash.ts';
import { visibleText } from './hidden-text.ts';

/** One field that is not what it was; null: it was not there, or is not there any more. */
export interface FieldChange {
  /** A path, such as `inputSchema.properties.to.type`. */
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

const MOST_CHANGES = 50;
const MOST_CHARACTERS = 500;

/** The fields that are covered by a pin and differ; the first fifty. */
export function definitionDiff(before: UpstreamTool, after: UpstreamTool): FieldChange[] {
  const changes: FieldChange[] = [];
  collect('', pinned(before), pinned(after), changes);
  return changes;
}

/** The same; equal definitions whose hashes differ have another page behind them, or another request. */
export function pinDiff(
  before: { readonly definition: UpstreamTool; readonly hash: string | null },
  after: { readonly definition: UpstreamTool; readonly hash: string },
): FieldChange[] {
  const changes = definitionDiff(before.definition, after.definition);
  if (changes.length > 0 || before.hash === after.hash) return changes;
  const field = uiOf(after.definition) === undefined ? 'request' : '_meta.ui document';
  return [{ field, before: before.hash, after: after.hash }];
}

function pinned(tool: UpstreamTool): Readonly<Record<string, unknown>> {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const plain = { name, title, description, inputSchema, outputSchema, annotations };
  return {
    ...plain,
    '_meta.ui': uiOf(tool),
    '_meta.openai/outputTemplate': templateOf(tool),
    skill: skillOf(tool),
  };
}

function collect(path: string, before: unknown, after: unknown, into: FieldChange[]): void {
  if (into.length >= MOST_CHANGES || textOf(before) === textOf(after)) return;
  if (!isPlain(before) || !isPlain(after)) {
    into.push({ field: visibleText(path), before: shown(before), after: shown(after) });
    return;
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
    collect(path === '' ? key : `${path}.${key.slice(0, 100)}`, ownOf(before, key), ownOf(after, key), into);
}

function ownOf(value: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : toJson(sorted(value));
}

function shown(value: unknown): string | null {
  if (value === undefined) return null;
  const text = visibleText(typeof value === 'string' ? value : toJson(value));
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}
