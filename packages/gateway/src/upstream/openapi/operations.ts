/** The operations of a document as tools; one that cannot be asked for is left out alone, with the reason. */
import { ownBase } from './base-address.ts';
import { inputsOf } from './inputs.ts';
import type { JsonObject } from './json.ts';
import { fieldOf, objectIn, textIn } from './json.ts';
import {
  MAX_DESCRIPTION,
  MAX_INPUT_CHARS,
  MAX_LEFT_OUT,
  MAX_OPERATIONS,
  MAX_OUTPUT_CHARS,
  MAX_TOOLS_CHARS,
} from './limits.ts';
import { Names } from './names.ts';
import { outputSchema } from './output-schema.ts';
import { parametersOf } from './parameters.ts';
import { namesIn, segmentsOf } from './path.ts';
import { followed } from './references.ts';
import { bodyOf } from './request-body.ts';
import type { SchemaRules } from './schemas.ts';
import { tokenPlace } from './security.ts';
import type { LeftOut, Plan, ServiceTool } from './service.ts';
import { Unsupported } from './service.ts';

const METHODS = {
  get: 'GET',
  head: 'HEAD',
  options: 'OPTIONS',
  post: 'POST',
  put: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
} as const satisfies Record<string, Plan['method']>;
// What an operation of 3.2 or of a rare kind stands under.
const OTHER_METHODS = ['trace', 'query'];

export interface Translated {
  readonly tools: readonly ServiceTool[];
  readonly leftOut: readonly LeftOut[];
}

export interface Place {
  readonly documentUrl: string;
  readonly base: string;
}

/** All tools of a document. */
export function toolsOf(document: Omit<SchemaRules, 'budget'>, place: Place): Translated {
  const tools: ServiceTool[] = [];
  const leftOut: LeftOut[] = [];
  const rules = { ...document, budget: budgetOf(document.document) };
  const names = new Names();
  let charsLeft = MAX_TOOLS_CHARS;
  let seen = 0;
  const leave = (what: string, reason: string) => {
    if (leftOut.length < MAX_LEFT_OUT) leftOut.push({ what: what.slice(0, 300), reason });
  };
  for (const { what, make } of operationsIn(rules, place, names)) {
    seen += 1;
    if (seen > MAX_OPERATIONS) {
      leave(
        what,
        `The document has more than ${MAX_OPERATIONS} operations. This one and those after it are left out.`,
      );
      break;
    }
    try {
      const tool = make();
      charsLeft -= JSON.stringify(tool.definition).length;
      if (charsLeft < 0) leave(what, 'The definitions before it are too large together.');
      else tools.push(tool);
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      leave(what, error.message);
    }
  }
  return { tools, leftOut };
}

/** What one tool may have of the characters of all: schemas are cut rather than tools left out. */
function budgetOf(document: JsonObject): SchemaRules['budget'] {
  const paths = Object.values(objectIn(fieldOf(document, 'paths')) ?? {});
  const methods = (item: unknown) =>
    Object.keys(objectIn(item) ?? {}).filter((key) => Object.hasOwn(METHODS, key));
  const count = paths.reduce((total: number, item) => total + methods(item).length, 0);
  const share = MAX_TOOLS_CHARS / Math.min(Math.max(count, 1), MAX_OPERATIONS);
  return { input: Math.min(MAX_INPUT_CHARS, share * 0.3), output: Math.min(MAX_OUTPUT_CHARS, share * 0.1) };
}

interface Found {
  /** Such as `GET /pets`. */
  readonly what: string;
  /** Throws what is unsupported. */
  make(): ServiceTool;
}

function* operationsIn(rules: SchemaRules, place: Place, names: Names): Generator<Found> {
  const { document } = rules;
  for (const [path, given] of Object.entries(objectIn(fieldOf(document, 'paths')) ?? {})) {
    if (path.startsWith('x-')) continue;
    let item: JsonObject | undefined;
    try {
      item = followed(document, given);
    } catch (error) {
      yield { what: path, make: () => refuse(error) };
    }
    if (item === undefined) continue;
    const holder = item;
    for (const [key, method] of Object.entries(METHODS)) {
      const operation = objectIn(fieldOf(item, key));
      const what = `${method} ${path}`;
      if (operation !== undefined)
        yield { what, make: () => toolOf(rules, place, { names, method, path, item: holder, operation }) };
    }
    for (const key of OTHER_METHODS)
      if (objectIn(fieldOf(item, key)) !== undefined)
        yield {
          what: `${key.toUpperCase()} ${path}`,
          make: () => refuse(new Unsupported('Its method is not supported.')),
        };
  }
}

function refuse(error: unknown): never {
  throw error;
}

interface Operation {
  readonly names: Names;
  readonly method: Plan['method'];
  readonly path: string;
  readonly item: JsonObject;
  readonly operation: JsonObject;
}

function toolOf(rules: SchemaRules, { documentUrl, base: common }: Place, found: Operation): ServiceTool {
  const { names, method, path, item, operation } = found;
  const { document } = rules;
  const base = ownBase(operation, documentUrl, common) ?? ownBase(item, documentUrl, common) ?? common;
  const inPath = namesIn(segmentsOf(path));
  const token = tokenPlace(document, operation);
  const all = parametersOf(document, { path: item, operation, token });
  // One that the path does not name has no place to go to.
  const parameters = all.filter(({ place, name }) => place !== 'path' || inPath.includes(name));
  const missing = inPath.find((name) => !parameters.some((one) => one.place === 'path' && one.name === name));
  if (missing !== undefined)
    throw new Unsupported(`Its path names {${missing.slice(0, 60)}}, and no parameter of the path does.`);
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const taken = new Set(parameters.map(({ name }) => name));
  const { schema, inputs, body } = inputsOf(
    rules,
    parameters,
    hasBody ? bodyOf(document, operation, taken) : null,
  );
  const output = method === 'HEAD' ? undefined : outputSchema(rules, operation);
  const plan: Plan = { method, base, path, inputs, body, token, hasOutput: output !== undefined };
  const title = textIn(fieldOf(operation, 'summary'), 200);
  const id = textIn(fieldOf(operation, 'operationId'), 1_000) ?? `${method.toLowerCase()}${path}`;
  return {
    plan,
    definition: {
      // Last, so that an operation that is left out takes no name.
      name: names.take(id, `${method} ${path}`),
      ...(title !== undefined && { title }),
      description: descriptionOf(operation, plan),
      inputSchema: schema,
      ...(output !== undefined && { outputSchema: output }),
      annotations: { ...(title !== undefined && { title }), ...HINTS[method], openWorldHint: true },
    },
  };
}

const READ = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
const UPDATE = { readOnlyHint: false, destructiveHint: false, idempotentHint: true };

/** What a method does, as HTTP defines it. */
const HINTS = {
  GET: READ,
  HEAD: READ,
  OPTIONS: READ,
  POST: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  PUT: UPDATE,
  PATCH: UPDATE,
  DELETE: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
} as const satisfies Record<Plan['method'], object>;

/** The words of the document, and the request itself, so that whoever agreed to a tool has agreed to that one. */
function descriptionOf(operation: JsonObject, { method, base, path }: Plan): string {
  const summary = textIn(fieldOf(operation, 'summary'), 500);
  const description = textIn(fieldOf(operation, 'description'), MAX_DESCRIPTION);
  const route = `${method} ${new URL(base).pathname.replace(/\/$/, '')}${path}`;
  const deprecated =
    fieldOf(operation, 'deprecated') === true ? 'Deprecated: the service may take it away.' : undefined;
  const parts = [summary === description ? undefined : summary, description, deprecated, route];
  return parts.filter((part) => part !== undefined).join('\n\n');
}
