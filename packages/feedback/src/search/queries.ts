/** A parsed search as a query of either database; built from its words, never from raw text. */
import type { Search, Term } from './grammar.ts';

/** The FTS5 expression over the columns `scope`, `title` and `content`; `scope` words are what the rows must be in. */
export function toFts5(search: Search, scope: string): string {
  return search.map((terms) => `(${fts5Group(terms, scope)})`).join(' OR ');
}

function fts5Group(terms: readonly Term[], scope: string): string {
  const wanted = terms.filter(({ isExcluded }) => !isExcluded).map(fts5Term);
  const excluded = terms.filter(({ isExcluded }) => isExcluded).map(fts5Term);
  const base = `(${[scope, ...wanted].join(' AND ')})`;
  return excluded.length === 0 ? base : `${base} NOT (${excluded.join(' OR ')})`;
}

function fts5Term({ words }: Term): string {
  return `({title content} : "${words.join(' ')}")`;
}

/** A condition on the column `scope`: at least one of the words. */
export function fts5Scope(words: readonly string[]): string {
  return `(scope : (${words.map((word) => `"${word}"`).join(' OR ')}))`;
}

/** The text for PostgreSQL's websearch query. */
export function toWebsearch(search: Search): string {
  return search.map((terms) => terms.map(websearchTerm).join(' ')).join(' or ');
}

function websearchTerm({ words, isExcluded }: Term): string {
  return `${isExcluded ? '-' : ''}"${words.join(' ')}"`;
}
