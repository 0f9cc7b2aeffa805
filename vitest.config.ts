/** Owns how the test runner finds, runs, counts and measures the tests. */
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { WaitingFirst } from './test/support/waiting-first.ts';

/** As of `eventually` in test/support, which cannot be loaded outside a test. */
const DEADLINE_MS = 60_000;

export default defineConfig({
  test: {
    include: [
      'packages/**/src/**/*.test.ts',
      'apps/**/src/**/*.test.ts',
      'test/**/*.test.ts',
      'bench/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/dist/**', 'test/tools/**'],
    // In this order: the server lives in the scratch folder.
    globalSetup: ['test/support/scratch.ts', 'test/support/postgres.ts'],
    pool: 'forks',
    // A worker keeps what it has loaded for the files after: loading it anew for each took a fifth of the whole time.
    isolate: false,
    setupFiles: ['test/support/leave-clean.ts'],
    // Two more than there are cores: some files wait, for limits of half a minute and for processes to start and end.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: WaitingFirst },
    // Tests wait for conditions, not for times: these only end what would never end, on a busy machine too.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: DEADLINE_MS, interval: 20 } },
    reporters: ['default', ['json', { outputFile: 'test/artifacts/unit.json' }]],
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts', 'apps/server/src/**/*.ts'],
      // The overlay runs in Chromium only, where this cannot see it.
      exclude: ['**/*.test.ts', '**/*.test-d.ts', 'packages/annotations/src/overlay/**'],
      reporter: ['text-summary', 'json-summary'],
      reportsDirectory: 'test/artifacts/coverage',
      // Checked by `npm run coverage`: counting takes the tests a good part longer. What child processes and Chromium run is not seen, so the truth is higher.
      thresholds: { lines: 87 },
    },
  },
});
