/** What boards, statuses, tags and roadmaps have in common: how one is found, made, and changed after a check. */
import type { Queryable, Rows, RowValues, ScopedRows } from '@parley/store';
import type { Actor } from '../../actor.ts';
import { conflict, notFound, orConflict } from '../../faults.ts';
import type { Noun } from '../names.ts';
import { idOf } from '../names.ts';
import type { CheckCurrent } from '../posts/posts.ts';
import type { SlugForm } from '../slugs.ts';
import { insertWithSlug, slugTaken } from '../slugs.ts';
import type { Base, Change, Noun as ChangedList } from '../write.ts';
import { change } from '../write.ts';

/** Whose rows are meant. */
export interface NounScope {
  readonly organizationId: string;
}

interface Named {
  readonly id: string;
  readonly name: string;
  readonly slug?: string;
}

type Columns = Readonly<Record<string, unknown>>;

/** What makes one noun different from the others. */
export interface NounSpec<T> {
  readonly noun: Noun;
  /** How people read it, e.g. `Board`. */
  readonly title: string;
  readonly rows: Rows<T, NounScope>;
  /** Absent: the name itself must be free. */
  readonly slug?: SlugForm;
  /** Lists that readers should read again after a change. */
  readonly touches: readonly ChangedList[];
  /** Makes changes take turns; by default the row is held. */
  hold?(current: Change): Promise<void>;
}

/** The rows of one noun, with the rules that all nouns share. */
export class NounTable<T extends Named> {
  readonly #base: Base;
  readonly #spec: NounSpec<T>;

  constructor(base: Base, spec: NounSpec<T>) {
    this.#base = base;
    this.#spec = spec;
  }

  in(from: Queryable, scope: NounScope): ScopedRows<T> {
    return this.#spec.rows.in(from, scope);
  }

  list(actor: Actor): Promise<T[]> {
    return this.in(this.#base.store, actor).all();
  }

  /** The id behind an id, a slug or a name. */
  idOf(actor: Actor, text: string): Promise<string> {
    return idOf(this.#base.store, actor, this.#spec.noun, text);
  }

  async get(actor: Actor, text: string): Promise<T> {
    return this.require(this.#base.store, actor, await this.idOf(actor, text));
  }

  async require(from: Queryable, scope: NounScope, id: string): Promise<T> {
    const found = await this.in(from, scope).get(id);
    if (found === undefined) throw notFound(this.#spec.title);
    return found;
  }

  /** Keeps others from changing one, and looks at it after that. */
  async hold(current: Change, id: string): Promise<T> {
    const { rows, hold } = this.#spec;
    await (hold === undefined ? rows.hold(current.tx, current.actor, id) : hold(current));
    return this.require(current.tx, current.actor, id);
  }

  /** Makes one, with the slug that was given or the first free one that its name makes. */
  create(
    actor: Actor,
    given: string | undefined,
    build: (current: Change) => Promise<RowValues<T> & Pick<Named, 'id' | 'name'>>,
    columns?: (name: string) => Columns,
  ): Promise<T> {
    const { slug: form, hold } = this.#spec;
    return change(this.#base, actor, async (current) => {
      await hold?.(current);
      const values = await build(current);
      const rows = this.in(current.tx, actor);
      const insert = (more: object) => rows.insert({ ...values, ...more }, columns?.(values.name));
      if (form !== undefined)
        await insertWithSlug({
          form,
          name: values.name,
          given,
          taken: (beginning) => slugsLike(rows, beginning),
          insert: (slug) => insert({ slug }),
        });
      else if (!(await insert({}))) throw conflict(this.#taken(values));
      await this.touch(current);
      return this.require(current.tx, actor, values.id);
    });
  }

  /** Changes one that is there; `check` sees it before, and `patch` tells what is written. */
  async update(
    actor: Actor,
    text: string,
    check: CheckCurrent<T> | undefined,
    patch: (before: T, current: Change) => Promise<RowValues<T>> | RowValues<T>,
    columns?: (name: string) => Columns,
  ): Promise<T> {
    const id = await this.idOf(actor, text);
    return change(this.#base, actor, async (current) => {
      const before = await this.hold(current, id);
      check?.(before);
      const values = await patch(before, current);
      const shown = { ...before, ...values };
      await this.in(current.tx, actor)
        .update(id, values, columns?.(shown.name))
        .catch(orConflict(this.#taken(values)));
      await this.touch(current);
      return this.require(current.tx, actor, id);
    });
  }

  async touch(current: Change): Promise<void> {
    for (const list of this.#spec.touches) await current.touch(list);
  }

  #taken({ slug, name }: { readonly slug?: string | undefined; readonly name?: string | undefined }): string {
    const { noun, slug: form } = this.#spec;
    return form === undefined
      ? `A ${noun} with the name "${name}" exists already`
      : slugTaken(noun, slug ?? '');
  }
}

const MANY = 100_000;

async function slugsLike(rows: ScopedRows<Named>, beginning: string): Promise<string[]> {
  const where = { field: ['slug'], operator: 'like' as const, value: `${beginning}%` };
  const { items } = await rows.list({ where, limit: MANY, offset: 0 });
  return items.map(({ slug = '' }) => slug);
}

const LAST_POSITION = 2 ** 31 - 1;

/** The position after the last one. */
export async function nextPosition<T extends { readonly position: number }>(
  rows: ScopedRows<T>,
  among?: { readonly field: string; readonly value: string },
): Promise<number> {
  const where = among && { field: [among.field], operator: 'eq' as const, value: among.value };
  const orderBy = [{ field: ['position'], direction: 'desc' as const }];
  const { items } = await rows.list({ where, orderBy, limit: 1, offset: 0 });
  return Math.min((items[0]?.position ?? -1) + 1, LAST_POSITION);
}
