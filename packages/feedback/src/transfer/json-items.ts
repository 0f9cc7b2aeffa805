/** The items of a JSON list, one after another, so that a list of any length fits into memory. */
import type { FileFault } from './file-fault.ts';
import { faultAt } from './file-fault.ts';
import { readText } from './read-text.ts';

const MAX_ITEM_LENGTH = 4 * 1024 * 1024;
const LIST_KEY = 'posts';

/** What the file must be: a list, or an object with the list under `posts`. */
const FORM = 'The file must be a list of objects, or an object with such a list under "posts".';

/** The items of the list, parsed. */
export async function* readItems(path: string): AsyncGenerator {
  const scanner = new ItemScanner();
  for await (const piece of readText(path)) yield* scanner.push(piece);
  scanner.end();
}

/** Where the scanner stands; inside a value it only counts brackets and strings. */
type Place =
  | 'start'
  | 'item or end'
  | 'item'
  | 'comma or end'
  | 'key or end'
  | 'key'
  | 'colon'
  | 'value'
  | 'comma or close'
  | 'done';

class ItemScanner {
  #place: Place = 'start';
  #isInObject = false;
  #hasList = false;
  #key = '';
  #line = 1;
  /** The value that is being read: what the pieces before held of it, and where it began. */
  #open: { text: string; line: number; depth: number; isInString: boolean; isEscaped: boolean } | undefined;

  *push(piece: string): Generator {
    let start = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const char = piece[at] ?? '';
      if (this.#open === undefined) {
        if (!this.#begins(char)) {
          if (char === '\n') this.#line += 1;
          continue;
        }
        start = at;
        this.#open = { text: '', line: this.#line, depth: 0, isInString: false, isEscaped: false };
      }
      const end = this.#endOf(char);
      if (char === '\n') this.#line += 1;
      if (end === 'no') continue;
      const last = end === 'here' ? at + 1 : at;
      const value = this.#take(piece.slice(start, last));
      if (value.isItem) yield value.item;
      // What ended a number or a word is still to be looked at.
      if (end === 'before') {
        if (char === '\n') this.#line -= 1;
        at -= 1;
      }
    }
    if (this.#open === undefined) return;
    this.#open.text += piece.slice(start);
    if (this.#open.text.length > MAX_ITEM_LENGTH)
      throw faultAt(this.#open.line, 'an item is longer than 4 MiB');
  }

  end(): void {
    if (this.#place === 'start') throw faultAt(1, `The file is empty. ${FORM}`);
    if (this.#place !== 'done' || this.#open !== undefined)
      throw faultAt(this.#line, 'The file ends in the middle of the JSON.');
  }

  /** Moves on over a character between values; true when a value begins with it. */
  #begins(char: string): boolean {
    if (char === ' ' || char === '\n' || char === '\r' || char === '\t') return false;
    const next = this.#between(char);
    if (next === undefined) throw this.#unexpected(char);
    if (next === 'value begins') return true;
    this.#place = next;
    return false;
  }

  #between(char: string): Place | 'value begins' | undefined {
    switch (this.#place) {
      case 'start':
        if (char === '[') return this.#enterList();
        this.#isInObject = char === '{';
        if (!this.#isInObject) throw faultAt(this.#line, FORM);
        return 'key or end';
      case 'item or end':
        return char === ']' ? this.#leaveList() : isValueStart(char) ? 'value begins' : undefined;
      case 'comma or end':
        return char === ',' ? 'item' : char === ']' ? this.#leaveList() : undefined;
      case 'item':
        return isValueStart(char) ? 'value begins' : undefined;
      case 'key or end':
        return char === '}' ? this.#leaveObject() : this.#keyBegins(char);
      case 'key':
        return this.#keyBegins(char);
      case 'colon':
        return char === ':' ? 'value' : undefined;
      case 'value':
        if (this.#key !== LIST_KEY) return isValueStart(char) ? 'value begins' : undefined;
        if (char !== '[' || this.#hasList) throw faultAt(this.#line, FORM);
        return this.#enterList();
      case 'comma or close':
        return char === ',' ? 'key' : char === '}' ? this.#leaveObject() : undefined;
      case 'done':
        return undefined;
    }
  }

  #keyBegins(char: string): 'value begins' | undefined {
    return char === '"' ? 'value begins' : undefined;
  }

  #enterList(): Place {
    this.#hasList = true;
    return 'item or end';
  }

  #leaveList(): Place {
    return this.#isInObject ? 'comma or close' : 'done';
  }

  #leaveObject(): Place {
    if (!this.#hasList) throw faultAt(this.#line, FORM);
    return 'done';
  }

  /** Whether the open value ends with this character, or before it. */
  #endOf(char: string): 'no' | 'here' | 'before' {
    const open = this.#open;
    if (open === undefined) return 'no';
    if (open.isInString) {
      if (open.isEscaped) open.isEscaped = false;
      else if (char === '\\') open.isEscaped = true;
      else if (char === '"') {
        open.isInString = false;
        return open.depth === 0 ? 'here' : 'no';
      }
      return 'no';
    }
    if (char === '"') open.isInString = true;
    else if (char === '{' || char === '[') open.depth += 1;
    else if (char === '}' || char === ']') {
      if (open.depth === 0) return 'before';
      open.depth -= 1;
      return open.depth === 0 ? 'here' : 'no';
    } else if (open.depth === 0 && /[\s,:]/.test(char)) return 'before';
    return 'no';
  }

  /** Ends the open value and moves on. */
  #take(rest: string): { readonly isItem: boolean; readonly item?: unknown } {
    const { text = '', line = this.#line } = this.#open ?? {};
    this.#open = undefined;
    const value = parse(text + rest, line);
    switch (this.#place) {
      case 'key or end':
      case 'key':
        this.#key = String(value);
        this.#place = 'colon';
        return { isItem: false };
      case 'value':
        this.#place = 'comma or close';
        return { isItem: false };
      default:
        this.#place = 'comma or end';
        return { isItem: true, item: value };
    }
  }

  #unexpected(char: string): FileFault {
    return faultAt(this.#line, `The JSON is broken: ${JSON.stringify(char)} was not expected here.`);
  }
}

function isValueStart(char: string): boolean {
  return !/[\]},:]/.test(char);
}

function parse(text: string, line: number): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    throw faultAt(line, 'The JSON is broken in the item that begins here.');
  }
}
