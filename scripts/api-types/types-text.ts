/** Owns the text of the types of the console: openapi-typescript writes them, and a line above says of which document. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { ensureTestTools } from '../install-test-tools.ts';
import { neededDocument } from './needed-document.ts';
import type { Json } from './served-document.ts';

// It needs a TypeScript with an API, which the one of the workspace no longer has.
const PROGRAM = fileURLToPath(
  new URL('../../test/tools/node_modules/openapi-typescript/bin/cli.js', import.meta.url),
);
const OPTIONS = [
  '--immutable',
  '--alphabetize',
  '--root-types',
  '--root-types-no-schema-prefix',
  '--root-types-keep-casing',
  // A field with a default may be left out of a body.
  '--default-non-nullable=false',
];

/** The whole file. */
export async function typesText(document: Json): Promise<string> {
  await ensureTestTools();
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...OPTIONS], {
    input: JSON.stringify(neededDocument(document)),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`openapi-typescript ended with ${status}: ${stderr}`);
  return `${headOf(document)}\n${stdout}`;
}

/** The first lines of the file: they change with the document, so that drift is seen without writing the types again. */
export function headOf(document: Json): string {
  const text = JSON.stringify(neededDocument(document));
  const mark = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `/** Owns what the routes below /api take and give: written by scripts/api-types.ts, never by hand. */\n// Of the document ${mark}\n`;
}
