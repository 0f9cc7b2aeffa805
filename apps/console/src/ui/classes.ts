/** Owns joining class names. */

/** Joins what is a text and leaves out the rest. */
export function classes(...names: (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}
