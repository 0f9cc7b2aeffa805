/** Owns the count after a kill: a process that creates tasks ends at a random moment, and what it acknowledged is looked for. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startServer } from './server-process.ts';

/** What became of the acknowledged tasks. */
export interface KillCount {
  kills: number;
  acknowledged: number;
  missing: number;
  momentsMs: number[];
}

const SHORTEST_MS = 100;
const LONGEST_MS = 1000;

/** Kills a creating process so many times on one folder, then counts. */
export async function countAfterKills(script: string, dataDir: string, kills: number): Promise<KillCount> {
  const acknowledged: string[] = [];
  const momentsMs: number[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const momentMs = Math.round(SHORTEST_MS + Math.random() * (LONGEST_MS - SHORTEST_MS));
    momentsMs.push(momentMs);
    acknowledged.push(...(await floodAndKill(script, dataDir, momentMs)));
  }
  const file = join(dataDir, 'acknowledged.txt');
  writeFileSync(file, acknowledged.join('\n'));
  const reader = await startServer(script, ['--data', dataDir]);
  try {
    const { missing } = await reader.ask(`missing ${file}`);
    return { kills, acknowledged: acknowledged.length, missing: Number(missing), momentsMs };
  } finally {
    await reader.stop();
  }
}

/** The ids that a process told of before it was killed. */
async function floodAndKill(script: string, dataDir: string, momentMs: number): Promise<string[]> {
  const child = spawn(process.execPath, [script, '--data', dataDir, '--worker'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ids: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    if (line.startsWith('task_')) {
      ids.push(line);
      return;
    }
    // the ready line
    child.stdin.write('flood\n');
    setTimeout(() => child.kill('SIGKILL'), momentMs);
  });
  await Promise.all([once(child, 'exit'), once(lines, 'close')]);
  return ids;
}
