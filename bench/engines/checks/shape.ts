/** The lines on what has to be there: a SQLite file beside PostgreSQL, and one process to start. */
import { PACKAGES } from '../engines.ts';
import { manifestOf } from '../load.ts';
import { statsBelow } from '../processes.ts';
import type { Check } from './check.ts';
import { count } from './check.ts';

export const sqlite: Check = {
  line: 'the same on a SQLite file',
  isSqlite: true,
  async run(bed) {
    const name = PACKAGES[bed.engine];
    if (name !== undefined) {
      const drivers = Object.keys(manifestOf(name).dependencies ?? {}).filter((one) =>
        /sqlite|^pg$/.test(one),
      );
      return {
        verdict: 'no',
        seen: `${name} ${manifestOf(name).version} has the driver ${drivers.join(', ')} only`,
      };
    }
    const a = await bed.start('a');
    await a.create({ label: 'task', does: 'steps' });
    const ran = await bed.until(() => count(bed, 'task', 'three') > 0, 10_000);
    return { verdict: ran === undefined ? 'no' : 'yes', seen: `ran ${count(bed, 'task', 'three')} times` };
  },
};

export const oneProcess: Check = {
  line: 'one process to start beside the database',
  async run(bed) {
    const a = await bed.start('a');
    await a.create({ label: 'task', does: 'steps' });
    const ran = await bed.until(() => count(bed, 'task', 'three') > 0, 10_000);
    const others = statsBelow(a.pid).length;
    const seen = `${ran === undefined ? 'did not run' : 'ran'} in one process that had started ${others} more`;
    return { verdict: ran !== undefined && others === 0 ? 'yes' : 'no', seen };
  },
};
