/** Whatever PostgreSQL says to a write of the journal is nobody's fault: the task goes on, and no step runs again. */
import { openStore } from '@parley/store';
import type { Store } from '@parley/store';
import { scratchDatabase } from '@parley/store/testing';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openBed } from '../../test/engine-bed.ts';
import { taskMigrations } from '../migrations/index.ts';

/** SQLSTATE, and what a server means by it. */
const REFUSALS = [
  ['08000', 'a connection that failed'],
  ['08006', 'a connection that was lost'],
  ['25006', 'a server that takes no writes'],
  ['25P03', 'a transaction that idled too long'],
  ['40001', 'two writers in conflict'],
  ['40003', 'a statement of which nobody knows whether it was done'],
  ['40P01', 'a deadlock'],
  ['53000', 'too few resources'],
  ['53100', 'a full disk'],
  ['53200', 'too little memory'],
  ['53300', 'too many connections'],
  ['53400', 'a limit of the configuration'],
  ['55000', 'an object that is not in the state it has to be in'],
  ['55006', 'an object in use'],
  ['55P03', 'a lock that was not to be had'],
  ['57014', 'a statement that took too long'],
  ['57P01', 'an operator who ends connections'],
  ['57P02', 'a server that crashes'],
  ['57P03', 'a server that starts'],
  ['58030', 'a disk that does not answer'],
  ['XX000', 'a fault of its own'],
  ['XX001', 'damaged data'],
  ['P0001', 'a trigger of somebody else'],
] as const;

/** Two of three transactions are refused; the count of a sequence survives that they are rolled back. */
async function refuseWrites(store: Store, code: string): Promise<void> {
  await sql
    .raw(
      `create sequence refusals;
      create function refuse() returns trigger language plpgsql as $$ begin
        if coalesce(current_setting('test.passes', true), '') = '' then
          if nextval('refusals') % 3 <> 0 then raise exception 'refused' using errcode = '${code}'; end if;
          perform set_config('test.passes', 'yes', true);
        end if;
        return new;
      end $$;
      create trigger refuse_steps before insert or update on task_steps for each row execute function refuse();
      create trigger refuse_inputs before insert on task_inputs for each row execute function refuse();
      create trigger refuse_ends before update on tasks for each row
        when (old.state = 'running' and new.state <> 'running') execute function refuse()`,
    )
    .execute(store.db());
}

test.each(REFUSALS)('%s, %s: steps, waits and ends are written again', async (code) => {
  const database = await scratchDatabase('postgres', [taskMigrations]);
  onTestFinished(database.remove);
  const store = await openStore({ ...database.options, onError: () => undefined });
  onTestFinished(() => store.close());
  await refuseWrites(store, code);
  const ran: string[] = [];
  const bed = await openBed(async () => store, {
    store,
    limits: { heldSleepMs: 0 },
    scripts: {
      job: async ({ io }) => {
        await io.step('one', () => ran.push('one'));
        await io.sleep('parked', 1);
        return io.step('two', () => {
          ran.push('two');
          return 'done';
        });
      },
    },
  });
  const { id } = await bed.enqueue('job');
  expect(await bed.ended(id)).toMatchObject({ status: 'completed', result: 'done' });
  expect({ ran, crashes: (await bed.row(id)).crashes, faults: bed.faults }).toEqual({
    ran: ['one', 'two'],
    crashes: 0,
    faults: [],
  });
});
