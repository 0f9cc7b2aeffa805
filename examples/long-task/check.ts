/** Starts Parley on a folder of its own and runs the client against it; fails when anything is not as it should be. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { run } from './client.ts';

const launcher = join(import.meta.dirname, '../../apps/server/bin/parley.js');
const data = await mkdtemp(join(tmpdir(), 'parley-long-task-'));
const parley = spawn(process.execPath, [launcher, 'start', '--port', '0', '--data', data, '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = once(parley, 'exit');
try {
  const [line] = (await once(createInterface({ input: parley.stdout }), 'line')) as [string];
  const { mcp, ownerKeyFile } = JSON.parse(line) as { mcp: string; ownerKeyFile: string };
  await run(mcp, (await readFile(ownerKeyFile, 'utf8')).trim());
} finally {
  parley.kill('SIGTERM');
  await ended;
  await rm(data, { recursive: true, force: true });
}
console.log('long-task: started, followed, asked and ended as it should');
