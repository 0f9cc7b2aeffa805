/** JSON as editors write it into their own files: with comments and with commas before a closing bracket. */

/** The value in the text; throws a SyntaxError like `JSON.parse`. */
export function parseJsonWithComments(text: string): unknown {
  let plain = '';
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at, at + 2);
    const end = rest[0] === '"' ? endOfString(text, at) : endOfComment(text, at, rest);
    if (end === undefined) plain += text[at];
    else if (rest[0] === '"') plain += text.slice(at, end);
    at = end ?? at + 1;
  }
  return JSON.parse(withoutLastCommas(plain));
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function endOfComment(text: string, start: number, opening: string): number | undefined {
  if (opening === '//') return indexOr(text, '\n', start);
  return opening === '/*' ? indexOr(text, '*/', start + 2) + 2 : undefined;
}

function indexOr(text: string, wanted: string, from: number): number {
  const found = text.indexOf(wanted, from);
  return found === -1 ? text.length : found;
}

/** Strings are skipped as a whole, so a comma in one stays; one without an end goes to the end of the text. */
function withoutLastCommas(text: string): string {
  const pattern = /"(?:[^"\\]|\\.?)*(?:"|$)|,(?=\s{0,1000}[}\]])/gs;
  return text.replace(pattern, (found) => (found === ',' ? '' : found));
}
