/** Texts that nobody means over REST: each place of each route refuses them as bad input, with a key and without one. */
import type { StoreEngine } from '@parley/store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OddTextsBed } from './odd-texts-bed.ts';
import { openOddTexts } from './odd-texts-bed.ts';
import type { ListedTool } from './text-places.ts';
import { textPlaces } from './text-places.ts';

type Schema = ListedTool['inputSchema'];

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

interface OpenApi {
  readonly servers?: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** One request for each place: of the path, of the query, and of the body. */
function placesOf({ paths, components }: OpenApi, base: string): Asked[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [], requestBody }]) => {
      const at = (odd?: string) =>
        base + path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => (name === odd ? 'a%00b' : 'x'));
      const asked = (rest: string, body?: unknown) => ({ method: method.toUpperCase(), path: rest, body });
      const inPath = parameters.filter((each) => each.in === 'path').map(({ name }) => asked(at(name)));
      const inQuery = parameters
        .filter((each) => each.in === 'query')
        .map(({ name }) => asked(`${at()}?${name}=a%00b`));
      const schema = requestBody?.content['application/json']?.schema;
      if (schema === undefined) return [...inPath, ...inQuery];
      const inputSchema = { ...schema, $defs: components.schemas };
      const inBody = ['a\u0000b', 'a\ud83db'].flatMap((text) =>
        textPlaces({ name: path, inputSchema }).map((place) => asked(at(), place.arguments(text))),
      );
      return [...inPath, ...inQuery, ...inBody];
    }),
  );
}

describe.each<StoreEngine>(['sqlite', 'postgres'])('odd texts over REST on %s', (engine) => {
  let bed: OddTextsBed;
  beforeAll(async () => {
    bed = await openOddTexts(engine);
  });
  afterAll(() => bed.close());

  const ask = ({ method, path, body }: Asked, authorization = `Bearer ${bed.key}`) =>
    fetch(bed.url + path, {
      method,
      headers: {
        // Whoever has no key comes with a browser.
        ...(authorization === '' ? { origin: bed.url } : { authorization }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  test('every place of every route refuses them, and says which field it is', async () => {
    const document = (await (await fetch(`${bed.url}/api/openapi.json`)).json()) as OpenApi;
    const places = placesOf(document, document.servers?.[0]?.url ?? '');
    const faults: string[] = [];
    for (const place of places) {
      const answer = await ask(place);
      const said = await answer.text();
      const isWell = [400, 403, 404].includes(answer.status);
      if (!isWell || (answer.status === 400 && !said.includes('must not contain')))
        faults.push(`${answer.status} ${place.method} ${place.path} ${JSON.stringify(place.body)}: ${said}`);
    }
    expect(faults).toEqual([]);
    expect(places.length).toBeGreaterThan(500);
  });

  test.each([
    { method: 'password', email: 'a\u0000@b.cc', password: 'x'.repeat(12) },
    { method: 'link', token: 'a\u0000' },
  ])('a sign-in of $method refuses them', async (body) => {
    const answer = await ask({ method: 'POST', path: '/api/session', body }, '');
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('must not contain')]);
  });

  test.each([
    '/feedback/p/%00',
    '/feedback?status=%00',
    '/api/public/posts?cursor=%00',
    '/oauth/callback?state=%00&code=%00',
    '/join/%00',
  ])('%s is no error of ours without a key', async (path) => {
    const { status } = await ask({ method: 'GET', path }, '');
    expect([400, 403, 404]).toContain(status);
  });

  test('servers to import are refused as a whole', async () => {
    const text = '{"mcpServers":{"a\\u0000":{"url":"https://mcp.example.com/mcp"}}}';
    const answer = await ask({ method: 'POST', path: '/api/connections/import', body: { text } });
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringContaining('must not contain the character U+0000'),
    ]);
  });
});
