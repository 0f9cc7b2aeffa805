/** Serves the conformance fixture through the product's own HTTP stack, to a caller without a credential. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALL_GRANTS } from '@parley/kit';
import { createApp } from '../../apps/server/src/index.ts';
import { loadConfig } from '../../apps/server/src/config.ts';
import { fixture } from './fixture/index.ts';

// The referee asks faster than a key may, and leaves its sessions open.
const FLAGS = ['--rate', '10000', '--rate-burst', '10000', '--log-level', 'error'];
const SESSIONS = 10_000;

/** A fixture that listens. */
export interface RunningFixture {
  /** The MCP endpoint. */
  readonly mcp: string;
  close(): Promise<void>;
}

/** Starts the fixture on a loopback port (0: any free one) over a data folder of its own. */
export async function startFixture(port: number): Promise<RunningFixture> {
  const data = await mkdtemp(join(tmpdir(), 'parley-conformance-'));
  const { config } = loadConfig(['--port', String(port), '--data', data, ...FLAGS], { env: {} });
  const app = await createApp({
    config: { ...config, limits: { ...config.limits, sessionsPerCaller: SESSIONS } },
    toolsets: [fixture],
    // The referee sends no credential; only a program can allow that, the command line cannot.
    anonymous: ALL_GRANTS,
  });
  const { mcp } = await app.listen();
  return {
    mcp,
    async close() {
      await app.close();
      await rm(data, { recursive: true, force: true });
    },
  };
}
