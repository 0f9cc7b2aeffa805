/** Rows of places are made for who stands in line, and no longer by whoever makes a task inside a transaction of its own. */
import type { Migration } from '@parley/store';
import { byEngine } from '@parley/store';
import { sql } from 'kysely';
import { count, runningIn } from './003-places.ts';

/**
 * On PostgreSQL a first task of an owner made its row of places, which others waited for until that transaction ended.
 * Whoever gives a task its turn, or begins it, does so in a single statement.
 */
export const knowThoseInLine: Migration = async (db, engine) => {
  for (const statement of byEngine(engine, { sqlite: [], postgres: [COUNT_PLACES] }))
    await sql.raw(statement).execute(db);
};

const COUNT_PLACES = `create or replace function tasks_count_places() returns trigger language plpgsql as $$
   begin
     if tg_op <> 'DELETE' then
       insert into task_places (pool, organization_id, owner_id, running)
       select distinct pool, organization_id, owner.id, 0 from added, lateral (values (added.owner_id), ('')) as owner(id)
       where turn is not null order by 1, 2, 3 on conflict do nothing;
     end if;
     if tg_op = 'INSERT' then
       ${count(...runningIn('added', 1))}
     elsif tg_op = 'DELETE' then
       ${count(...runningIn('removed', -1))}
     else
       ${count(...runningIn('added', 1), ...runningIn('removed', -1))}
     end if;
     return null;
   end $$`;
