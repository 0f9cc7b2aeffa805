/** One connection of a pool: statements by name, and transactions that begin with their first statement and end with their last ones. */
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import type { Pool, PoolClient, QueryConfig, QueryResult as PgResult, QueryResultRow } from 'pg';
import type { LastStatements } from '../engine.ts';
import { StoreUnavailableError } from '../errors.ts';
import type { LaneMeter } from '../figures.ts';
import { faultOfName, toStoreError } from './errors.ts';
import type { NameFault } from './errors.ts';
import type { StatementNames } from './statement-names.ts';

const POOLED =
  'A pooler in front of PostgreSQL hands connections to others between transactions, so statements are no longer prepared. Set PARLEY_PREPARED_STATEMENTS=off and PARLEY_DATABASE_DIRECT_URL to the address of PostgreSQL itself.';
const WRITE_COMMANDS = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** Waits for the disk, and for the standbys that a commit waits for; all that was committed before is there then. */
export const FLUSH = "select pg_logical_emit_message(true, 'parley', '')";
/** Without the disk a commit takes no time, and what others wait for is let go. */
const EARLY = 'set local synchronous_commit = off';

/** What the connections of a pool share. */
export interface PostgresParts {
  readonly pool: Pool;
  readonly names: StatementNames;
  readonly meter: LaneMeter;
  readonly onError: (error: unknown) => void;
}

/** Statements that go out with the commit; handed over as a query, since that is the only way through the builder. */
export class LastQueries implements CompiledQuery {
  readonly query = { kind: 'RawNode', sqlFragments: [], parameters: [] } as const;
  readonly queryId = { queryId: 'last' };
  readonly sql = '';
  readonly parameters = [];
  readonly last: LastStatements;

  constructor(last: LastStatements) {
    this.last = last;
  }
}

// A connection that takes no writes goes on so after its server takes them again; a new one starts afresh.
function isLasting({ reason, cause }: StoreUnavailableError): boolean {
  const isEnded = cause instanceof Error && 'severity' in cause && cause.severity === 'FATAL';
  return reason === 'lost' || reason === 'readonly' || isEnded;
}

type Answer = PgResult<QueryResultRow>;

const NONE: LastStatements = { statements: [], isEarly: false };

/** The connection of one user of the pool. */
export class PostgresStoreConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  readonly #parts: PostgresParts;
  /** What begins the transaction, until it has gone out with the first statement. */
  #begin: string | undefined;
  #isInTransaction = false;
  #last = NONE;
  #isBroken = false;

  constructor(client: PoolClient, parts: PostgresParts) {
    this.#client = client;
    this.#parts = parts;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (query instanceof LastQueries) {
      this.#last = query.last;
      return { rows: [] };
    }
    const { command, rowCount, rows } = await this.#statement(query);
    // The builder says what the rows are.
    const found = rows as R[];
    if (!WRITE_COMMANDS.has(command)) return { rows: found };
    return { rows: found, numAffectedRows: BigInt(rowCount ?? 0) };
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }

  begin(sql: string): void {
    this.#begin = sql;
    this.#isInTransaction = true;
    this.#last = NONE;
  }

  async rollback(): Promise<void> {
    const hasBegun = this.#isInTransaction && this.#begin === undefined;
    this.#end();
    if (hasBegun) await this.#send([{ text: 'rollback' }]);
  }

  /** All that is left goes out at once: the server waits for nobody between a lock of the last statements and the commit. */
  async commit(): Promise<void> {
    const last = this.#last;
    const isWhole = this.#begin !== undefined;
    if (isWhole && last.statements.length === 0) return this.#end();
    const answers = await this.#sendLast(last).catch((error: unknown) => {
      const fault = faultOfName(error);
      if (fault === undefined) throw error;
      this.#forgetNames(fault);
      if (!isWhole) throw new StoreUnavailableError('busy', error);
      // All of it was rolled back.
      this.#begin = 'begin';
      return this.#sendLast(last);
    });
    for (const [index, { done }] of last.statements.entries()) done(answers[index]?.rows ?? []);
  }

  release(): void {
    this.#client.release(this.#isBroken);
  }

  /** A statement without parameters may be several, which have no name. */
  async #statement({ sql, parameters }: CompiledQuery): Promise<Answer> {
    const query = this.#named(sql, [...parameters]);
    try {
      return await this.#ask(query);
    } catch (error) {
      const fault = query.name === undefined ? undefined : faultOfName(error);
      if (fault === undefined) throw error;
      this.#forgetNames(fault);
      // It did nothing yet; but inside a transaction all that was done before it is lost.
      if (!this.#isInTransaction) return this.#ask({ text: sql, values: [...parameters] });
      throw new StoreUnavailableError('busy', error);
    }
  }

  #named(text: string, values: unknown[]): QueryConfig {
    const name = values.length === 0 ? undefined : this.#parts.names.nameOf(text);
    return name === undefined ? { text, values } : { name, text, values };
  }

  async #ask(query: QueryConfig): Promise<Answer> {
    const begin = this.#takeBegin();
    const answers = await this.#send([...begin, query]);
    return answers[begin.length] as Answer; // one for each
  }

  /** The answers to the last statements, in their order. */
  async #sendLast({ statements, isEarly }: LastStatements): Promise<readonly Answer[]> {
    const before = this.#takeBegin();
    if (isEarly) before.push({ text: EARLY });
    const queries = statements.map(({ query: { sql, parameters } }) => this.#named(sql, [...parameters]));
    const after = isEarly ? [{ text: FLUSH }] : [];
    try {
      const answers = await this.#send([...before, ...queries, { text: 'commit' }, ...after]);
      const end = before.length + queries.length;
      // A transaction that failed inside answers COMMIT with ROLLBACK and no error.
      if (answers[end]?.command === 'ROLLBACK')
        throw new Error('The transaction was rolled back, because a statement in it failed.');
      return answers.slice(before.length, end);
    } finally {
      this.#end();
    }
  }

  #takeBegin(): QueryConfig[] {
    const text = this.#begin;
    this.#begin = undefined;
    return text === undefined ? [] : [{ text }];
  }

  #end(): void {
    this.#begin = undefined;
    this.#isInTransaction = false;
  }

  #forgetNames(fault: NameFault): void {
    const { names, onError } = this.#parts;
    if (fault === 'outdated') names.renew();
    else if (names.turnOff()) onError(new Error(POOLED));
  }

  /** Sends them in one piece; throws the first fault, since those behind it follow from it. */
  async #send(queries: readonly QueryConfig[]): Promise<readonly Answer[]> {
    const { meter } = this.#parts;
    const outcomes = await meter.statement(queries.at(-1)?.text ?? '', () => this.#sendAll(queries));
    const answers: Answer[] = [];
    let fault: unknown;
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') answers.push(outcome.value);
      else fault ??= outcome.reason;
    }
    if (fault === undefined) return answers;
    const mapped = meter.counted(toStoreError(fault));
    if (mapped instanceof StoreUnavailableError && isLasting(mapped)) this.#isBroken = true;
    throw mapped;
  }

  #sendAll(queries: readonly QueryConfig[]): Promise<PromiseSettledResult<Answer>[]> {
    const { stream } = this.#client.connection;
    stream.cork();
    const asked = queries.map((query) => this.#client.query(query));
    stream.uncork();
    return Promise.allSettled(asked);
  }
}
