/** Takes back what keeps text in a CSV file from being run as a formula. */
export { guardFormula as guard } from '@parley/http/rest';

const GUARDED = /(?<=^|[;\r\n])'(?='*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])/g;

/** The text that was guarded. */
export function unguard(text: string): string {
  return text.replace(GUARDED, '');
}
