/** The databases of connections over one engine: turns, deadlines, the registry, and the hourly look for what is due. */
import type { Kysely, Transaction } from 'kysely';
import { detach } from '../detach.ts';
import type { AnyTables } from '../engine.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { StoreEngine } from '../store.ts';
import type { Databases, SqlRequest, SqlResult } from './databases.ts';
import { SqlFault } from './databases.ts';
import type { DatabaseRow } from './registry.ts';
import { addRow, dueRows, findRow, forgetRows, freeName, removeRow } from './registry.ts';
import type { Statement } from './statement.ts';
import type { Refusal, TurnLimits } from './turns.ts';
import { Turns } from './turns.ts';

/** How an engine keeps such databases. */
export interface DatabaseEngine {
  readonly isAvailable: boolean;
  /** What the database of a connection is called, unless that is taken. */
  nameFor(connectionId: string): string;
  /** Makes a database in the transaction of its row. */
  create(trx: Transaction<AnyTables>, name: string): Promise<{ role: string; password: string } | undefined>;
  run(
    database: OpenDatabase,
    statement: Statement,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<SqlResult>;
  remove(row: DatabaseRow): Promise<void>;
  close(): Promise<void>;
}

/** A database, and how to enter it. */
export interface OpenDatabase {
  readonly name: string;
  readonly role: string | null;
  readonly password: string | null;
}

/** What they stand on. */
export interface DatabaseParts {
  readonly engine: { readonly name: StoreEngine; readonly db: Kysely<AnyTables> };
  readonly databases: DatabaseEngine;
  readonly secrets: SecretBox;
  readonly clock: () => number;
  readonly onError: (error: unknown) => void;
}

const SWEEP_MS = 60 * 60_000;
const CONNECTION_ID = /^[A-Za-z0-9_-]{1,64}$/;
const UNAVAILABLE = 'This server cannot keep databases of connections apart, so it runs none.';
const TURNS: TurnLimits = {
  places: 8,
  waiting: 64,
  waitMs: 30_000,
  perKey: { places: 2, waiting: 20 },
};
const REFUSALS: Record<Refusal, ConstructorParameters<typeof SqlFault>> = {
  key_full: ['rate_limited', 'This database has enough statements under way. Try again when they are done.'],
  organization_full: [
    'rate_limited',
    'Too many statements of your organization wait already. Try again when some are done.',
  ],
  late: [
    'rate_limited',
    'The statement was not run: it waited 30 seconds for others to end. Try again in a moment.',
  ],
  closed: ['unavailable', 'The server is stopping. Try again once it has started.'],
};

/** Creates them; the engine behind is told what to do, never asked whether it may. */
export function createDatabases({ engine, databases, secrets, clock, onError }: DatabaseParts): Databases {
  const turns = new Turns(TURNS, (why) => new SqlFault(...REFUSALS[why]));
  const isAvailable = databases.isAvailable;

  async function open(key: string, connectionId: string): Promise<OpenDatabase> {
    const row = (await findRow(engine.db, key)) ?? (await make(key, connectionId));
    const { name, role, secret } = row;
    return { name, role, password: secret === null ? null : secrets.open(secret, placeOf(name)) };
  }

  async function make(key: string, connectionId: string): Promise<DatabaseRow> {
    try {
      return await engine.db.transaction().execute(async (trx) => {
        const name = await freeName(trx, databases.nameFor(connectionId));
        const login = await databases.create(trx, name);
        const row: DatabaseRow = {
          name,
          connection_id: key,
          role: login?.role ?? null,
          secret: login === undefined ? null : secrets.seal(login.password, placeOf(name)),
          created_at: clock(),
          forgotten_at: null,
        };
        await addRow(trx, row);
        return row;
      });
    } catch (error) {
      // Another statement or process may have made it meanwhile.
      const row = await findRow(engine.db, key);
      if (row === undefined) throw error;
      return row;
    }
  }

  async function run(request: SqlRequest): Promise<SqlResult> {
    const { organizationId, connectionId, timeoutMs, signal = NEVER } = request;
    if (!isAvailable) throw new SqlFault('unavailable', UNAVAILABLE);
    // The id becomes the name of a file or schema.
    if (!CONNECTION_ID.test(connectionId)) throw new SqlFault('invalid', 'This is no id of a connection.');
    // Loaded late: few commands and servers ever run one.
    const { statementOf } = await import('./statement.ts');
    const statement = statementOf(request, engine.name);
    const key = keyOf(organizationId, connectionId);
    return turns.take({ organizationId, key, signal }, async () =>
      databases.run(await open(key, connectionId), statement, { timeoutMs, signal }),
    );
  }

  async function sweep(): Promise<number> {
    const due = await dueRows(engine.db, clock());
    for (const row of due) {
      await databases.remove(row);
      await removeRow(engine.db, row.name);
    }
    return due.length;
  }

  const timer = setInterval(() => detach(sweep(), onError), SWEEP_MS).unref();
  return {
    isAvailable,
    run,
    sweep,
    forget: (tx, organizationId, connectionIds) =>
      forgetRows(
        tx.db<AnyTables>(),
        connectionIds.map((id) => keyOf(organizationId, id)),
        clock(),
      ),
    async close() {
      clearInterval(timer);
      turns.close();
      await databases.close();
    },
  };
}

const NEVER = new AbortController().signal;

/** Ids of connections come back, also in another organization, which must not find what was there before. */
function keyOf(organizationId: string, connectionId: string): string {
  return `${organizationId}/${connectionId}`;
}

/** Passwords belong to no organization; the name of the database says where they fit. */
function placeOf(name: string) {
  return { organizationId: '', rowId: `database ${name}` };
}
