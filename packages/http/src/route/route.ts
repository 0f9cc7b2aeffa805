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

/**
 * Who may come at all: the team, with a key or a browser; its administrators; `person`, who is signed in with a
 * browser and needs no grant for what is their own; `anybody`, before they have said who they are.
 */
export type Who = 'team' | 'admin' | 'person' | 'anybody';

/** What can be told of a route without its types: enough for guards and documents. */
export interface RouteFacts {
  readonly method: Method;
  /** Below the prefix of its set, e.g. `/posts/:id`. */
  readonly path: string;
  readonly summary: string;
  readonly who: Who;
  /**
   * The tools, resources or rights of the toolset that this route stands for; one of them until the body is known. What
   * belongs to another toolset has its name before it, like `tasks:get_task`.
   */
  readonly grants: readonly string[];
  /** The worst that it can do, as for tools. */
  readonly effect: Effect;
  readonly query: z.ZodType | undefined;
  readonly body: z.ZodType | undefined;
  /** True for an answer with a secret that is shown once. */
  readonly hasSecret: boolean;
  /**
   * Whether a POST with an `Idempotency-Key` happens once, for which a hash of its body and its answer are kept. Never
   * for `anybody`, who would all share one place, and not where a body or an answer lets somebody in.
   */
  readonly isRepeatable: boolean;
  /** True for what somebody in a browser may do only when they showed a moment ago who they are. */
  readonly isSensitive: boolean;
  /** True when a success leaves no record: it is about the person alone, or what it does has records of its own. */
  readonly isQuiet: boolean;
  readonly answer: Answer<unknown>;
}

/** A route as its author writes it. */
export interface RouteDefinition<Scope, Path extends string, Query, Body, Result> extends Pick<
  RouteFacts,
  'method' | 'summary' | 'who'
> {
  readonly path: Path;
  /** None for `person` and `anybody`. */
  readonly grants?: readonly string[];
  /** By default what the method says: GET reads, POST creates, PUT and PATCH update, DELETE deletes. */
  readonly effect?: Effect;
  /** Which of the grants a body needs; all of them by default. */
  readonly grantsOf?: (body: Body) => readonly string[];
  /** Values are strings as they come; fields turn them into what the handler wants. */
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  readonly hasSecret?: boolean;
  /** By default every POST but those for `anybody`. */
  readonly isRepeatable?: boolean;
  readonly isSensitive?: boolean;
  readonly isQuiet?: boolean;
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
    const { method, who, grants = [], grantsOf = () => grants, query, body, hasSecret = false } = route;
    const { effect = EFFECT_OF[method], isSensitive = false, isQuiet = false } = route;
    if ((grants.length === 0) !== (who === 'person' || who === 'anybody'))
      throw new Error(`${method} ${route.path}: name grants, or say that it is for a person or anybody.`);
    const isOpen = who === 'anybody';
    const { isRepeatable = method === 'POST' && !isOpen } = route;
    if (isRepeatable && (method !== 'POST' || isOpen))
      throw new Error(
        `${method} ${route.path} cannot take an Idempotency-Key: only a POST of a known caller can.`,
      );
    if (method === 'GET' && effect !== 'read')
      throw new Error(`GET ${route.path} must only read. Give it another method, or the effect read.`);
    const facts = { effect, grants, grantsOf, query, body, hasSecret, isRepeatable, isSensitive, isQuiet };
    // The pipeline parses query and body with these very schemas, so the handler gets what it asked for.
    return { ...route, ...facts } as unknown as Route<Scope>;
  };
}
