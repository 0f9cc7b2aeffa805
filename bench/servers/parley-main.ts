/** Parley itself as a bench server: every check on, the rate limit of its callers raised. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { keepHeapSmall } from '../../apps/server/src/lean-heap.ts';
import { benchTools } from '../tools.ts';
import { announce, serveOptions } from './serving.ts';
import { writeKeys } from './many-keys.ts';

// As "parley start" does, before the rest is loaded.
keepHeapSmall();
const { createApp, loadConfig } = await import('../../apps/server/src/index.ts');
const { benchToolset } = await import('./parley-toolset.ts');

const { tools, port } = serveOptions();
const { values } = parseArgs({ strict: false, options: { 'database-url': { type: 'string' } } });
const databaseUrl =
  typeof values['database-url'] === 'string' ? ['--database-url', values['database-url']] : [];
const dataDir = mkdtempSync(join(tmpdir(), 'parley-bench-'));
const flags = ['--port', String(port), '--data', dataDir, '--rate', '10000000', '--rate-burst', '10000000'];
const { config } = loadConfig([
  ...flags,
  '--log-level',
  'error',
  '--record-rows',
  '100000000',
  ...databaseUrl,
]);

const app = await createApp({ config, toolsets: [benchToolset(tools)] });
const { mcp } = await app.listen();
const { identity, store } = app.host;
const owner = await identity.authenticate(readFileSync(app.ownerKeyFile, 'utf8').trim(), 'key');
if (owner === undefined) throw new Error('The owner key of the bench does not work.');
const make = async (name: string, granted: string[]) =>
  (await identity.createKey(owner, { name, grants: { bench: granted }, expiresAt: null })).text;

const ready = {
  url: mcp,
  key: await make('bench', ['*']),
  listKey: await make(
    'bench lists',
    benchTools(tools).map((tool) => tool.name),
  ),
  dataDir,
};
announce(ready, {
  async close() {
    await app.close();
    rmSync(dataDir, { recursive: true, force: true });
  },
  commands: {
    // More keys like the first one, in a file.
    keys: (count) => writeKeys(store, { like: ready.key, count: Number(count), folder: dataDir }),
  },
  async records() {
    await store.records.flush();
    return store.records.count();
  },
});
