/** A database of before the counts of places: its tasks are counted, and all of them go on. */
import type { Store } from '@parley/store';
import { onBothEngines } from '@parley/store/testing';
import { expect, test } from 'vitest';
import { openBed, OWNER } from '../../test/engine-bed.ts';
import type { TaskRow, TaskTables } from '../schema.ts';
import { taskMigrations } from './index.ts';

const { '001-tasks': first, '002-kinds': second } = taskMigrations.migrations;

type OldRow = Omit<TaskRow, 'pool' | 'turn' | 'served_turn'>;

const AT = 1_700_000_000_000;

const old = (id: string, changes: Partial<OldRow> = {}): OldRow => ({
  id: `task_${id}`,
  organization_id: OWNER.organizationId,
  owner_id: OWNER.ownerId,
  kind: 'job',
  kind_version: 1,
  state: 'ready',
  outcome: null,
  input: 'null',
  capabilities: '{}',
  priority: 0,
  due_at: AT,
  worker_id: null,
  lease_until: null,
  fence: 0,
  crashes: 0,
  cancel_reason: null,
  parent_id: null,
  idempotency_key: null,
  status_message: null,
  progress_done: null,
  progress_total: null,
  result: null,
  error: null,
  ttl_ms: 86_400_000,
  created_at: AT,
  updated_at: AT,
  finished_at: null,
  expires_at: null,
  ...changes,
});

const HELD = { state: 'running', worker_id: 'worker_gone', lease_until: AT, fence: 1 } as const;
const ROWS: readonly OldRow[] = [
  old('ready'),
  old('later', { due_at: 4_000_000_000_000 }),
  old('running', HELD),
  old('second', HELD),
  old('asking', { state: 'asking', due_at: 4_000_000_000_000, fence: 1 }),
  old('final', {
    state: 'final',
    outcome: 'completed',
    result: '1',
    expires_at: 4_000_000_000_000,
    fence: 1,
  }),
  old('pump', { ...HELD, kind: 'events.deliver', owner_id: 'system_events' }),
  old('other', { ...HELD, organization_id: 'org_other' }),
];

async function openOld(store: Store): Promise<void> {
  await store.migrate([{ name: 'tasks', migrations: { '001-tasks': first!, '002-kinds': second! } }]);
  await store
    .db<{ tasks: OldRow }>()
    .insertInto('tasks')
    .values([...ROWS])
    .execute();
  const own = { task_id: 'task_asking', organization_id: OWNER.organizationId, position: 0 };
  const open = { ...own, input_key: 'who', request: '{}', response: null, expires_at: 4_000_000_000_000 };
  await store.db<TaskTables>().insertInto('task_inputs').values(open).execute();
}

onBothEngines('an older database', (open) => {
  test('its tasks are counted as they are, and go on', async () => {
    const store = await open();
    await openOld(store);
    expect(await store.migrate([taskMigrations])).toEqual([
      'tasks/003-places',
      'tasks/004-known-in-line',
      'tasks/005-count-running',
      'tasks/006-progress',
      'tasks/007-asking',
    ]);
    const bed = await openBed(open, { store, scripts: { job: async () => 'done' } });
    for (const id of ['task_ready', 'task_running', 'task_second'])
      expect(await bed.ended(id)).toMatchObject({ status: 'completed', result: 'done' });
    expect((await bed.get('task_later')).status).toBe('working');
    expect((await bed.get('task_asking')).status).toBe('input_required');
    expect((await bed.get('task_final')).result).toBe(1);
  });
});
