/** Places and turns: how many tasks of whom run is counted as rows change, and indexes hold only tasks that live. */
import type { Migration } from '@parley/store';
import { byEngine } from '@parley/store';
import { sql } from 'kysely';

const REPLACED = [
  'tasks_due',
  'tasks_next',
  'tasks_by_worker',
  'tasks_by_kind',
  'tasks_by_expiry',
  'tasks_by_parent',
];

/** The kinds that had places of their own before a row said so. */
const SYSTEM_KINDS = ['events.deliver', 'agent.owner.deliver', 'agent.owner.poll'];

/** Adds the pool and the turn of a task, and a row of counts for each owner and organization. */
export const countPlaces: Migration = async (db, engine) => {
  await sql`alter table tasks add column pool text not null default 'caller'`.execute(db);
  await sql`alter table tasks add column turn bigint`.execute(db);
  await sql`alter table tasks add column served_turn bigint`.execute(db);
  await db.updateTable('tasks').set({ pool: 'system' }).where('kind', 'in', SYSTEM_KINDS).execute();
  for (const name of REPLACED) await db.schema.dropIndex(name).execute();
  for (const statement of INDEXES) await sql.raw(statement).execute(db);
  await db.schema
    .createTable('task_places')
    .addColumn('pool', 'text', (column) => column.notNull())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .addColumn('running', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('task_places_pk', ['pool', 'organization_id', 'owner_id'])
    .execute();
  for (const statement of byEngine(engine, { sqlite: SQLITE_COUNTS, postgres: POSTGRES_COUNTS }))
    await sql.raw(statement).execute(db);
  for (const owner of ['owner_id', `''`]) await sql.raw(fill(owner)).execute(db);
};

// Named by literals in every query too: a planner that sees a parameter does not know that the index fits.
const INDEXES = [
  // What a worker takes, in the order of the turns.
  `create index tasks_turns on tasks (pool, turn, priority desc, due_at, created_at) where turn is not null`,
  `create index tasks_turns_of_owner on tasks (organization_id, owner_id, pool, turn) where turn is not null`,
  // What waits for its time, or has just come.
  `create index tasks_timed on tasks (due_at) where turn is null and state in ('ready', 'asking')`,
  `create index tasks_waiting on tasks (organization_id, owner_id, due_at) where state = 'ready'`,
  `create index tasks_running on tasks (worker_id) where state = 'running'`,
  `create index tasks_by_expiry on tasks (expires_at) where expires_at is not null`,
  `create index tasks_by_parent on tasks (parent_id) where parent_id is not null`,
];

const fill = (owner: string) =>
  `insert into task_places (pool, organization_id, owner_id, running)
   select pool, organization_id, ${owner}, sum(case when state = 'running' then 1 else 0 end)
   from tasks group by 1, 2, 3`;

const ownerAnd = (row: string) =>
  `pool = ${row}.pool and organization_id = ${row}.organization_id and owner_id in (${row}.owner_id, '')`;
const addMissing = (owner: string) =>
  `insert into task_places (pool, organization_id, owner_id, running)
   select new.pool, new.organization_id, ${owner}, 0 where not exists (select 1 from task_places p
   where p.pool = new.pool and p.organization_id = new.organization_id and p.owner_id = ${owner});`;

const SQLITE_COUNTS = [
  `create trigger tasks_known after insert on tasks begin
     ${addMissing(`''`)}
     ${addMissing('new.owner_id')}
   end`,
  `create trigger tasks_begun after insert on tasks when new.state = 'running' begin
     update task_places set running = running + 1 where ${ownerAnd('new')};
   end`,
  `create trigger tasks_moved after update of state on tasks when (old.state = 'running') <> (new.state = 'running') begin
     update task_places set running = running + case when new.state = 'running' then 1 else -1 end where ${ownerAnd('new')};
   end`,
  `create trigger tasks_removed after delete on tasks when old.state = 'running' begin
     update task_places set running = running - 1 where ${ownerAnd('old')};
   end`,
];

/** Those that run, for their owner and for their organization. */
export const runningIn = (rows: string, by: number) =>
  ['owner_id', `''`].map(
    (owner) =>
      `select pool, organization_id, ${owner} as owner_id, ${by} as running from ${rows} where state = 'running'`,
  );
/** In one order everywhere, so that two statements never wait for each other; nothing is written where nothing changes. */
export const count = (...parts: readonly string[]) =>
  `insert into task_places (pool, organization_id, owner_id, running)
   select pool, organization_id, owner_id, sum(running) from (${parts.join(' union all ')}) changed
   group by 1, 2, 3 having sum(running) <> 0 order by 1, 2, 3
   on conflict (pool, organization_id, owner_id) do update set running = task_places.running + excluded.running;`;

const POSTGRES_COUNTS = [
  // Steps, progress and leases rewrite a row where it is.
  `alter table tasks set (fillfactor = 85)`,
  `alter table task_places set (fillfactor = 50)`,
  `create function tasks_count_places() returns trigger language plpgsql as $$
   begin
     if tg_op = 'INSERT' then
       insert into task_places (pool, organization_id, owner_id, running)
       select distinct pool, organization_id, owner.id, 0 from added, lateral (values (added.owner_id), ('')) as owner(id)
       order by 1, 2, 3 on conflict do nothing;
       ${count(...runningIn('added', 1))}
     elsif tg_op = 'DELETE' then
       ${count(...runningIn('removed', -1))}
     else
       ${count(...runningIn('added', 1), ...runningIn('removed', -1))}
     end if;
     return null;
   end $$`,
  `create trigger tasks_begun after insert on tasks referencing new table as added
   for each statement execute function tasks_count_places()`,
  `create trigger tasks_moved after update on tasks referencing old table as removed new table as added
   for each statement execute function tasks_count_places()`,
  `create trigger tasks_removed after delete on tasks referencing old table as removed
   for each statement execute function tasks_count_places()`,
];
