/** Names that every client takes, made of those in a document. */
import { createHash } from 'node:crypto';

const LONGEST = 64;
const CUT = 55;

/** Gives each thing a name of its own, which does not depend on what stands beside it unless that has the same. */
export class Names {
  readonly #taken = new Set<string>();

  /** The wanted name made fit; `full` tells two apart that want the same. */
  take(wanted: string, full: string): string {
    const fit = fitName(wanted);
    const name =
      fit !== '' && fit.length <= LONGEST && !this.#taken.has(fit)
        ? fit
        : `${fit.slice(0, CUT)}_${digestOf(full)}`.replace(/^_/, 'x_');
    // Only two of one name and one place come here, of which the document may have but one.
    if (this.#taken.has(name)) return this.take(`${fit.slice(0, CUT - 10)}_again`, `${full} again`);
    this.#taken.add(name);
    return name;
  }
}

/** Letters, digits, `_` and `-` only, and no `_` in front, which is Parley's own. */
function fitName(name: string): string {
  return name
    .slice(0, 1_000)
    .replace(/[^A-Za-z0-9_-]/g, '_')
    .replace(/^_+/, '');
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
