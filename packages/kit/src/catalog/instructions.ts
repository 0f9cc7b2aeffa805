/** What a client is told when it connects: the instructions of the toolsets whose tools it has. */
import type { Caller } from '../access/caller.ts';
import type { Guarded } from '../access/resolver.ts';
import type { ListedCatalog } from './listing.ts';

/** The instructions of a view, made once; only what may come and go is asked for again. */
export class Instructions {
  readonly #parts: readonly Part[];
  /** The whole text, where nothing in it can come and go. */
  readonly #fixed: { readonly text: string | undefined } | undefined;

  /** `has` tells what the grants of the view allow; `canChange` tells what else decides about it. */
  constructor(
    catalog: Pick<ListedCatalog, 'tools' | 'toolsets'>,
    has: (tool: Guarded) => boolean,
    canChange: (tool: Guarded) => boolean,
  ) {
    this.#parts = partsOf(catalog).filter(({ named }) => named.every(has));
    const isFixed = !this.#parts.some(({ named }) => named.some(canChange));
    this.#fixed = isFixed ? { text: joined(this.#parts) } : undefined;
  }

  /** The text for a caller of the view. */
  textFor(caller: Caller, isThere: (tool: Guarded, caller: Caller) => boolean): string | undefined {
    if (this.#fixed !== undefined) return this.#fixed.text;
    return joined(this.#parts.filter(({ named }) => named.every((tool) => isThere(tool, caller))));
  }
}

interface Part {
  readonly text: string;
  /** The tools that it names. What only a grant by name gives is not among them: the text says itself who has it. */
  readonly named: readonly Guarded[];
}

function partsOf({ tools, toolsets }: Pick<ListedCatalog, 'tools' | 'toolsets'>): Part[] {
  return toolsets.flatMap(({ name, instructions: text }) => {
    if (text === undefined) return [];
    const words = new Set(text.match(/[\w-]+(?:\.[\w-]+)*/g));
    const named = tools.filter(
      (tool) =>
        tool.toolset === name && tool.privileged !== 'by-name' && words.has(tool.granted ?? tool.name),
    );
    return [{ text, named }];
  });
}

function joined(parts: readonly Part[]): string | undefined {
  return parts.length === 0 ? undefined : parts.map(({ text }) => text).join('\n\n');
}
