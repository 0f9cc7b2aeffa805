/** Owns requests by the name of their route: what they take and give is what the OpenAPI document says. */
import type { Query, QueryValue } from './client.ts';
import { dataOf, readBody, send } from './client.ts';
import type { paths } from './schema.ts';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** A route by its method and path, e.g. `GET /api/tasks/{id}`. */
export type RouteName = {
  [Path in keyof paths]: {
    [M in Method]: paths[Path][M] extends object ? `${Uppercase<M>} /api${Path}` : never;
  }[Method];
}[keyof paths];

/** What the document says about a route. */
type Operation<Route extends RouteName> = Route extends `${infer M} /api${infer Path extends keyof paths}`
  ? paths[Path][Lowercase<M> & Method]
  : never;

type ContentOf<Route extends RouteName> =
  Operation<Route> extends { readonly responses: infer Responses }
    ? Responses[keyof Responses] extends { content?: infer Content }
      ? Content
      : never
    : never;

/** The whole answer of a route: nothing where it gives none, and never for streams and files, which `send` reads. */
export type WholeOf<Route extends RouteName> =
  ContentOf<Route> extends { readonly 'application/json': infer Whole }
    ? Whole
    : ContentOf<Route> extends undefined
      ? void
      : never;

/** What an answer is about. */
export type DataOf<Route extends RouteName> =
  WholeOf<Route> extends { readonly data: infer Data } ? Data : WholeOf<Route>;

/** What a route takes in its body. */
export type BodyOf<Route extends RouteName> =
  Operation<Route> extends {
    readonly requestBody?: { readonly content: { readonly 'application/json': infer Body } };
  }
    ? Body
    : never;

/** What a route takes in its query, by name; a value may come from the address of a page, and the server says whether it takes it. */
export type QueryOf<Route extends RouteName> =
  Operation<Route> extends { readonly parameters: { readonly query?: infer Values } }
    ? { [Name in keyof NonNullable<Values>]: QueryValue }
    : never;

type PathOf<Route extends RouteName> =
  Operation<Route> extends { readonly parameters: { readonly path: infer Values } } ? Values : never;

type Nothing = Record<never, never>;

/** A part of a request: forbidden where the route has none, free where nothing in it is required. */
type Given<Name extends string, Values> = [Values] extends [never]
  ? { readonly [N in Name]?: never }
  : Nothing extends Values
    ? { readonly [N in Name]?: Values }
    : { readonly [N in Name]: Values };

type Request<Route extends RouteName> = Given<'path', PathOf<Route>> &
  Given<'query', QueryOf<Route>> &
  Given<'body', BodyOf<Route>> & { readonly signal?: AbortSignal };

/** Nothing has to be given to a route without a required part. */
type Args<Route extends RouteName> =
  Nothing extends Request<Route> ? [given?: Request<Route>] : [given: Request<Route>];

interface Parts {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Query;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/**
 * Sends a request and gives `data` of the answer; a refusal is thrown as `ApiError`.
 *
 *     const task = await request('GET /api/tasks/{id}', { path: { id }, signal });
 */
export async function request<Route extends RouteName>(
  route: Route,
  ...[given]: Args<Route>
): Promise<DataOf<Route>> {
  return dataOf(await answerOf(route, given as Parts | undefined)); // The document has no other parts
}

/** The same with the whole answer: of a list that comes in pages, also where it stands. */
export async function requestWhole<Route extends RouteName>(
  route: Route,
  ...[given]: Args<Route>
): Promise<WholeOf<Route>> {
  return readBody(await answerOf(route, given as Parts | undefined)); // The document has no other parts
}

function answerOf(route: RouteName, { path = {}, query, body, signal }: Parts = {}): Promise<Response> {
  const [method = '', pattern = ''] = route.split(' ');
  const address = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
  const hasBody = method !== 'GET' && method !== 'DELETE';
  return send(method, address, hasBody ? (body ?? {}) : body, { query, signal });
}
