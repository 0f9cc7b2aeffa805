/** One statement as its engine takes it: refused when it may not run, its parameters in the engine's own form. */
import type { StoreEngine } from '../store.ts';
import type { SqlRequest, SqlValue } from './databases.ts';
import { SqlFault } from './databases.ts';
import { tokensOf } from './tokens.ts';
import type { Token } from './tokens.ts';

/** A statement that may be given to its engine. */
export interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** It may add bytes to the database. */
  readonly isWrite: boolean;
  /** The text is the one that came in, so that a position in it means something. */
  readonly isUnchanged: boolean;
}

const VERBS = {
  sqlite: 'select with values insert replace update delete create alter drop explain pragma',
  postgres: 'select with values insert update delete merge create alter drop truncate explain',
};
const KINDS = { sqlite: 'table index view trigger virtual', postgres: 'table index view sequence type' };
const BEFORE_KIND = 'or replace temp temporary unique unlogged materialized recursive';
const WRITES = 'insert replace update merge create alter into';

// Privileges keep the data of others away; these would show their names, hold their locks or speak in their place.
const POSTGRES_REFUSED =
  /^(pg_|lo_|dblink|ts_stat$|ts_rewrite$|set_config$|current_setting$)|_to_xml(schema|_and_xmlschema)?$/;
const POSTGRES_HARMLESS = 'pg_typeof pg_sleep pg_size_pretty pg_column_size';

/** Reads and checks a statement; throws what is wrong with it. */
export function statementOf(
  { sql, params }: Pick<SqlRequest, 'sql' | 'params'>,
  engine: StoreEngine,
): Statement {
  const all = tokensOf(sql, engine);
  const end = endOf(all, engine);
  const tokens = end === -1 ? all : all.slice(0, end);
  if (all.slice(tokens.length).some(({ kind }) => kind !== 'end')) {
    throw new SqlFault('invalid', 'Send exactly one statement per call.');
  }
  if (tokens.length === 0) throw new SqlFault('invalid', 'There is no statement. Send one.');
  const words = wordsOf(tokens);
  refuseVerb(tokens, words, engine);
  if (engine === 'postgres') refuseNames(tokens);
  const bound = bind(sql, tokens, params, engine);
  return { ...bound, isWrite: words.some((word) => has(WRITES, word)), isUnchanged: bound.text === sql };
}

function wordsOf(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token) => (token.kind === 'word' ? [token.text] : []));
}

/** Where the first statement ends. A trigger of SQLite has statements inside, and ends behind its own `; end`. */
function endOf(tokens: readonly Token[], engine: StoreEngine): number {
  const isEnd = (index: number) => tokens[index]?.kind === 'end';
  const first = tokens.findIndex((_token, index) => isEnd(index));
  const words = wordsOf(tokens.slice(0, first === -1 ? undefined : first));
  const isTrigger = engine === 'sqlite' && words[0] === 'create' && kindOf(words) === 'trigger';
  if (!isTrigger || !words.includes('begin')) return first;
  return tokens.findIndex((_token, index) => {
    const before = tokens[index - 1];
    return isEnd(index) && isEnd(index - 2) && before?.kind === 'word' && before.text === 'end';
  });
}

/** What is created, altered or dropped. */
function kindOf(words: readonly string[]): string | undefined {
  return words.slice(1).find((word) => !has(BEFORE_KIND, word));
}

function has(list: string, word: string | undefined): boolean {
  return word !== undefined && list.split(' ').includes(word);
}

function refuseVerb(tokens: readonly Token[], words: readonly string[], engine: StoreEngine): void {
  // A select in brackets is one too.
  const opening = tokens.find(({ kind }) => kind !== 'other');
  const verb = opening?.kind === 'word' ? opening.text : undefined;
  if (!has(VERBS[engine], verb)) {
    throw new SqlFault(
      'forbidden',
      `A statement begins with one of: ${VERBS[engine].replaceAll(' ', ', ')}.`,
    );
  }
  if (verb !== 'create' && verb !== 'alter' && verb !== 'drop') return;
  if (has(KINDS[engine], kindOf(words))) return;
  throw new SqlFault('forbidden', `${verb} works on: ${KINDS[engine].replaceAll(' ', ', ')}.`);
}

function refuseNames(tokens: readonly Token[]): void {
  for (const token of tokens) {
    if (token.kind !== 'word' && token.kind !== 'name') continue;
    const isRefused = POSTGRES_REFUSED.test(token.text) && !has(POSTGRES_HARMLESS, token.text);
    if (!isRefused) continue;
    throw new SqlFault(
      'forbidden',
      `"${token.text}" is not for statements here, which use this database only.`,
    );
  }
}

/** Writes each parameter as the engine has it: `?` for SQLite in the order of use, `$1` for PostgreSQL. */
function bind(
  sql: string,
  tokens: readonly Token[],
  params: readonly SqlValue[],
  engine: StoreEngine,
): Pick<Statement, 'text' | 'values'> {
  if (tokens.some(({ kind }) => kind === 'named')) {
    throw new SqlFault('invalid', 'Write parameters as $1, $2 and so on, or as ?.');
  }
  const uses = tokens.flatMap((token) => (token.kind === 'parameter' ? [token] : []));
  const isNumbered = uses.some(({ index }) => index !== undefined);
  if (isNumbered && uses.some(({ index }) => index === undefined)) {
    throw new SqlFault('invalid', 'Write all parameters as $1, $2 and so on, or all as ?.');
  }
  const indexes = uses.map(({ index }, place) => index ?? place + 1);
  const wanted = new Set(indexes);
  const isComplete =
    wanted.size === params.length && indexes.every((index) => index >= 1 && index <= params.length);
  if (!isComplete) {
    throw new SqlFault(
      'invalid',
      `The statement has ${wanted.size} parameters and params has ${params.length} values. Make them agree, from $1 on.`,
    );
  }
  let text = '';
  let from = 0;
  for (const [place, { start, end }] of uses.entries()) {
    text += sql.slice(from, start) + (engine === 'sqlite' ? '?' : `$${indexes[place]}`);
    from = end;
  }
  text += sql.slice(from);
  const values = engine === 'sqlite' ? indexes.map((index) => params[index - 1] ?? null) : params;
  return { text, values };
}
