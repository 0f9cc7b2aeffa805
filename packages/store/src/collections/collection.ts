/** A collection: the rows of one table as entities, found, counted, paged and changed within a scope. */
import { sql } from 'kysely';
import type { Kysely, RawBuilder, SelectQueryBuilder } from 'kysely';
import type { AnyTables } from '../engine.ts';
import type { Queryable, StoreTransaction } from '../store.ts';
import { clueOf } from './clues.ts';
import { filterDialect } from './dialect.ts';
import type { FieldSpec, FieldSpecs, ManySpec } from './fields.ts';
import { fromColumn, toColumn } from './fields.ts';
import { expressionOf, orderSql, whereSql } from './filter.ts';
import type { ListPage, ListQuery, OrderBy, Where } from './query.ts';
import { besideSearch, searchCondition } from './search-index.ts';

/** The literal `defineRows` takes. */
export interface RowsSpec<T, Scope> {
  readonly table: string;
  /** The columns that bind every query to an organization, or to a person of it. */
  readonly scope: { readonly [Name in keyof Scope]-?: string };
  readonly fields: FieldSpecs<T>;
  /** Fields with several values, which can be asked for but are not in the entity. */
  readonly many?: Readonly<Record<string, ManySpec>>;
  /** Rows that are there at all, such as those that are not deleted; the row has the name `item`. */
  readonly only?: RawBuilder<boolean>;
  /** The order of a list that names none, by fields or by what is worked out of the row; the id breaks ties. */
  readonly order: readonly (OrderBy | RawBuilder<unknown>)[];
  /** The columns of the key that makes an insert give way; any key by default. */
  readonly unique?: readonly string[];
}

/** What is written into a row; absent fields are left alone. */
export type RowValues<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

/** The rows within a scope. Another scope's rows are as unknown here as rows that do not exist. */
export interface ScopedRows<T> {
  list(query: ListQuery): Promise<ListPage<T>>;
  /** Every row, in the order of the collection. */
  all(): Promise<T[]>;
  get(id: string): Promise<T | undefined>;
  /** False when a row with the same unique key exists. Columns are what no field shows. */
  insert(values: RowValues<T>, columns?: Readonly<Record<string, unknown>>): Promise<boolean>;
  /** Absent values stay as they are. False when there is no such row. */
  update(id: string, values: RowValues<T>, columns?: Readonly<Record<string, unknown>>): Promise<boolean>;
  /** False when there is no such row. */
  delete(id: string): Promise<boolean>;
}

/** The rows of a table; nothing can be asked of them without a scope. */
export interface Rows<T, Scope> {
  readonly fields: FieldSpecs<T>;
  in(from: Queryable, scope: Scope): ScopedRows<T>;
  /** Keeps others from changing a row until the transaction ends. */
  hold(tx: StoreTransaction, scope: Scope, id: string): Promise<void>;
}

/**
 * Defines the rows of a table as entities.
 *
 * @example
 * const TAGS = defineRows<Tag, { organizationId: string }>({
 *   table: 'tags', scope: { organizationId: 'organization_id' }, order: [{ field: ['title'] }],
 *   fields: { id: { kind: 'text' }, title: { kind: 'text' }, created_at: { kind: 'time' } },
 * });
 * const tags = await TAGS.in(store, caller).all();
 */
export function defineRows<T extends { id: string }, Scope>(spec: RowsSpec<T, Scope>): Rows<T, Scope> {
  return {
    fields: spec.fields,
    in: (from, scope) => new BoundRows(spec, from, boundColumns(spec, scope)),
    async hold(tx, scope, id) {
      const rows = new BoundRows(spec, tx, boundColumns(spec, scope));
      await tx.hold(rows.selectFor(id));
    },
  };
}

type Selected = SelectQueryBuilder<AnyTables, 'item', object>;

interface Page extends Pick<ListQuery, 'limit' | 'offset'> {
  readonly order: readonly (OrderBy | RawBuilder<unknown>)[];
}

async function countOf(matching: Selected): Promise<number> {
  const { total } = await matching
    .select((count) => count.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

type Bound = readonly (readonly [column: string, value: string])[];

function boundColumns<T, Scope>({ table, scope }: RowsSpec<T, Scope>, given: Scope): Bound {
  return Object.entries<string>(scope).map(([name, column]) => {
    // The keys of the specification are those of the scope.
    const value = given[name as keyof Scope];
    if (typeof value !== 'string' || value === '')
      throw new TypeError(`"${table}" is asked without its ${name}.`);
    return [column, value];
  });
}

class BoundRows<T extends { id: string }, Scope> implements ScopedRows<T> {
  readonly #spec: RowsSpec<T, Scope>;
  readonly #from: Queryable;
  readonly #bound: Bound;
  readonly #fields: readonly [string, FieldSpec][];

  constructor(spec: RowsSpec<T, Scope>, from: Queryable, bound: Bound) {
    this.#spec = spec;
    this.#from = from;
    this.#bound = bound;
    this.#fields = Object.entries<FieldSpec>(spec.fields);
  }

  async list({ where, orderBy, limit, offset }: ListQuery): Promise<ListPage<T>> {
    const order = orderBy === undefined || orderBy.length === 0 ? this.#spec.order : orderBy;
    const fits = where && whereSql(this.#target(), where);
    const named = where && (await this.#named(where));
    const page = { order, limit, offset };
    if (fits && named) return this.#searchedPage(fits, named, page);
    return this.#page(fits === undefined ? this.#rows() : this.#rows().where(fits), page);
  }

  async all(): Promise<T[]> {
    const rows = await this.#shown(this.#rows(), this.#spec.order).execute();
    return rows.map((row) => this.#toEntity(row));
  }

  async get(id: string): Promise<T | undefined> {
    const row = await this.#shown(this.#rows().where('item.id', '=', id), []).executeTakeFirst();
    return row === undefined ? undefined : this.#toEntity(row);
  }

  async insert(values: RowValues<T>, columns: Readonly<Record<string, unknown>> = {}): Promise<boolean> {
    const { table, unique } = this.#spec;
    const { numInsertedOrUpdatedRows } = await this.#db()
      .insertInto(table)
      .values({ ...this.#toColumns(values), ...columns, ...Object.fromEntries(this.#bound) })
      .onConflict((conflict) => (unique === undefined ? conflict : conflict.columns(unique)).doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n;
  }

  async update(
    id: string,
    values: RowValues<T>,
    columns: Readonly<Record<string, unknown>> = {},
  ): Promise<boolean> {
    const changes = { ...this.#toColumns(values), ...columns };
    if (Object.keys(changes).length === 0) return (await this.get(id)) !== undefined;
    const { numUpdatedRows } = await this.#db()
      .updateTable(this.#spec.table)
      .set(changes)
      .where('id', 'in', this.selectFor(id))
      .where((row) => row.and(Object.fromEntries(this.#bound)))
      .executeTakeFirstOrThrow();
    return numUpdatedRows === 1n;
  }

  async delete(id: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db()
      .deleteFrom(this.#spec.table)
      .where('id', 'in', this.selectFor(id))
      .where((row) => row.and(Object.fromEntries(this.#bound)))
      .executeTakeFirstOrThrow();
    return numDeletedRows === 1n;
  }

  /** The id of a row that is there, as a query. */
  selectFor(id: string) {
    return this.#rows().select('item.id').where('item.id', '=', id);
  }

  #db(): Kysely<AnyTables> {
    return this.#from.db();
  }

  #target() {
    const { fields, many = {} } = this.#spec;
    return { dialect: filterDialect(this.#from.engine), fields, many };
  }

  async #page(matching: Selected, { order, limit, offset }: Page): Promise<ListPage<T>> {
    const rows = await this.#shown(matching, order).limit(limit).offset(offset).execute();
    const items = rows.map((row) => this.#toEntity(row));
    // A page with room left is the last one: nothing comes after it that would have to be counted.
    const isLast = rows.length < limit && (rows.length > 0 || offset === 0);
    return { items, totalCount: isLast ? offset + rows.length : await countOf(matching) };
  }

  /** The condition that a search index names a row, where that is worth it. */
  async #named(where: Where): Promise<RawBuilder<boolean> | undefined> {
    const { table, fields } = this.#spec;
    const clue = clueOf(fields, where);
    return clue && searchCondition(this.#from, { table, clue, scope: this.#scoped() });
  }

  /** A page of the rows that a search index names and that fit: to be put in order all are looked at, so they are counted at once. */
  async #searchedPage(
    fits: RawBuilder<boolean>,
    named: RawBuilder<boolean>,
    { order, limit, offset }: Page,
  ): Promise<ListPage<T>> {
    const fitting = this.#there(this.#scoped((column) => besideSearch(this.#from.engine, column))).where(
      fits,
    );
    const found = await fitting
      .where(named)
      .select(['item.id', sql<number>`count(*) over ()`.as('total')])
      .orderBy(orderSql(this.#target(), order))
      .limit(limit)
      .offset(offset)
      .execute();
    const [first] = found;
    if (first === undefined)
      return { items: [], totalCount: offset === 0 ? 0 : await countOf(fitting.where(named)) };
    const ids = found.map(({ id }) => id);
    const rows = await this.#shown(fitting.where('item.id', 'in', ids), order).execute();
    return { items: rows.map((row) => this.#toEntity(row)), totalCount: first.total };
  }

  #rows(): Selected {
    return this.#there(this.#scoped());
  }

  #scoped(written: (column: RawBuilder<unknown>) => RawBuilder<unknown> = (column) => column): Selected {
    let rows: Selected = this.#db().selectFrom(`${this.#spec.table} as item`);
    for (const [column, value] of this.#bound)
      rows = rows.where(written(sql`${sql.ref(`item.${column}`)}`), '=', value);
    return rows;
  }

  #there(rows: Selected): Selected {
    const { only } = this.#spec;
    return only === undefined ? rows : rows.where(only);
  }

  #shown(rows: Selected, order: RowsSpec<T, Scope>['order']) {
    return rows
      .select(this.#fields.map(([name, spec]) => expressionOf(name, spec).as(name)))
      .orderBy(orderSql(this.#target(), order));
  }

  #toEntity(row: Readonly<Record<string, unknown>>): T {
    // Every field of the entity is in the specification.
    return Object.fromEntries(this.#fields.map(([name, spec]) => [name, fromColumn(spec, row[name])])) as T;
  }

  #toColumns(values: RowValues<T>): Record<string, unknown> {
    const given = Object.entries(values).filter(([, value]) => value !== undefined);
    return Object.fromEntries(
      given.map(([name, value]) => {
        const spec = this.#fields.find(([field]) => field === name)?.[1];
        if (spec === undefined || spec.expression !== undefined)
          throw new TypeError(`"${name}" is not a field of "${this.#spec.table}" that can be written.`);
        return [spec.column ?? name, toColumn(spec, value)];
      }),
    );
  }
}
