/** Reads SQL word by word, in one pass: what is text, name or comment is never taken for anything else. */
import type { StoreEngine } from '../store.ts';

/** A part of a statement that means something to its rules or its parameters. */
export type Token =
  | { readonly kind: 'word'; readonly text: string }
  /** A name in quotes, without them. */
  | { readonly kind: 'name'; readonly text: string }
  /** `$1`, or `?` without an index. */
  | { readonly kind: 'parameter'; readonly start: number; readonly end: number; readonly index?: number }
  /** `:name` and the like, which are not bound here. */
  | { readonly kind: 'named' }
  | { readonly kind: 'end' }
  | { readonly kind: 'other' };

// What could be any name, since only the engine can tell what is written there; no rule lets it pass.
const HIDDEN: Token = { kind: 'name', text: 'pg_hidden' };

const WORD_START = /[A-Za-z_\u0080-\uffff]/;
const WORD = /[\w$\u0080-\uffff]*/y;
const NUMBER = /[\w.]*/y;
const DIGITS = /\d*/y;
const DOLLAR_TAG = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const SPACE = /\s+/y;

/** The tokens of a statement, without spaces, comments and texts. */
export function tokensOf(sql: string, engine: StoreEngine): Token[] {
  const isPostgres = engine === 'postgres';
  const tokens: Token[] = [];
  let at = 0;
  // How many tokens there were after a text with escapes; a text right behind it would go on with them.
  let escapedAt = -1;
  const match = (pattern: RegExp, from: number): string => {
    pattern.lastIndex = from;
    return pattern.exec(sql)?.[0] ?? '';
  };
  while (at < sql.length) {
    const sign = sql[at] ?? '';
    const next = sql[at + 1] ?? '';
    const space = match(SPACE, at);
    if (space !== '') at += space.length;
    else if (sign === '-' && next === '-') at = after(sql, '\n', at);
    else if (sign === '/' && next === '*') at = endOfComment(sql, at, isPostgres);
    else if (sign === "'") {
      tokens.push(escapedAt === tokens.length ? HIDDEN : { kind: 'other' });
      at = endOfQuoted(sql, at, { hasEscapes: false });
    } else if (sign === '"' || (!isPostgres && (sign === '`' || sign === '['))) {
      const end = sign === '[' ? after(sql, ']', at) : endOfQuoted(sql, at, { hasEscapes: false });
      tokens.push({ kind: 'name', text: sql.slice(at + 1, end - 1).toLowerCase() });
      at = end;
    } else if (isPostgres && /^[eE]'$/.test(sign + next)) {
      tokens.push({ kind: 'other' });
      escapedAt = tokens.length;
      at = endOfQuoted(sql, at + 1, { hasEscapes: true });
    } else if (isPostgres && /^[uU]&"$/.test(sql.slice(at, at + 3))) {
      tokens.push(HIDDEN);
      at = endOfQuoted(sql, at + 2, { hasEscapes: false });
    } else if (WORD_START.test(sign)) {
      const text = match(WORD, at);
      tokens.push({ kind: 'word', text: text.toLowerCase() });
      at += text.length;
    } else if (/\d/.test(sign)) {
      tokens.push({ kind: 'other' });
      at += match(NUMBER, at).length;
    } else if (sign === '$' && /\d/.test(next)) {
      const end = at + 1 + match(DIGITS, at + 1).length;
      tokens.push({ kind: 'parameter', start: at, end, index: Number(sql.slice(at + 1, end)) });
      at = end;
    } else if (isPostgres && sign === '$' && match(DOLLAR_TAG, at) !== '') {
      const tag = match(DOLLAR_TAG, at);
      tokens.push({ kind: 'other' });
      at = after(sql, tag, at + tag.length);
    } else if (sign === '?') {
      const isNumbered = /\d/.test(next);
      tokens.push(isNumbered ? { kind: 'named' } : { kind: 'parameter', start: at, end: at + 1 });
      at += 1;
    } else if (!isPostgres && /[:@$#]/.test(sign) && WORD_START.test(next)) {
      tokens.push({ kind: 'named' });
      at += 1;
    } else {
      tokens.push({ kind: sign === ';' ? 'end' : 'other' });
      at += 1;
    }
  }
  return tokens;
}

/** Where a text ends that begins here; the end of all when it does not. */
function after(sql: string, mark: string, from: number): number {
  const found = sql.indexOf(mark, from);
  return found === -1 ? sql.length : found + mark.length;
}

/** PostgreSQL lets comments stand inside comments, SQLite does not. */
function endOfComment(sql: string, from: number, isNesting: boolean): number {
  if (!isNesting) return after(sql, '*/', from + 2);
  let depth = 1;
  let at = from + 2;
  while (at < sql.length && depth > 0) {
    const pair = sql.slice(at, at + 2);
    if (pair === '/*') depth += 1;
    if (pair === '*/') depth -= 1;
    at += pair === '/*' || pair === '*/' ? 2 : 1;
  }
  return at;
}

/** A quote inside is written twice, or after a backslash where there are escapes. */
function endOfQuoted(sql: string, from: number, { hasEscapes }: { readonly hasEscapes: boolean }): number {
  const quote = sql[from];
  for (let at = from + 1; at < sql.length; at += 1) {
    if (hasEscapes && sql[at] === '\\') at += 1;
    else if (sql[at] === quote) {
      if (sql[at + 1] !== quote) return at + 1;
      at += 1;
    }
  }
  return sql.length;
}
