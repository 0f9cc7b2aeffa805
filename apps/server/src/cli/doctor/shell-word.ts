/** Words of a command line that somebody pastes into a shell. */

/** A word, in quotes where a shell would make several of it. */
export function word(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
