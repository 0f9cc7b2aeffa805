/** Finds a name in text as a whole word, taken literally. */
import type { FoundReference } from './messages.ts';
import { lineAt, lineStarts } from './symbols.ts';

const MAX_TEXT = 200;
// One character at a time.
const IDENTIFIER = /^[\p{ID_Continue}$\u200c\u200d]$/u;

/** Calls `found` for every place of a name in a file. */
export function findIn(
  bytes: Buffer,
  name: { readonly text: string; readonly bytes: Buffer },
  file: string,
  found: (reference: () => FoundReference) => void,
): void {
  // Most files do not have it, and bytes are searched without decoding them.
  if (!bytes.includes(name.bytes)) return;
  const text = bytes.toString('utf8');
  let lines: number[] | undefined;
  for (let at = text.indexOf(name.text); at !== -1; at = text.indexOf(name.text, at + 1)) {
    if (isIdentifierBefore(text, at) || isIdentifierAt(text, at + name.text.length)) continue;
    const offset = at;
    found(() => {
      lines ??= lineStarts(text);
      const line = lineAt(lines, offset);
      const start = lines[line - 1] ?? 0;
      return { file, line, column: offset - start + 1, text: shownLine(text, start, offset) };
    });
  }
}

function isIdentifierAt(text: string, at: number): boolean {
  const code = text.codePointAt(at);
  return code !== undefined && IDENTIFIER.test(String.fromCodePoint(code));
}

function isIdentifierBefore(text: string, at: number): boolean {
  if (at === 0) return false;
  const last = text.charCodeAt(at - 1);
  const isLowHalf = last >= 0xdc00 && last <= 0xdfff;
  return isIdentifierAt(text, isLowHalf && at > 1 ? at - 2 : at - 1);
}

/** The line, or what of a long one stands around the place. */
function shownLine(text: string, start: number, at: number): string {
  const next = text.indexOf('\n', at);
  const end = next === -1 ? text.length : next;
  const line = text.slice(start, end).trim();
  if (line.length <= MAX_TEXT) return line;
  const from = Math.max(start, at - MAX_TEXT / 2);
  return text.slice(from, Math.min(end, from + MAX_TEXT)).trim();
}
