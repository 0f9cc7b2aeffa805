/** Asks a PostgreSQL database whether Parley has written to it, before anything is made for it. */
import { clientConfig } from './pool.ts';
import { toConnectError } from './errors.ts';

/** True when migrations were applied there. */
export async function isUsedPostgres(databaseUrl: string): Promise<boolean> {
  const { default: Driver } = await import('pg');
  const client = new Driver.Client(clientConfig(Driver, databaseUrl));
  // A connection that is lost while it is open is told by the query as well.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ used: boolean }>(
      "select to_regclass('parley_migrations') is not null as used",
    );
    return rows[0]?.used === true;
  } catch (error) {
    throw toConnectError(error);
  } finally {
    // What went wrong was told already.
    await client.end().catch(() => undefined);
  }
}
