/** Owns the narrow part of `pg` that the adapters use, and one transaction on it. */
import { load } from './load.ts';

export interface Client {
  query<Row = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<{ rows: Row[]; rowCount: number }>;
  release(): void;
}
export interface Pool extends Pick<Client, 'query'> {
  connect(): Promise<Client>;
  end(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): void;
}

/** Opens a pool. */
export function openPool(url: string, max = 10): Pool {
  const { Pool: PgPool } = load<{ Pool: new (options: object) => Pool }>('pg');
  const pool = new PgPool({ connectionString: url, max });
  pool.on('error', () => undefined);
  return pool;
}

/** Runs work in one transaction; a fault rolls it back. */
export async function inTransaction<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const value = await work(client);
    await client.query('commit');
    return value;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

/** Writes a row of the caller and makes a task in one transaction, then commits or rolls back. */
export async function createInCallers(
  pool: Pool,
  end: 'commit' | 'rollback',
  create: (client: Client) => Promise<string>,
): Promise<string> {
  const client = await pool.connect();
  try {
    await client.query('create table if not exists ledger (id text)');
    await client.query('begin');
    await client.query('insert into ledger values ($1)', ['row']);
    const id = await create(client);
    await client.query(end);
    return id;
  } finally {
    client.release();
  }
}
