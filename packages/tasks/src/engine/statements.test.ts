/** How much is asked of the database for one task: what is not needed is not asked. */
import { expect, test, vi } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import { gate, openBed } from '../../test/engine-bed.ts';

/** By the first word of each; what goes out in one piece with the commit is one, and waiting for the batch another. */
const CREATE = {
  sqlite: ['begin', 'with', 'commit', 'commit'],
  postgres: ['select', 'commit'],
} as const;

/** The same of one that stands in line. */
const LINED = {
  sqlite: ['begin', 'with', 'insert', 'commit', 'commit'],
  postgres: ['commit', 'commit'],
} as const;

onBothEngines('the statements of a task', (open, engine) => {
  test('are those of one write until its code runs, and no more where others wait', async () => {
    const store = await open();
    store.spending.turnOn({ keepsStretches: true });
    let began = gate();
    const go = gate();
    const bed = await openBed(open, {
      store,
      limits: { runningPerOwner: 2 },
      scripts: {
        job: () => {
          began.open();
          return go.opened;
        },
      },
    });
    await bed.enqueue('job');
    await began.opened;
    began = gate();
    const within = store.spending.within.bind(store.spending);
    // What is written for many is nobody's time; here it is that of the one task that there is.
    vi.spyOn(store.spending, 'within').mockImplementation((_spent, work) => work());
    const asked = async (work: () => Promise<unknown>) => {
      const spent = store.spending.begin();
      await within(spent, work);
      return spent?.stretches?.filter(({ on }) => on === 'database').map(({ what }) => what);
    };
    const first = await asked(async () => {
      await bed.enqueue('job');
      await began.opened;
    });
    expect(first).toEqual(CREATE[engine]);
    const created: (readonly string[])[] = [];
    // Those who wait are counted once a second, so not by each of them.
    for (let waiting = 1; waiting <= 10; waiting += 1)
      created.push((await asked(() => bed.enqueue('job'))) ?? []);
    expect(created).toContainEqual(LINED[engine]);
    go.open();
  });
});
