/** Databases of connections on PostgreSQL: a schema each, owned by a login role that has rights on nothing else. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Kysely, Transaction } from 'kysely';
import type pg from 'pg';
import type { AnyTables } from '../engine.ts';
import type { DatabaseEngine } from './connection-databases.ts';
import type { SqlResult } from './databases.ts';
import type { PostgresLogin } from './postgres-session.ts';
import { runInSession } from './postgres-session.ts';

/** Opens them over the connections of the store; looks first whether they can be kept apart at all. */
export async function postgresDatabases(
  db: Kysely<AnyTables>,
  Driver: typeof pg,
  { databaseUrl, maxBytes }: { readonly databaseUrl: string; readonly maxBytes: number },
): Promise<DatabaseEngine> {
  const { isAvailable, isSuperuser } = await abilities(db);
  // Ends a session from outside, whatever it is doing.
  const end = async (processId: number) => {
    await sql`select pg_terminate_backend(${processId})`.execute(db);
  };

  return {
    isAvailable,
    nameFor: (connectionId) => `app_${connectionId.replaceAll('-', '_')}`,
    async create(trx, name) {
      const role = `parley_app_${randomBytes(9).toString('hex')}`;
      const password = randomBytes(24).toString('hex');
      await makeRole(trx, { name, role, password, isSuperuser });
      return { role, password };
    },
    run({ name, role, password }, statement, options): Promise<SqlResult> {
      const login: PostgresLogin = { databaseUrl, schema: name, user: role ?? '', password: password ?? '' };
      return runInSession({ Driver, login, maxBytes, end }, statement, options);
    },
    async remove({ name, role }) {
      await sql`drop schema if exists ${sql.id(name)} cascade`.execute(db);
      if (role === null) return;
      const known = await sql`select 1 from pg_roles where rolname = ${role}`.execute(db);
      if (known.rows.length === 0) return;
      await sql`drop owned by ${sql.id(role)}`.execute(db);
      await sql`drop role ${sql.id(role)}`.execute(db);
    },
    async close() {},
  };
}

/** Whether roles and schemas can be made, and nobody may put anything into a schema that is not theirs. */
async function abilities(db: Kysely<AnyTables>): Promise<{ isAvailable: boolean; isSuperuser: boolean }> {
  const { rows } = await sql<{
    is_superuser: boolean;
    makes_roles: boolean;
    makes_schemas: boolean;
    is_open: boolean;
  }>`
    select rolsuper as is_superuser, rolsuper or rolcreaterole as makes_roles,
      has_database_privilege(current_database(), 'CREATE') as makes_schemas,
      exists (select from pg_namespace
        where nspname !~ '^pg_' and has_schema_privilege('public', oid, 'CREATE')) as is_open
    from pg_roles where rolname = current_user`.execute(db);
  const [found] = rows;
  const isAvailable = found !== undefined && found.makes_roles && found.makes_schemas && !found.is_open;
  return { isAvailable, isSuperuser: found?.is_superuser === true };
}

async function makeRole(
  trx: Transaction<AnyTables>,
  {
    name,
    role,
    password,
    isSuperuser,
  }: { name: string; role: string; password: string; isSuperuser: boolean },
): Promise<void> {
  const [schema, login] = [sql.id(name), sql.id(role)];
  const powers = sql.raw('nosuperuser nocreatedb nocreaterole noinherit noreplication nobypassrls');
  await sql`create role ${login} login ${powers} connection limit 8 password ${sql.lit(password)}`.execute(
    trx,
  );
  // To make the schema for the role, to end its sessions and to remove both later.
  await sql`grant ${login} to current_user`.execute(trx);
  await sql`create schema ${schema} authorization ${login}`.execute(trx);
  await sql`alter role ${login} set search_path = ${schema}`.execute(trx);
  if (isSuperuser) await sql`alter role ${login} set temp_file_limit = '256MB'`.execute(trx);
}
