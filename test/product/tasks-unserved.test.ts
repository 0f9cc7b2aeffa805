/** A tool that meets a database that is away while it runs as a task: the whole server runs it again, and stores no error. */
import { readFileSync } from 'node:fs';
import { defineTool, defineToolset } from '@parley/kit';
import { StoreUnavailableError } from '@parley/store';
import { scratchDatabase } from '@parley/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { createApp, loadConfig } from '../../apps/server/src/index.ts';
import { message, post } from './mcp-messages.ts';

test.each(['sqlite', 'postgres'] as const)(
  'a task outlives a database that is away outside of its steps, on %s',
  async (engine) => {
    let outages = 2;
    const look = defineTool({
      name: 'look',
      title: 'Look',
      description: 'Reads what is there.',
      effect: 'read',
      task: 'allowed',
      input: z.object({}),
      output: z.object({ found: z.string() }),
      run() {
        if (outages-- > 0) throw new StoreUnavailableError('lost');
        return { found: 'all of it' };
      },
    });
    const database = await scratchDatabase(engine);
    onTestFinished(() => database.remove());
    const { dataDir, databaseUrl } = database.options;
    const where = databaseUrl === undefined ? [] : ['--database-url', databaseUrl];
    const flags = ['--port', '0', '--data', dataDir, '--log-level', 'silent', ...where];
    const app = await createApp({
      config: loadConfig(flags, { env: {} }).config,
      toolsets: [defineToolset({ name: 'lab', title: 'Lab', tools: [look] })],
    });
    onTestFinished(() => app.close());
    const { mcp } = await app.listen();
    const key = readFileSync(app.ownerKeyFile, 'utf8').trim();
    const { body } = await post(mcp, key, message(1, 'tools/call', { name: 'look', arguments: {} }));
    expect(body).toMatchObject({ result: { structuredContent: { found: 'all of it' } } });
    expect(outages).toBe(-1);
  },
);
