/** Keeps text in a CSV file from being run as a formula by the spreadsheet that opens it. */

const RISKY = /^'*[=+\-@\t\r]/;
const GUARDED = /^'+[=+\-@\t\r]/;

/** The text with a mark before it when a spreadsheet would take it for a formula. */
export function guard(text: string): string {
  return RISKY.test(text) ? `'${text}` : text;
}

/** The text that was guarded. */
export function unguard(text: string): string {
  return GUARDED.test(text) ? text.slice(1) : text;
}
