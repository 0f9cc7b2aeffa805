/** Text from outside as a terminal may show it: what would steer the terminal is written out. */

// Control characters, line separators, and marks that turn the direction of writing.
const STEERING = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The text with every steering character as an escape, on one line. */
export function printable(text: string): string {
  return text.replace(STEERING, escaped);
}

/** A line of a log: the same, except for the end of the line. */
export function printableLine(line: string): string {
  return line.endsWith('\n') ? `${printable(line.slice(0, -1))}\n` : printable(line);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
