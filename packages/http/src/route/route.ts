/** One route is one object literal: matching, guarding, answering and both documents follow from it. */
import type { Caller, Effect } from '@parley/kit';
import type * as z from 'zod';
import type { CheckCurrent } from '../respond/etag.ts';
import type { Answer } from './answer.ts';

/** The methods of routes; HEAD is answered as GET. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The names after colons in a path. */
export type ParamsOf<Path extends string> = Path extends `${infer Head}/${infer Rest}`
  ? ParamsOf<Head> & ParamsOf<Rest>
  : Path extends `:${infer Name}`
    ? Readonly<Record<Name, string>>
    : unknown;

/** What every handler is given, besides the scope of its set: everything in it was checked. */
export interface RouteContext<Params = unknown, Query = unknown, Body = unknown> {
  readonly caller: Caller;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Compares what is stored with `If-Match`; undefined when the client sent none. */
  readonly check: CheckCurrent<unknown> | undefined;
}

/** What can be told of a route without its types: enough for guards and documents. */
export interface RouteFacts {
  readonly method: Method;
  /** Below the prefix of its set, e.g. `/posts/:id`. */
  readonly path: string;
  readonly summary: string;
  readonly who: 'team' | 'admin';
  /** The tools, resources or rights of the toolset that this route stands for; one of them until the body is known. */
  readonly grants: readonly string[];
  /** The worst that it can do, as for tools. */
  readonly effect: Effect;
  readonly query: z.ZodType | undefined;
  readonly body: z.ZodType | undefined;
  /** True for an answer with a secret that is shown once. */
  readonly hasSecret: boolean;
  readonly answer: Answer<unknown>;
}

/** A route as its author writes it. */
export interface RouteDefinition<Scope, Path extends string, Query, Body, Result> extends Pick<
  RouteFacts,
  'method' | 'summary' | 'who' | 'grants'
> {
  readonly path: Path;
  /** By default what the method says: GET reads, POST creates, PUT and PATCH update, DELETE deletes. */
  readonly effect?: Effect;
  /** Which of the grants a body needs; all of them by default. */
  readonly grantsOf?: (body: Body) => readonly string[];
  /** Values are strings as they come; fields turn them into what the handler wants. */
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  readonly hasSecret?: boolean;
  readonly answer: Answer<Result>;
  readonly run: (context: RouteContext<ParamsOf<Path>, Query, Body> & Scope) => Promise<Result>;
}

/** A route in the table, its types forgotten. */
export interface Route<Scope> extends RouteFacts {
  readonly grantsOf: (body: unknown) => readonly string[];
  readonly run: (context: RouteContext & Scope) => Promise<unknown>;
}

const EFFECT_OF: Readonly<Record<Method, Effect>> = {
  GET: 'read',
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
};

/**
 * Defines routes whose handlers get a scope of the given type besides what was asked.
 *
 * @example
 * const defineRoute = defineRouteFor<{ services: BoardServices }>();
 */
export function defineRouteFor<Scope>() {
  return <const Path extends string, Query = undefined, Body = undefined, Result = void>(
    route: RouteDefinition<Scope, Path, Query, Body, Result>,
  ): Route<Scope> => {
    const { method, grants, grantsOf = () => grants, query, body, hasSecret = false } = route;
    const { effect = EFFECT_OF[method] } = route;
    if (method === 'GET' && effect !== 'read')
      throw new Error(`GET ${route.path} must only read. Give it another method, or the effect read.`);
    // The pipeline parses query and body with these very schemas, so the handler gets what it asked for.
    return { ...route, effect, grantsOf, query, body, hasSecret } as unknown as Route<Scope>;
  };
}
