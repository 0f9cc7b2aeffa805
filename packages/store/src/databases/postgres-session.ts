/** One statement on PostgreSQL: a connection of its own as the role of its database, closed when it is done. */
import type pg from 'pg';
import { detach } from '../detach.ts';
import { clientConfig, LOCK_TIMEOUT_MS, PEER_SETTINGS } from '../postgres/pool.ts';
import { Answer, bytesOf, checkColumns, integerOf } from './answer.ts';
import { FULL, SqlFault, TIMED_OUT } from './databases.ts';
import type { SqlResult, SqlValue } from './databases.ts';
import type { Statement } from './statement.ts';

/** How to enter a database. */
export interface PostgresLogin {
  readonly databaseUrl: string;
  readonly schema: string;
  readonly user: string;
  readonly password: string;
}

/** What a session is made with. */
export interface SessionParts {
  readonly Driver: typeof pg;
  readonly login: PostgresLogin;
  /** How large the schema may grow. */
  readonly maxBytes: number;
  /** Ends a session of the server from another one. */
  readonly end: (processId: number) => Promise<void>;
}

/** What the driver has and its types leave out. */
type SessionClient = pg.Client & { readonly processID: number | null };
type PortalQuery = pg.Query & { handlePortalSuspended(connection: pg.Connection): void };

const GRACE_MS = 250;
const MOST_BYTES = 32 * 1024 * 1024;
const ROWS_AT_ONCE = 16;

/** Runs the statement in a transaction of its own. */
export async function runInSession(
  { Driver, login, maxBytes, end }: SessionParts,
  statement: Statement,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<SqlResult> {
  // The class has what its types leave out.
  const client = new Driver.Client(sessionConfig(Driver, login, timeoutMs)) as SessionClient;
  let stopped: Error | undefined;
  const stop = (reason: Error) => {
    if (stopped !== undefined) return;
    stopped = reason;
    // The server hears of a lost connection only when it next writes; it may be too busy for that.
    if (client.processID !== null) detach(end(client.processID), () => undefined);
    client.connection.stream.destroy();
  };
  // Whoever cancels gives an error, or Node does.
  const cancel = () => stop(signal.reason as Error);
  const timer = setTimeout(() => stop(new SqlFault('timeout', TIMED_OUT)), timeoutMs + GRACE_MS);
  client.on('error', () => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    signal.throwIfAborted();
    await client.connect();
    capBytes(client, stop);
    return await inTransaction(Driver, client, { statement, room: { schema: login.schema, maxBytes } });
  } catch (error) {
    throw stopped ?? faultOf(error, statement);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
    // The answer is there, or the connection is broken; how its end goes changes nothing.
    detach(client.end(), () => undefined);
  }
}

async function inTransaction(
  Driver: typeof pg,
  client: pg.Client,
  { statement, room }: { readonly statement: Statement; readonly room: Room },
): Promise<SqlResult> {
  await client.query('begin');
  if (statement.isWrite) await requireRoom(client, room);
  const query = limitedQuery(Driver, statement);
  client.query(query);
  const result = await query.ended;
  // What one statement adds is known only afterwards; the transaction takes it back.
  if (statement.isWrite) await requireRoom(client, room);
  await client.query('commit');
  return result;
}

interface Room {
  readonly schema: string;
  readonly maxBytes: number;
}

async function requireRoom(client: pg.Client, { schema, maxBytes }: Room): Promise<void> {
  const { rows } = await client.query<{ bytes: string }>(
    `select coalesce(sum(pg_catalog.pg_total_relation_size(oid)), 0)::text as bytes from pg_catalog.pg_class
     where relkind in ('r', 'm') and relnamespace = (select oid from pg_catalog.pg_namespace where nspname = $1)`,
    [schema],
  );
  if (Number(rows[0]?.bytes) > maxBytes) throw new SqlFault('too_large', FULL);
}

/** The connection settings; connection strings would win over the login, so they are taken apart by the driver. */
function sessionConfig(Driver: typeof pg, login: PostgresLogin, timeoutMs: number): pg.ClientConfig {
  const { connectionString, ...common } = clientConfig(Driver, login.databaseUrl);
  const { host, port, database, ssl } = new Driver.Client({ connectionString });
  return {
    ...common,
    host,
    port,
    ...(database !== undefined && { database }),
    ssl,
    user: login.user,
    password: login.password,
    application_name: 'parley-sql',
    statement_timeout: timeoutMs,
    idle_in_transaction_session_timeout: timeoutMs + 2 * GRACE_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    options: `-c standard_conforming_strings=on ${PEER_SETTINGS}`,
    types: { getTypeParser: (oid: number) => parserOf(Driver, oid) },
  };
}

/** A query that takes no more rows than an answer holds, and leaves the others on the server. */
function limitedQuery(
  Driver: typeof pg,
  { text, values, isWrite }: Statement,
): pg.Query & { ended: Promise<SqlResult> } {
  const answer = new Answer();
  // The driver knows `rows`, and asks the query itself what to do after them; its types know neither.
  const query = new Driver.Query({
    text,
    values: values.map(boundOf),
    rows: ROWS_AT_ONCE,
  } as pg.QueryConfig) as PortalQuery;
  let settle: { resolve: (result: SqlResult) => void; reject: (error: Error) => void };
  const ended = new Promise<SqlResult>((resolve, reject) => {
    settle = { resolve, reject };
  });
  query.on('row', (row: Record<string, unknown>) => {
    answer.take(row);
  });
  query.on('error', (error) => settle.reject(error));
  query.on('end', (done) => {
    const { command, rowCount, fields } = done;
    const rowsAffected = WRITE_COMMANDS.has(command) ? (rowCount ?? 0) : 0;
    try {
      // Before the commit, so nothing is kept of a statement whose answer is refused.
      checkColumns(fields);
      settle.resolve({ rows: answer.rows, rowsAffected, truncated: answer.isTruncated });
    } catch (error) {
      settle.reject(error as Error); // it throws nothing else
    }
  });
  // The driver asks for the next rows until there is none; a full answer ends that, but a write has to be counted.
  const goOn = query.handlePortalSuspended.bind(query);
  query.handlePortalSuspended = (connection) => {
    if (answer.isTruncated && !isWrite) connection.sync();
    else goOn(connection);
  };
  return Object.assign(query, { ended });
}

const WRITE_COMMANDS = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** A single value can be a gigabyte; what is read is bounded before it is put together. */
function capBytes(client: pg.Client, stop: (reason: Error) => void): void {
  let bytes = 0;
  client.connection.stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) stop(new SqlFault('too_large', 'The answer is over 32 MiB. Ask for less.'));
  });
}

function boundOf(value: SqlValue): unknown {
  return typeof value === 'object' && value !== null ? Buffer.from(value.base64, 'base64') : value;
}

const TEXT_TYPES = new Set([1082, 1083, 1114, 1184, 1186, 1266]);

/** Values as JSON has them: exact numbers as numbers, times as the server writes them. */
function parserOf(Driver: typeof pg, oid: number): (text: string) => unknown {
  if (oid === 20) return (text) => integerOf(BigInt(text));
  if (oid === 1700) return (text) => (isExact(text) ? Number(text) : text);
  if (oid === 17) return (text) => bytesOf(Buffer.from(text.slice(2), 'hex'));
  if (TEXT_TYPES.has(oid)) return (text) => text;
  // Its types name the number of the type where the text of the value stands.
  return new Driver.TypeOverrides().getTypeParser(oid) as unknown as (text: string) => unknown;
}

/** A decimal that a number holds as it is. */
function isExact(text: string): boolean {
  return text.length <= 17 && Number.isFinite(Number(text)) && text.replace(/^[-0.]+|[-.]/g, '').length <= 15;
}

function faultOf(error: unknown, { isUnchanged }: Statement): unknown {
  if (error instanceof SqlFault || !(error instanceof Error)) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === '57014') return new SqlFault('timeout', TIMED_OUT);
  if (code === '42501') {
    return new SqlFault('forbidden', 'The statement reaches outside of this database, which it may not.');
  }
  if (code === '53100' || code === '53400')
    return new SqlFault('too_large', 'The statement needs too much space.');
  // Five characters of the engine's own classes; what else goes wrong is between the server and its database.
  if (!/^(0[A-Z0-9]|2[0-7A-Z]|3[4-9BF]|4[0-4])[A-Z0-9]{3}$/.test(code)) {
    return new SqlFault('unavailable', 'The database cannot be reached. Try again in a moment.');
  }
  const position = 'position' in error && isUnchanged ? ` (at character ${String(error.position)})` : '';
  return new SqlFault('sql_error', `${error.message}${position}`);
}
