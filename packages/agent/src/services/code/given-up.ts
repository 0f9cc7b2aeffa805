/** Which files reading was given up on, for each root: a project that is hostile uses up no memory and no patience but its own. */
import type { GivenUpFile } from './messages.ts';

const MOST_FILES = 100;
const MOST_ROOTS = 100;

export class GivenUp {
  // The root that was added to last goes last.
  readonly #roots = new Map<string, readonly GivenUpFile[]>();

  of(root: string): readonly GivenUpFile[] {
    return this.#roots.get(root) ?? [];
  }

  /** False when there are too many already. */
  add(root: string, file: GivenUpFile): boolean {
    const others = this.of(root).filter(({ path }) => path !== file.path);
    if (others.length >= MOST_FILES) return false;
    this.#roots.delete(root);
    this.#roots.set(root, [...others, file]);
    for (const oldest of this.#roots.keys()) {
      if (this.#roots.size <= MOST_ROOTS) break;
      this.#roots.delete(oldest);
    }
    return true;
  }
}
