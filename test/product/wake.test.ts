/** Acceptance: a write in one process wakes a waiter in another on the same data, on both engines; how soon is measured by the bench. */
import { join } from 'node:path';
import type { StoreEngine } from '@parley/store';
import { scratchDatabase } from '@parley/store/testing';
import { describe, expect, test } from 'vitest';
import { callTool, stdioClient } from './mcp-messages.ts';
import { spawnParley, startParley } from './parley.ts';

const PROGRAM = join(import.meta.dirname, 'notes-program.ts');
const TRIES = 20;

describe.each<StoreEngine>(['sqlite', 'postgres'])('on %s', (engine) => {
  test('parley mcp is woken by every write of parley start', async () => {
    const { options, remove } = await scratchDatabase(engine);
    const args = options.databaseUrl === undefined ? [] : ['--database-url', options.databaseUrl];
    const server = await startParley(options.dataDir, { program: PROGRAM, args });
    const waiter = spawnParley(['mcp', 'notes', '--data', options.dataDir, ...args], { program: PROGRAM });
    try {
      const client = stdioClient(waiter);
      for (let attempt = 1; attempt <= TRIES; attempt += 1) {
        const waited = client.call('note_wait');
        await waiter.until('stderr', new RegExp(`(waiting for a note\\s+){${attempt}}`));
        await callTool(server, 'note_add', { text: `note ${attempt}` });
        const seen = (await waited).result?.structuredContent;
        expect(seen?.text).toBe(`note ${attempt}`);
      }
    } finally {
      waiter.child.stdin.end();
      expect((await waiter.ended).code).toBe(0);
      expect((await server.stop()).code).toBe(0);
      await remove();
    }
  });
});
