/** Lines of CSV whose cells no spreadsheet takes for formulas. */

// A cell begins where the text does, and for a spreadsheet that splits at semicolons or inside quotes also after these.
const RISKY = /(?<=^|[;\r\n])(?='*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])/g;

/** The text with a mark wherever a spreadsheet would take what follows for a formula. */
export function guardFormula(text: string): string {
  return text.replace(RISKY, "'");
}

/** The cells as one line. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((text) => cellOf(guardFormula(text))).join(',')}\r\n`;
}

function cellOf(text: string): string {
  return /[",;\r\n\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
