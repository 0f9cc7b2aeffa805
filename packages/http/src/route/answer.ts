/** What a route answers with: the status, the shape of the body, and how a result becomes one. */
import type * as z from 'zod';
import type { Download } from '../streams/downloads.ts';
import type { Feed } from '../streams/feed-streams.ts';

/** One page of a list. */
export interface Page<T> {
  readonly items: T[];
  /** Asks for the next page; null on the last one. */
  readonly cursor: string | null;
  readonly hasMore: boolean;
  /** All rows that fit, at this moment. */
  readonly total: number;
}

/** How the data stands in the body. */
export type AnswerKind = 'one' | 'bare' | 'page' | 'whole' | 'none' | 'stream' | 'feed' | 'file' | 'own';

/** The success of a route whose handler gives a `Result`. */
export interface Answer<Result> {
  readonly kind: AnswerKind;
  readonly status: 200 | 201 | 204;
  /** One item of the data, with its name in the OpenAPI document. */
  readonly item: { readonly name: string; readonly shape: z.ZodType } | undefined;
  toBody(result: Result): unknown;
  /** Where something new is found, below the base; undefined when nothing new was made. */
  locationOf(result: Result, params: Readonly<Record<string, string>>): string | undefined;
}

const nowhere = () => undefined;

/** `{data}` with 200. */
export function one<T>(name: string, shape: z.ZodType<T>): Answer<T> {
  return { kind: 'one', status: 200, item: { name, shape }, toBody: dataOf, locationOf: nowhere };
}

/** The result itself with 200, for answers whose form is settled elsewhere. */
export function bare<T>(name: string, shape: z.ZodType<T>): Answer<T> {
  return { ...one(name, shape), kind: 'bare', toBody: (result) => result };
}

/** `{data}` with 201 and a `Location`. */
export function created<T>(
  name: string,
  shape: z.ZodType<T>,
  locationOf: (made: T, params: Readonly<Record<string, string>>) => string,
): Answer<T> {
  return { kind: 'one', status: 201, item: { name, shape }, toBody: dataOf, locationOf };
}

/** A whole list: `{data: [...]}`. */
export function whole<T>(name: string, shape: z.ZodType<T>): Answer<T[]> {
  return { kind: 'whole', status: 200, item: { name, shape }, toBody: dataOf, locationOf: nowhere };
}

/** One page: `{data: [...], pagination, meta: {pagination}}`; clients look for it in either place. */
export function page<T>(name: string, shape: z.ZodType<T>): Answer<Page<T>> {
  return {
    kind: 'page',
    status: 200,
    item: { name, shape },
    toBody: pageBody,
    locationOf: nowhere,
  };
}

export function pageBody({ items, cursor, hasMore, total }: Page<unknown>): unknown {
  const pagination = { cursor, hasMore, total };
  return { data: items, pagination, meta: { pagination } };
}

/** 204 without a body. */
export const nothing: Answer<void> = {
  kind: 'none',
  status: 204,
  item: undefined,
  toBody: () => undefined,
  locationOf: nowhere,
};

/** 200 with server-sent events, until one side ends it; the server keeps it, the handler does nothing. */
export const eventStream: Answer<void> = { ...nothing, kind: 'stream', status: 200 };

/** 200 with server-sent events that have a cursor each; the handler gives the feed, the server keeps it. */
export const feedStream: Answer<Feed> = {
  kind: 'feed',
  status: 200,
  item: undefined,
  toBody: () => undefined,
  locationOf: nowhere,
};

/** 200 with a file that is written while it is read; the handler says how, the server sends it. */
export const download: Answer<Download> = {
  kind: 'file',
  status: 200,
  item: undefined,
  toBody: () => undefined,
  locationOf: nowhere,
};

/** 200 that the handler writes itself, as a stream or a file; before it has begun, it may still refuse. */
export const ownAnswer: Answer<void> = { ...nothing, kind: 'own', status: 200 };

/** True for an answer without an end. */
export function isStream({ kind }: Pick<Answer<never>, 'kind'>): boolean {
  return kind === 'stream' || kind === 'feed' || kind === 'own';
}

/** True for an answer that is made whole before it is sent, so that it can have a tag. */
export function isTagged(answer: Pick<Answer<never>, 'kind'>): boolean {
  return answer.kind !== 'file' && !isStream(answer);
}

/** The body of everything that is not a page; `ETag` and `If-Match` compare exactly this. */
export function dataOf(data: unknown): { data: unknown } {
  return { data };
}
