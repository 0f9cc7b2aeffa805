/** Owns insertions into a module's text together with the source map that undoes them for debuggers. */

/** A text to be put at an offset; it must not hold a line break. */
export interface Insertion {
  readonly offset: number;
  readonly text: string;
}

/** A changed text and how its positions lead back. */
export interface Changed {
  readonly code: string;
  readonly map: {
    readonly version: 3;
    readonly sources: string[];
    readonly sourcesContent: string[];
    readonly names: string[];
    readonly mappings: string;
  };
}

/** Puts insertions, ordered by offset, into the text of a file. */
export function insertAll(text: string, insertions: readonly Insertion[], source: string): Changed {
  let code = '';
  let from = 0;
  for (const { offset, text: added } of insertions) {
    code += text.slice(from, offset) + added;
    from = offset;
  }
  code += text.slice(from);
  const mappings = mappingsOf(text, insertions);
  return { code, map: { version: 3, sources: [source], sourcesContent: [text], names: [], mappings } };
}

// Insertions hold no line break, so a line stays a line; each word of it leads back to itself.
function mappingsOf(text: string, insertions: readonly Insertion[]): string {
  const lines: string[] = [];
  let lineStart = 0;
  let next = 0;
  let previousColumn = 0;
  for (const line of text.split('\n')) {
    const segments: string[] = [];
    let shift = 0;
    let previousOutput = 0;
    for (const column of wordStarts(line)) {
      for (
        let entry = insertions[next];
        entry && entry.offset <= lineStart + column;
        entry = insertions[++next]
      ) {
        shift += entry.text.length;
      }
      const lineStep = segments.length === 0 && lines.length > 0 ? 1 : 0;
      segments.push(segment(column + shift - previousOutput, lineStep, column - previousColumn));
      previousOutput = column + shift;
      previousColumn = column;
    }
    lines.push(segments.join(','));
    lineStart += line.length + 1;
  }
  return lines.join(';');
}

function wordStarts(line: string): number[] {
  const starts = [...line.matchAll(/\w+|[^\w\s]/g)].map(({ index }) => index);
  return starts[0] === 0 ? starts : [0, ...starts];
}

function segment(outputColumn: number, lineStep: number, columnStep: number): string {
  return [outputColumn, 0, lineStep, columnStep].map(toBase64Vlq).join('');
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function toBase64Vlq(value: number): string {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1;
  let digits = '';
  do {
    const digit = rest & 31;
    rest >>>= 5;
    digits += DIGITS.charAt(rest > 0 ? digit | 32 : digit);
  } while (rest > 0);
  return digits;
}
