/**
 * Restarts three servers on one PostgreSQL in turn, again and again, under clients of both eras, and fails when a request
 * fails that was not made in the last second of a server: `node test/soak/replicas.ts [--rounds 20] [--clients 4]`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres.ts';
import { startReplicaBed, unexcused, whileClientsWork } from '../faults/replica-bed.ts';
import { ensureBuilt } from '../product/build.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '20' }, clients: { type: 'string', default: '4' } },
});

await ensureBuilt();
const postgres = await startPostgres();
const dataDir = mkdtempSync(join(tmpdir(), 'parley-replicas-'));
try {
  await using bed = await startReplicaBed({ databaseUrl: postgres.url, dataDir });
  const doings = await whileClientsWork(bed, Number(values.clients), async () => {
    for (let round = 1; round <= Number(values.rounds); round += 1) {
      for (const index of bed.servers.keys()) await bed.restart(index);
      console.log(`round ${round}: ${bed.lastSeconds.length} servers ended`);
    }
  });
  const { done, failures, reopened } = doings;
  const bad = unexcused(bed, doings);
  console.log(JSON.stringify({ done, reopened, excused: failures.length - bad.length }));
  for (const failure of bad) console.error(failure);
  if (bad.length > 0) process.exitCode = 1;
} finally {
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
