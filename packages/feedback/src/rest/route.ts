/** One route is one object literal: matching, guarding, answering and both documents follow from it. */
import type { Caller } from '@parley/kit';
import type * as z from 'zod';
import type { Actor } from '../actor.ts';
import type { FeedbackServices } from '../services/index.ts';
import type { CheckCurrent } from '../services/posts/posts.ts';
import type { Answer } from './answer.ts';

/** The methods of routes; HEAD is answered as GET. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The names after colons in a path. */
export type ParamsOf<Path extends string> = Path extends `${infer Head}/${infer Rest}`
  ? ParamsOf<Head> & ParamsOf<Rest>
  : Path extends `:${infer Name}`
    ? Readonly<Record<Name, string>>
    : unknown;

/** What a handler is given: everything in it was checked. */
export interface RouteContext<Params = unknown, Query = unknown, Body = unknown> {
  readonly services: FeedbackServices;
  readonly caller: Caller;
  readonly actor: Actor;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Compares what is stored with `If-Match`; undefined when the client sent none. */
  readonly check: CheckCurrent<unknown> | undefined;
}

/** A route as its author writes it. */
export interface RouteDefinition<Path extends string, Query, Body, Result> {
  readonly method: Method;
  /** Below `/api/v1`, e.g. `/posts/:id`. */
  readonly path: Path;
  readonly summary: string;
  readonly who: 'team' | 'admin';
  /** The tools of the toolset `feedback` whose grants this route needs; one of them until the body is known. */
  readonly grants: readonly string[];
  /** Which of the grants a body needs; all of them unless told. */
  readonly grantsOf?: (body: Body) => readonly string[];
  /** Values are strings as they come; fields turn them into what the handler wants. */
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  /** True for an answer with a secret that is shown once. */
  readonly hasSecret?: boolean;
  readonly answer: Answer<Result>;
  readonly run: (context: RouteContext<ParamsOf<Path>, Query, Body>) => Promise<Result>;
}

/** A route in the table, its types forgotten. */
export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
  readonly who: 'team' | 'admin';
  readonly grants: readonly string[];
  readonly grantsOf: (body: unknown) => readonly string[];
  readonly query: z.ZodType | undefined;
  readonly body: z.ZodType | undefined;
  readonly hasSecret: boolean;
  readonly answer: Answer<unknown>;
  readonly run: (context: RouteContext) => Promise<unknown>;
}

/** Takes one literal and checks its types against each other. */
export function defineRoute<const Path extends string, Query = undefined, Body = undefined, Result = void>(
  route: RouteDefinition<Path, Query, Body, Result>,
): Route {
  const { grants, grantsOf = () => grants, query, body, hasSecret = false } = route;
  // The pipeline parses query and body with these very schemas, so the handler gets what it asked for.
  return { ...route, grantsOf, query, body, hasSecret } as unknown as Route;
}
