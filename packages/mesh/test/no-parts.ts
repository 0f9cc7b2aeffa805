/** What the server injects, for tests that have no use for it. */
import type { Upstream } from '@parley/connections';
import type { Engine } from '@parley/kit';
import type { CodeExecution } from '../src/services/code.ts';

/** An upstream that is always there and has no tools. */
export const NO_UPSTREAM: Upstream = {
  isStdioAllowed: false,
  test: async () => ({ ok: true }),
  discover: async () => ({ ok: true, tools: [] }),
  call: async () => ({ ok: true, outcome: 'answered', data: {} }),
};

/** A sandbox for tests that run no code. */
export const NO_SANDBOX: CodeExecution = {
  search: async () => ({ found: [], total: 0 }),
  describe: async (_caller, notFound) => ({ found: [], notFound }),
  run: async () => ({ consoleLogs: [] }),
  checkCode: async () => undefined,
};

/** An engine that knows no titles, which is all that the mesh asks it for. */
export const NO_ENGINE = { catalogFor: () => ({ toolsets: [] }) } as unknown as Engine;
