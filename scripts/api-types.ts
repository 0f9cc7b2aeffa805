/** Owns the types of the console: writes them from the OpenAPI document of `/api`, or fails on drift with `--check`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { servedDocument } from './api-types/served-document.ts';
import { headOf, typesText } from './api-types/types-text.ts';

const PATH = 'apps/console/src/api/schema.ts';
const file = join(import.meta.dirname, '..', PATH);
const document = await servedDocument();

if (!process.argv.includes('--check')) {
  writeFileSync(file, await typesText(document));
  console.log(`wrote ${PATH}`);
} else if (readFileSync(file, 'utf8').startsWith(headOf(document))) {
  console.log('the types of the console are as the routes say');
} else {
  console.error(`${PATH} does not say what the routes say. Run "node scripts/api-types.ts".`);
  process.exitCode = 1;
}
