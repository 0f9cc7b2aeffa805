/** The types of the console are those that the document of the routes gives, and a change of a route is seen. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Json } from '../../scripts/api-types/served-document.ts';
import { servedDocument } from '../../scripts/api-types/served-document.ts';
import { headOf, typesText } from '../../scripts/api-types/types-text.ts';

const FILE = join(import.meta.dirname, '../../apps/console/src/api/schema.ts');

let document: Json;
beforeAll(async () => {
  document = await servedDocument();
}, 60_000);

test('the file has what the generator writes, and nothing by hand', async () => {
  const text = await typesText(document);
  // Compared as a whole: a difference of thousands of lines helps nobody.
  expect(readFileSync(FILE, 'utf8') === text, 'run "node scripts/api-types.ts"').toBe(true);
}, 60_000);

test('a field, a path or a parameter that changes makes the file old', () => {
  const text = JSON.stringify(document);
  const changes = [
    text.replace('"hasPassword":{"type":"boolean"}', '"hasPassword":{"type":"string"}'),
    text.replace('"/account/passkeys/{id}"', '"/account/keys/{id}"'),
    text.replace('"name":"showDeleted","in":"query"', '"name":"deleted","in":"query"'),
  ];
  for (const changed of changes) {
    expect(changed).not.toBe(text);
    expect(headOf(JSON.parse(changed) as Json)).not.toBe(headOf(document)); // It was a document before
  }
});

test('what says nothing about types leaves it as it is', () => {
  const { info, ...rest } = document;
  expect(headOf({ ...rest, info: { ...(info as object), version: '9.9.9' } })).toBe(headOf(document));
});

test('every reference in the document leads somewhere', () => {
  const { schemas } = document['components'] as { schemas: Json }; // As our own sets write it
  const named = JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
  const missing = [...named].map(([, name = '']) => name).filter((name) => !(name in schemas));
  expect(missing).toEqual([]);
});
