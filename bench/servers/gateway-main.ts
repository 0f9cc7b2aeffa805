/** Parley as a gateway: every check on, the rate limit of its callers raised, connections made by the bench over MCP. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepHeapSmall } from '../../apps/server/src/lean-heap.ts';
import { announce, serveOptions } from './serving.ts';

// As "parley start" does, before the rest is loaded.
keepHeapSmall();
const { createApp, loadConfig } = await import('../../apps/server/src/index.ts');

const { port } = serveOptions();
const dataDir = mkdtempSync(join(tmpdir(), 'parley-bench-'));
const LIMITS = ['--rate', '10000000', '--rate-burst', '10000000', '--record-rows', '100000000'];
const REACH = ['--allow-egress', '127.0.0.1', '--allow-stdio'];
const place = ['--port', String(port), '--data', dataDir, '--log-level', 'error'];
const { config } = loadConfig([...place, ...LIMITS, ...REACH]);

const app = await createApp({ config });
const { url } = await app.listen();
const { identity, store } = app.host;
const ownerKey = readFileSync(app.ownerKeyFile, 'utf8').trim();
const owner = await identity.authenticate(ownerKey, 'key');
if (owner === undefined) throw new Error('The owner key of the bench does not work.');
const grants = { '*': ['*'] };
const { text: key } = await identity.createKey(owner, { name: 'bench', grants, expiresAt: null });

announce(
  { url, key },
  {
    async close() {
      await app.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
    async records() {
      await store.records.flush();
      return store.records.count();
    },
    commands: { owner: () => ({ key: ownerKey }) },
  },
);
