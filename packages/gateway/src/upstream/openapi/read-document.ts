/** From the text of a document to plain values: JSON or YAML, of a version that is understood. */
import type { Validator } from '@seriousme/openapi-schema-validator';
import type { JsonObject } from './json.ts';
import { fieldOf, objectIn, plainCopy } from './json.ts';
import { MAX_DEPTH, MAX_NODES } from './limits.ts';
import type { LeftOut } from './service.ts';
import { BadDocument } from './service.ts';
import { checkYaml } from './yaml-bounds.ts';

const MOST_ALIASES = 100;
const MOST_FAULTS = 5;

/** Reads a document; throws what it is when it is none. */
export async function readDocument(text: string): Promise<JsonObject> {
  const document = objectIn(plainCopy(await parsed(text), { maxDepth: MAX_DEPTH, maxNodes: MAX_NODES }));
  if (document === undefined) throw new BadDocument(NONE);
  const version = fieldOf(document, 'openapi');
  if (typeof version === 'string' && /^3\.[0-2](\.|$)/.test(version)) return document;
  if (fieldOf(document, 'swagger') !== undefined)
    throw new BadDocument('The document is Swagger 2.0. Convert it to OpenAPI 3 and give that address.');
  throw new BadDocument(
    typeof version === 'string' ? `${NONE} Its version is ${version.slice(0, 20)}.` : NONE,
  );
}

const NONE =
  'There is no OpenAPI 3.0 or 3.1 document at the address of the connection. Check connection_url.';

async function parsed(text: string): Promise<unknown> {
  // A mark of the byte order says nothing in UTF-8.
  const plain = text.startsWith('\uFEFF') ? text.slice(1) : text;
  try {
    return JSON.parse(plain);
  } catch {
    // Most are JSON, which is read in a hundredth of the time; the others are YAML or nothing.
  }
  const { Lexer, parse } = await import('yaml');
  checkYaml(plain, new Lexer());
  try {
    return parse(plain, { maxAliasCount: MOST_ALIASES, logLevel: 'error', schema: 'core', merge: false });
  } catch {
    throw new BadDocument('The document is neither JSON nor YAML. Check connection_url.');
  }
}

// Compiles its rules with the first document of a version.
let validator: Promise<Validator> | undefined;

/**
 * Where the document breaks the rules of OpenAPI. It is not refused for that, since whoever uses a service can seldom
 * mend its document, and every part of it is looked at before it is used.
 */
export async function faultsOf(document: JsonObject): Promise<LeftOut[]> {
  validator ??= import('@seriousme/openapi-schema-validator').then(({ Validator }) => new Validator());
  try {
    // A copy: the validator may write into what it is given. As an object, since it takes some texts for file names.
    const { valid, errors } = await (await validator).validate(structuredClone(document));
    if (valid) return [];
    if (typeof errors === 'string') return [{ what: 'document', reason: errors.slice(0, 300) }];
    return (errors ?? []).slice(0, MOST_FAULTS).map((error) => ({
      what: `document ${error.instancePath}`.trim().slice(0, 300),
      reason: `The rules of OpenAPI are broken here: it ${String(error.message).slice(0, 200)}.`,
    }));
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'The validator failed.';
    return [{ what: 'document', reason: `It could not be checked: ${reason.slice(0, 200)}` }];
  }
}
