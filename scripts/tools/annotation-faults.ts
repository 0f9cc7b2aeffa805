/** Owns what must be true of the tools that are served: complete hints, and management tools as they are written down. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MANAGEMENT } from '@parley/mesh/name';
import { CATEGORIES } from '../../packages/mesh/src/tools/categories.ts';
import type { RequiredTool } from '../../test/house/management-tools.ts';
import { requiredTools } from '../../test/house/management-tools.ts';
import { listFiles } from '../check/source-tree.ts';
import type { Definition, ServedTool } from './served-tools.ts';

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];

/** True when a client of any revision learns what the tool does: a title in both places, and all four hints. */
export function hasAnnotations({ title, annotations = {} }: Definition): boolean {
  const isText = (value: unknown) => typeof value === 'string' && value !== '';
  const areHints = HINTS.every((hint) => typeof annotations[hint] === 'boolean');
  return isText(title) && isText(annotations['title']) && areHints;
}

/** What is wrong with the management tools, one sentence each. */
export function managementFaults(tools: readonly ServedTool[], root: string): string[] {
  const served = tools.filter(({ toolset }) => toolset === MANAGEMENT);
  if (served.length === 0) return [];
  const required = requiredTools();
  const twice = testedTwice(root);
  const unknown = served.filter(({ definition }) => !required.some(({ name }) => name === definition.name));
  return [
    ...unknown.map(({ definition }) => `${definition.name} is not in test/house/management-tools.md`),
    ...required.flatMap((wanted) => {
      const found = served.find(({ definition }) => definition.name === wanted.name);
      if (found === undefined) return [`${wanted.name} is not served`];
      return [...differences(wanted, found), ...idempotenceFault(wanted, twice)];
    }),
    ...required.flatMap(categoryFault),
  ];
}

function differences(wanted: RequiredTool, found: ServedTool): string[] {
  const is = { ...found, privileged: found.privileged !== false };
  const facts = ['effect', 'external', 'privileged', 'unattended'] as const;
  return facts
    .filter((fact) => is[fact] !== wanted[fact])
    .map((fact) => `${wanted.name} has ${fact} ${String(is[fact])}, and must have ${String(wanted[fact])}`);
}

function categoryFault({ name, category }: RequiredTool): string[] {
  const found = Object.entries<readonly string[]>(CATEGORIES).filter(([, names]) => names.includes(name));
  const names = found.map(([each]) => each).join(' and ') || 'no category';
  return names === category ? [] : [`${name} is in ${names}, and must be in ${category}`];
}

function idempotenceFault({ name, effect }: RequiredTool, twice: ReadonlySet<string>): string[] {
  if ((effect !== 'update' && effect !== 'delete') || twice.has(name)) return [];
  return [`${name} is called twice by no test; give it a row in packages/mesh/test/effects`];
}

/** The tools in the tables of calls that are made twice, by packages/mesh/src/effects.test.ts. */
function testedTwice(root: string): Set<string> {
  const files = listFiles(root, 'packages/mesh/test/effects').filter((path) =>
    /\/(?:updates|deletes)\.ts$/.test(path),
  );
  const tables = files.map((path) => readFileSync(join(root, path), 'utf8'));
  return new Set(
    tables.flatMap((table) => [...table.matchAll(/\btool: '(\w+)'/g)].map(([, name = '']) => name)),
  );
}
