/** What the list of tools costs the models that read it before they do anything. */
import { expect, test } from 'vitest';
import { describeOwn } from '../../apps/server/src/start/describe.ts';
import { countTokens } from './ordinary-notes.ts';

const MAX_TOOL_BYTES = 950;
const MAX_TOOL_TOKENS = 240;
const MAX_OUTPUT_BYTES = 300;

const WORDY = new Set(['description', 'pattern', 'format', 'enum', 'maximum']);

/** The keywords of a schema at any depth; what fields are called is not among them. */
function keywordsOf(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(keywordsOf);
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([word, inner]: [string, unknown]) =>
    word === 'properties' || word === '$defs'
      ? Object.values(inner as object).flatMap(keywordsOf)
      : [word, ...keywordsOf(inner)],
  );
}

test('a tool of any toolset is short to read on average, and its output shorter', async () => {
  const { catalog } = await describeOwn();
  const average = (sizeOf: (json: string) => number) =>
    catalog.tools.reduce((total, { json }) => total + sizeOf(json), 0) / catalog.tools.length;
  const outputOf = (json: string) =>
    JSON.stringify((JSON.parse(json) as { outputSchema: object }).outputSchema);
  expect(catalog.tools.length).toBeGreaterThan(40);
  expect(average(Buffer.byteLength)).toBeLessThanOrEqual(MAX_TOOL_BYTES);
  expect(average(countTokens)).toBeLessThanOrEqual(MAX_TOOL_TOKENS);
  expect(average((json) => Buffer.byteLength(outputOf(json)))).toBeLessThanOrEqual(MAX_OUTPUT_BYTES);
});

test('no output says more than names and types', async () => {
  const { catalog } = await describeOwn();
  for (const { name, json } of catalog.tools) {
    const { outputSchema } = JSON.parse(json) as { outputSchema: object };
    const words = keywordsOf(outputSchema).filter((word) => WORDY.has(word));
    expect(words, name).toEqual([]);
  }
});

test('every tool has its title where clients of the first revisions look for it', async () => {
  const { catalog } = await describeOwn();
  for (const { name, json } of catalog.tools) {
    const tool = JSON.parse(json) as { title: string; annotations: { title: string } };
    expect(tool.annotations.title, name).toBe(tool.title);
  }
});
