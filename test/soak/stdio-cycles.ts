/**
 * Starts and ends programs of a connection a thousand times, some of them by force, and fails when a process, a zombie or
 * a descriptor is left: `node test/soak/stdio-cycles.ts [--cycles 1000]`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { UpstreamTarget } from '@parley/connections';
import { createStdioLinks } from '../../packages/gateway/src/upstream/stdio/stdio-links.ts';

const SETTLE_MS = 1_000;
const { values } = parseArgs({ options: { cycles: { type: 'string', default: '1000' } } });
const cycles = Number(values.cycles);

const HELLO = `read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{}}}'`;
/** One that ends with its input, one that crashes, and one that has to be killed with its child. */
const HABITS = [
  `${HELLO}; cat >/dev/null`,
  `${HELLO}; exit 3`,
  `trap '' TERM; ${HELLO}; sleep 600 & sleep 600`,
];

const folder = mkdtempSync(join(tmpdir(), 'parley-cycles-'));
const links = createStdioLinks({
  programs: { environment: { PATH: '/usr/bin:/bin' }, folder, roots: [folder] },
  info: { name: 'parley', version: '0.0.0' },
  onFault: (error) => console.error(error),
  times: { quietEndMs: 200, termMs: 50, backoffMs: 1 },
});

interface Counted {
  readonly descriptors: number;
  readonly timersAndHandles: number;
  /** Processes whose parent or group is this one, zombies included, and whatever of ours has lost its parent. */
  readonly processes: number;
}

function count(): Counted {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' }).split('\n');
  const ours = lines.filter((line) => {
    const [pid = '', parent] = line.trim().split(/\s+/);
    return parent === String(process.pid) && !line.includes('ps -eo') && pid !== '';
  });
  const strays = lines.filter((line) => line.includes('sleep 600') || line.includes('kill -KILL 0'));
  return {
    descriptors: readdirSync('/proc/self/fd').length,
    timersAndHandles: process.getActiveResourcesInfo().length,
    processes: ours.length + strays.length,
  };
}

function targetOf(cycle: number): UpstreamTarget {
  const args = ['-c', HABITS[cycle % HABITS.length] ?? ''];
  return {
    id: `conn_${cycle % HABITS.length}`,
    organizationId: 'org_soak',
    secrets: [],
    type: 'STDIO',
    url: null,
    token: null,
    headers: {},
    program: { command: '/bin/sh', args, cwd: null, env: {} },
    principal: '',
    allow: [],
    era: 'legacy',
    maxResultBytes: 1024 * 1024,
  };
}

async function cycle(number: number): Promise<void> {
  const target = targetOf(number);
  await links.of(target).facts();
  await links.forget(target.id);
}

for (let warm = 0; warm < HABITS.length; warm += 1) await cycle(warm);
await delay(SETTLE_MS);
const before = count();
for (let number = 0; number < cycles; number += 1) await cycle(number);
await delay(SETTLE_MS);
const after = count();
await links.close();
rmSync(folder, { recursive: true, force: true });

console.log(`${cycles} starts and ends: ${JSON.stringify({ before, after })}`);
const isLeft = Object.entries(after).some(([name, value]) => value > before[name as keyof Counted]);
if (isLeft || after.processes > 0) {
  console.error('Something is left over.');
  process.exitCode = 1;
}
