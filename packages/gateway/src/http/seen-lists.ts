/** What one listener saw of each list last, so that only a list that is another to its caller is told. */
import type { Caller, Change, Engine, ListName } from '@parley/kit';

/** The kinds of changes that are about lists. */
export type ListKind = Exclude<Change['kind'], 'resource'>;

const LISTS: Readonly<Record<ListKind, readonly ListName[]>> = {
  tools: ['tools'],
  prompts: ['prompts'],
  // Clients know one notice for all of these.
  resources: ['resources', 'templates', 'skills'],
};

export class SeenLists {
  readonly #engine: Engine;
  readonly #digests: Record<ListKind, string>;

  /** What the caller sees from now on; it has to be loaded. */
  constructor(engine: Engine, caller: Caller) {
    this.#engine = engine;
    this.#digests = {
      tools: this.#digest('tools', caller),
      prompts: this.#digest('prompts', caller),
      resources: this.#digest('resources', caller),
    };
  }

  /** True when a list is another than the last time. */
  async isAnother(kind: ListKind, caller: Caller): Promise<boolean> {
    await this.#engine.ready(caller);
    const now = this.#digest(kind, caller);
    if (now === this.#digests[kind]) return false;
    this.#digests[kind] = now;
    return true;
  }

  #digest(kind: ListKind, caller: Caller): string {
    const view = this.#engine.view(caller);
    return LISTS[kind].map((list) => view.digest(list, caller)).join(' ');
  }
}
