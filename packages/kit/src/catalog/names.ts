/** The names a catalog refuses: ill-formed ones, and one name for two things. */

/** The names of everything that is served. */
export interface CatalogNames {
  readonly toolsets: readonly string[];
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
  readonly resources: readonly string[];
  readonly resourceUris: readonly string[];
}

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** Throws when a name is ill-formed or stands for two things. */
export function refuseBadNames(names: CatalogNames): void {
  check('toolset', names.toolsets);
  check('tool', names.tools);
  check('prompt', names.prompts);
  check('resource', names.resources);
  refuseDuplicates('resource URI', names.resourceUris);
}

/** The order of every list. */
export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

function check(kind: string, names: readonly string[]): void {
  const bad = names.find((name) => !NAME.test(name));
  if (bad !== undefined) {
    throw new Error(
      `The ${kind} name "${bad}" must be 1 to 128 letters, digits, underscores, dots or dashes.`,
    );
  }
  refuseDuplicates(`${kind} name`, names);
}

function refuseDuplicates(kind: string, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`The ${kind} "${twice}" is defined twice.`);
}
