/** What a YAML document would grow to, told from its tokens: building it is where the memory goes. */
import type { Lexer } from 'yaml';
import { MAX_DEPTH, MAX_NODES } from './limits.ts';
import { BadDocument } from './service.ts';

/** Each is looked up in all that stands before it. */
const MOST_ALIASES = 1_000;
/** Deeper levels stand further in, and nobody writes them wider than this. */
const WIDEST_INDENT = MAX_DEPTH * 16;
/** Stands before the text of a scalar. */
const SCALAR = '\u001F';
/** A collection, a text in quotes, an alias. */
const VALUE = /^[[{"'*]/;

/** Throws on the first token that is one too many, before anything is made of the document. */
export function checkYaml(text: string, lexer: Lexer): void {
  let [values, aliases, flow, inLine] = [0, 0, 0, 0];
  let isText = false;
  let isLineStart = true;
  for (const token of lexer.lex(text)) {
    if (isText) {
      isText = false;
      continue;
    }
    if (token === SCALAR) isText = true;
    if (token === '\n' || token === '\r\n') inLine = 0;
    else if (token === '[' || token === '{') flow += 1;
    else if (token === ']' || token === '}') flow = Math.max(0, flow - 1);
    else if (token === '-' || token === '?') inLine += 1;
    else if (token.startsWith('*')) aliases += 1;
    const isIndent = isLineStart && token.startsWith(' ');
    isLineStart = inLine === 0 && (token === '\n' || token === '\r\n');
    if (token === SCALAR || VALUE.test(token)) values += 1;
    if (flow + inLine > MAX_DEPTH || (isIndent && token.length > WIDEST_INDENT))
      throw new BadDocument(`The document is more than ${MAX_DEPTH} levels deep. Flatten it.`);
    if (aliases > MOST_ALIASES)
      throw new BadDocument(`The document has more than ${MOST_ALIASES} aliases. Write $ref in their place.`);
    if (values > MAX_NODES)
      throw new BadDocument(`The document holds more than ${MAX_NODES} values. Split it.`);
  }
}
