/** A collection: entities of one kind that are listed, read, made, changed and deleted in one way, whatever they are. */
import type { Caller } from '../access/caller.ts';
import type { ListQuery } from './collection-query.ts';

/**
 * What a field holds; a `time` is an ISO text, `json` an object whose inside can be asked too, `many` several texts of
 * which one is asked for.
 */
export type CollectionFieldKind = 'text' | 'number' | 'boolean' | 'time' | 'json' | 'many';

/** The fields that a list can be filtered and ordered by; a secret one counts as unknown. */
export type CollectionFields = Readonly<
  Record<string, { readonly kind: CollectionFieldKind; readonly secret?: boolean }>
>;

/** One page of a list. */
export interface CollectionPage<T> {
  readonly items: readonly T[];
  /** How many fit in all. */
  readonly totalCount: number;
}

/** The entities of one kind. A caller sees their own scope only: a foreign id is an unknown id. */
export interface Collection<T, Create = Partial<T>, Update = Partial<T>> {
  readonly fields: CollectionFields;
  /** Gets a query that is checked against `fields`. */
  list(caller: Caller, query: ListQuery): Promise<CollectionPage<T>>;
  get(caller: Caller, id: string): Promise<T | undefined>;
  create(caller: Caller, data: Create): Promise<T>;
  /** An absent field stays as it is, null clears it; undefined when there is no such entity. */
  update(caller: Caller, id: string, data: Update): Promise<T | undefined>;
  /** The entity as it was; undefined when there was none. */
  delete(caller: Caller, id: string): Promise<T | undefined>;
}
