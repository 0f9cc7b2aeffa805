/** Parley with an agent, and a plain tool that does what one of the agent's tools does. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepHeapSmall } from '../../apps/server/src/lean-heap.ts';
import type { Store } from '@parley/store';
import type { AppHost } from '../../apps/server/src/index.ts';
import { AGENT_TOOL, PLAIN_TOOL } from '../wire.ts';
import { announce, serveOptions } from './serving.ts';

// As "parley start" does, before the rest is loaded.
keepHeapSmall();
const { createApp, loadConfig } = await import('../../apps/server/src/index.ts');
const { DEFAULT_ALLOWED_TOOLS } = await import('@parley/agent');
const { defineToolFor, defineToolset } = await import('@parley/kit');
const { creditConfig } = await import('../../packages/agent/src/tools/credits.ts');
const { readConfig } = await import('../../packages/agent/src/services/credits/config.ts');

/** The same work with the same schemas, for a caller that is no agent. */
const plainConfig = defineToolFor<{ readonly store: Store }>()({
  name: PLAIN_TOOL,
  title: creditConfig.title,
  description: creditConfig.description,
  effect: creditConfig.effect,
  input: creditConfig.input,
  output: creditConfig.output,
  run: async (_input, { caller, services }) => ({
    config: await readConfig(services.store, caller.organizationId),
  }),
});

const dataDir = mkdtempSync(join(tmpdir(), 'parley-bench-'));
const LIMITS = ['--rate', '10000000', '--rate-burst', '10000000', '--record-rows', '100000000'];
const port = ['--port', String(serveOptions().port)];
const { config } = loadConfig([...port, '--data', dataDir, '--log-level', 'error', ...LIMITS]);
const bench = defineToolset({
  name: 'bench',
  title: 'Bench',
  tools: [plainConfig],
  services: ({ store }: AppHost) => ({ store }),
});
const app = await createApp({ config, toolsets: [bench] });
const { url, mcp } = await app.listen();
const { identity, engine } = app.host;
const ownerKey = readFileSync(app.ownerKeyFile, 'utf8').trim();
const owner = await identity.authenticate(ownerKey, 'key');
if (owner === undefined) throw new Error('The owner key of the bench does not work.');
const plain = await identity.createKey(owner, { name: 'bench', grants: { bench: ['*'] }, expiresAt: null });
const agentKey = await makeAgent();

/** As a person makes one; the key is told once. */
async function makeAgent(): Promise<string> {
  const made = await fetch(`${url}/api/agents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ownerKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench', tools: [...DEFAULT_ALLOWED_TOOLS, AGENT_TOOL] }),
  });
  const text = await made.text();
  // parsed JSON has no type of its own; the field is checked here
  const { data } = JSON.parse(text) as { data?: { key?: string } };
  if (data?.key === undefined) throw new Error(`The agent of the bench was not made: ${text}`);
  return data.key;
}

/** From the key to the list of tools, as every request of an agent begins; microseconds for each. */
async function resolve(times: number): Promise<{ tools: number; microseconds: number }> {
  const endpoint = engine().narrow(['agent']);
  let listed = 0;
  const startedMs = performance.now();
  for (let time = 0; time < times; time += 1) {
    const found = identity.authenticate(agentKey, 'key');
    // Known keys are found without waiting, and waiting costs more than all the rest.
    const caller = found instanceof Promise ? await found : found;
    listed = caller === undefined ? 0 : endpoint.list(caller).tools.length;
  }
  return { tools: listed, microseconds: ((performance.now() - startedMs) * 1000) / times };
}

const ready = { url: mcp, key: plain.text, agentUrl: `${mcp}/agent`, agentKey };
announce(ready, {
  commands: { resolve: (times) => resolve(Number(times)) },
  async close() {
    await app.close();
    rmSync(dataDir, { recursive: true, force: true });
  },
});
