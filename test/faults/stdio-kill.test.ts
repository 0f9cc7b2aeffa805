/** The fault "kill -9 while programs of connections run": they end with the server, and so does what they started. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from '@parley/test-support/eventually';
import { expect, onTestFinished, test } from 'vitest';
import { running, targetOf } from '../../packages/gateway/test/programs.ts';

test.each([
  ['killed', 'SIGKILL'],
  ['ended', 'SIGTERM'],
] as const)(
  'check 7: a program that ignores SIGTERM, and its child, end with a server that is %s',
  async (_name, signal) => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-kill-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const options = JSON.stringify({ target: targetOf({ era: '2026', isStubborn: true }), folder });
    const server = spawn(process.execPath, [join(import.meta.dirname, 'stdio-program.ts'), options], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exit = once(server, 'exit');
    const lines = createInterface({ input: server.stdout });
    const [line] = (await once(lines, 'line')) as [string];
    const { content } = JSON.parse(line) as { content: [{ text: string }] };
    const { pid, child } = JSON.parse(content[0].text) as { pid: number; child: number };
    const started = running(pid);
    // Itself, its child and the watch.
    expect(started).toEqual(expect.arrayContaining([pid, child]));
    expect(started).toHaveLength(3);
    server.kill(signal);
    expect(await exit).toEqual([null, signal]);
    await eventually(() => expect(running(pid)).toEqual([]));
    await eventually(() => expect(running(child)).toEqual([]));
  },
);
