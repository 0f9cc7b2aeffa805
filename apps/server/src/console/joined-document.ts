/** One OpenAPI document about everything below `/api`: those of all sets, their names told apart. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OpenApiDocument, RouteSet } from '@parley/http';
import { tagged, writeAnswer } from '@parley/http/pages';
import { VERSION } from '../version.ts';
import { API_PREFIX } from './index.ts';

type Json = Record<string, unknown>;

const PATH = `${API_PREFIX}/openapi.json`;
const SCHEMAS = '#/components/schemas/';

/** Joins the documents of the sets below the prefix. */
export async function joinedDocument(sets: readonly RouteSet[]): Promise<OpenApiDocument> {
  const below = sets.filter(({ prefix }) => prefix === API_PREFIX || prefix.startsWith(`${API_PREFIX}/`));
  const paths: Json = {};
  const schemas: Json = {};
  const tags = new Set<string>();
  const rest: Json = {};
  for (const set of below) {
    const given = await set.openApi?.();
    if (given === undefined) continue;
    const document = toldApart(given, set, schemas);
    const components = partOf(document, 'components');
    Object.assign(rest, components);
    Object.assign(schemas, components['schemas']);
    for (const [path, item] of Object.entries(partOf(document, 'paths'))) {
      const full = `${set.prefix}${path === '/' ? '' : path}`.slice(API_PREFIX.length) || '/';
      paths[full] = tagsOf(item, nounOf(full), set);
      tags.add(nounOf(full));
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley API',
      version: VERSION,
      description: 'Everything that Parley serves over HTTP besides MCP and pages.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: API_PREFIX }],
    security: [{ key: [] }],
    tags: [...tags].map((name) => ({ name })),
    paths,
    components: { ...rest, schemas },
  };
}

/** The document with other names for the schemas that another set has otherwise under the same. */
function toldApart(document: OpenApiDocument, { prefix }: RouteSet, known: Json): Json {
  const own = partOf(partOf(document, 'components'), 'schemas');
  const taken = Object.keys(own).filter(
    (name) => name in known && JSON.stringify(known[name]) !== JSON.stringify(own[name]),
  );
  if (taken.length === 0) return { ...document };
  const word = capital(prefix.split('/').at(-1)?.replaceAll(/\W/g, '') ?? '');
  let text = JSON.stringify(document);
  for (const name of taken) text = text.replaceAll(`"${SCHEMAS}${name}"`, `"${SCHEMAS}${word}${name}"`);
  const renamed = JSON.parse(text) as Json; // what was written a moment ago
  const schemas = partOf(partOf(renamed, 'components'), 'schemas');
  const entries = Object.entries(schemas).map(([name, schema]) => {
    return [taken.includes(name) ? word + name : name, schema] as const;
  });
  return {
    ...renamed,
    components: { ...partOf(renamed, 'components'), schemas: Object.fromEntries(entries) },
  };
}

/** The operations of a path, under its noun, with ids that no other set has. */
function tagsOf(item: unknown, tag: string, { prefix }: RouteSet): Json {
  const word = prefix
    .slice(API_PREFIX.length)
    .replaceAll(/\W(\w?)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(
    // Operations by method, as our own sets write them.
    Object.entries(item as Json).map(([method, operation]) => {
      const { operationId, ...given } = operation as Json; // as our own sets write them
      return [
        method,
        { operationId: `${String(operationId)}${word === '' ? '' : `In${word}`}`, ...given, tags: [tag] },
      ];
    }),
  );
}

function nounOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function partOf(document: Readonly<Json>, name: string): Json {
  return (document[name] ?? {}) as Json; // objects in every document of ours
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

let written: string | undefined;

/** Answers a request for the document, which is the same for everybody; false for any other. */
export async function serveDocument(
  req: IncomingMessage,
  res: ServerResponse,
  document: () => Promise<OpenApiDocument>,
  isWelcome: (req: IncomingMessage) => boolean,
): Promise<boolean> {
  const isRead = req.method === 'GET' || req.method === 'HEAD';
  if (!isRead || req.url?.split('?', 1)[0] !== PATH || !isWelcome(req)) return false;
  written ??= JSON.stringify(await document());
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'public, no-cache' };
  writeAnswer(req, res, tagged(req, { status: 200, headers, body: written }));
  return true;
}
