/** What an agent remembers and signs, what it owns, and what is known of its conduct. */
import type { AnyTables, Migration } from '@parley/store';
import { addSerialId, byEngine, epochMsColumn, jsonColumn } from '@parley/store';
import type { CreateTableBuilder, Kysely } from 'kysely';
import { sql } from 'kysely';

export const createMemory: Migration = async (db, engine) => {
  await createChain(db);
  await createMemories(db, engine);
  await createCredits(db);
  await createReputation(db);
  await createHealth(db);
};

async function createChain(db: Kysely<AnyTables>): Promise<void> {
  await ownedTable(db, 'agent_keys')
    .addColumn('key_id', 'text', (column) => column.primaryKey())
    .addColumn('public_key', 'text', (column) => column.notNull())
    .addColumn('private_key', 'text', (column) => column.notNull())
    .addColumn('active', 'integer', (column) => column.notNull())
    .addColumn('retired_at', epochMsColumn)
    .execute();
  await db.schema.createIndex('agent_keys_by_agent').on('agent_keys').column('agent_id').execute();
  await ownedTable(db, 'agent_chain')
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addColumn('payload_hash', 'text', (column) => column.notNull())
    .addColumn('prev_hash', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('signature', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('agent_chain_pk', ['agent_id', 'seq'])
    .execute();
  await db.schema
    .createIndex('agent_chain_by_subject')
    .on('agent_chain')
    .columns(['agent_id', 'subject_id', 'seq'])
    .execute();
}

const createMemories: Migration = async (db, engine) => {
  // The long texts come last, so that what sorts and counts rows need not pass over them.
  await addSerialId(owned(db.schema.createTable('agent_memories')), engine)
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('key_words', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('archived', 'integer', (column) => column.notNull())
    .addColumn('expires_at', epochMsColumn)
    .addColumn('bytes', 'integer', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('folded', 'text', (column) => column.notNull())
    .addUniqueConstraint('agent_memories_key', ['agent_id', 'key'])
    .execute();
  // Everything that is counted or listed is answered from this index alone.
  await db.schema
    .createIndex('agent_memories_newest')
    .on('agent_memories')
    .columns(['agent_id', 'seq', 'archived', 'expires_at', 'bytes'])
    .execute();
  const search = byEngine(engine, { sqlite: SQLITE_SEARCH, postgres: POSTGRES_SEARCH });
  for (const statement of search) await sql.raw(statement).execute(db);
};

const SQLITE_SEARCH = [
  // Words are cut by us: this tokenizer only cuts at blanks, as PostgreSQL takes ours as they are.
  `create virtual table agent_memories_fts using fts5(words, content='', contentless_delete=1, detail=none, tokenize='ascii')`,
  `create trigger agent_memories_delete after delete on agent_memories begin
     delete from agent_memories_fts where rowid = old.id;
   end`,
];

const POSTGRES_SEARCH = [
  `alter table agent_memories add column words tsvector not null default ''`,
  `create index agent_memories_words on agent_memories using gin (words) with (fastupdate = off)`,
];

async function createCredits(db: Kysely<AnyTables>): Promise<void> {
  await ownedTable(db, 'credit_accounts')
    .addColumn('account_id', 'text', (column) => column.primaryKey())
    .addColumn('credits', epochMsColumn, (column) => column.notNull())
    .addColumn('reserved', epochMsColumn, (column) => column.notNull())
    .addUniqueConstraint('credit_accounts_by_agent', ['agent_id'])
    .execute();
  await timed(db.schema.createTable('credit_transactions'))
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('credit_accounts.account_id').onDelete('cascade'),
    )
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('amount', epochMsColumn, (column) => column.notNull())
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('actor', 'text', (column) => column.notNull())
    .addColumn('refers_to', 'text', (column) => column.unique())
    .execute();
  await db.schema
    .createIndex('credit_transactions_by_account')
    .on('credit_transactions')
    .columns(['account_id', 'type', 'created_at', 'amount'])
    .execute();
  await timed(db.schema.createTable('credit_config'))
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('value', jsonColumn, (column) => column.notNull())
    .addPrimaryKeyConstraint('credit_config_pk', ['organization_id', 'key'])
    .execute();
}

async function createReputation(db: Kysely<AnyTables>): Promise<void> {
  await ownedTable(db, 'agent_reputation')
    .addColumn('overall', 'integer', (column) => column.notNull())
    .addColumn('components', jsonColumn, (column) => column.notNull())
    .addColumn('computed_at', epochMsColumn, (column) => column.notNull())
    .addPrimaryKeyConstraint('agent_reputation_pk', ['agent_id'])
    .execute();
  await ownedTable(db, 'reputation_events')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('detail', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('reputation_events_by_agent')
    .on('reputation_events')
    .columns(['agent_id', 'created_at', 'kind'])
    .execute();
  await db.schema
    .createIndex('reputation_events_by_age')
    .on('reputation_events')
    .column('created_at')
    .execute();
  await ownedTable(db, 'agent_reviews')
    .addColumn('reviewer', 'text', (column) => column.notNull())
    .addColumn('rating', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('agent_reviews_pk', ['agent_id', 'reviewer'])
    .execute();
  await ownedTable(db, 'reputation_attestations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('overall', 'integer', (column) => column.notNull())
    .addColumn('level', 'text', (column) => column.notNull())
    .addColumn('components', jsonColumn, (column) => column.notNull())
    .addColumn('computed_at', epochMsColumn, (column) => column.notNull())
    .addColumn('counted', 'integer', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('seq', 'integer', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('reputation_attestations_by_agent')
    .on('reputation_attestations')
    .columns(['agent_id', 'seq'])
    .execute();
}

async function createHealth(db: Kysely<AnyTables>): Promise<void> {
  await timed(db.schema.createTable('health_snapshots'))
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('agent_id', 'text')
    .addColumn('type_errors', 'integer')
    .addColumn('test_failures', 'integer')
    .addColumn('todo', 'integer')
    .addColumn('fixme', 'integer')
    .addColumn('hack', 'integer')
    .addColumn('large_files', 'integer')
    .addColumn('outdated_deps', 'integer')
    .execute();
  await db.schema
    .createIndex('health_snapshots_by_project')
    .on('health_snapshots')
    .columns(['organization_id', 'project_id', 'created_at', 'id'])
    .execute();
  await db.schema
    .createIndex('health_snapshots_by_age')
    .on('health_snapshots')
    .column('created_at')
    .execute();
}

const ownedTable = (db: Kysely<AnyTables>, name: string) => owned(db.schema.createTable(name));

/** What goes with its agent. */
function owned<Table extends string>(table: CreateTableBuilder<Table>) {
  return timed(table).addColumn('agent_id', 'text', (column) =>
    column.notNull().references('agents.id').onDelete('cascade'),
  );
}

function timed<Table extends string>(table: CreateTableBuilder<Table>) {
  return table
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull());
}
