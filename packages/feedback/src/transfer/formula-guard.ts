/** Keeps text in a CSV file from being run as a formula by the spreadsheet that opens it. */

// A cell begins where the text does, and for a spreadsheet that splits at semicolons or inside quotes also after these.
const RISKY = /(?<=^|[;\r\n])(?='*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])/g;
const GUARDED = /(?<=^|[;\r\n])'(?='*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])/g;

/** The text with a mark wherever a spreadsheet would take what follows for a formula. */
export function guard(text: string): string {
  return text.replace(RISKY, "'");
}

/** The text that was guarded. */
export function unguard(text: string): string {
  return text.replace(GUARDED, '');
}
