/** What a collection can be asked, and the shape of its answer. */

/** One comparison of a field, or of a value inside a JSON field, with a value. */
export interface Comparison {
  readonly field: readonly string[];
  readonly operator: 'eq' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'like' | 'contains';
  readonly value: unknown;
}

/** Conditions taken together; `not` negates all of them at once. */
export interface Group {
  readonly operator: 'and' | 'or' | 'not';
  readonly conditions: readonly Where[];
}

/** A filter. */
export type Where = Comparison | Group;

/** One key of an order; nulls are last by default. */
export interface OrderBy {
  readonly field: readonly string[];
  readonly direction?: 'asc' | 'desc' | undefined;
  readonly nulls?: 'first' | 'last' | undefined;
}

/** A page of a list. */
export interface ListQuery {
  readonly where?: Where | undefined;
  readonly orderBy?: readonly OrderBy[] | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** The items of a page, and how many there are in all. */
export interface ListPage<T> {
  readonly items: T[];
  readonly totalCount: number;
}
