/** Owns small workspaces in a temporary folder on which the checks themselves are tested. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Report } from '../../scripts/check/finding.ts';

/** Paths from the root of the workspace, and what the files hold. */
export type Files = Record<string, string>;

/** Writes the manifest of a package with these workspace and other dependencies. */
export function manifest(name: string, dependencies: string[] = [], exports: string[] = ['.']): string {
  const target = (subpath: string): string => `./${join('src', subpath, 'index.ts')}`;
  return JSON.stringify({
    name: `@parley/${name}`,
    exports: Object.fromEntries(exports.map((subpath) => [subpath, target(subpath)])),
    dependencies: Object.fromEntries(dependencies.map((dependency) => [dependency, '0.1.0'])),
  });
}

/** A workspace in which every rule is kept, close to its limits. */
export const cleanFiles: Files = {
  'package.json': JSON.stringify({ devDependencies: { vitest: '5.1.0', '@parley/test-support': '0.1.0' } }),
  'packages/kit/package.json': manifest('kit', ['undici', 'zod'], ['.', './testing']),
  'packages/kit/src/index.ts': `/** Owns a. */\nexport { request } from './egress/request.ts';\nexport type { Caller } from './caller.ts';\n`,
  'packages/kit/src/testing/index.ts': `/** Owns b. */\nexport const connect = (): string => 'fetch(1) process.env TODO';\n`,
  'packages/kit/src/access/caller.ts': `/** Owns c; writes // import 'pg' */\nexport type Caller = { fetch: typeof fetch };\n`,
  'packages/kit/src/egress/request.ts': `/** Owns d. */\nimport { request } from 'undici';\nexport { request };\nexport const get = fetch;\n`,
  'packages/store/package.json': manifest('store', ['pg', 'kysely']),
  'packages/store/src/index.ts': `/** Owns e. */\nimport pg from 'pg';\nexport const pool = new pg.Pool();\n`,
  'packages/identity/package.json': manifest('identity', ['@parley/kit', '@parley/store', 'kysely']),
  'packages/identity/src/index.ts': `/** Owns f. */\nimport type { Caller } from '@parley/kit';\nimport { sql } from 'kysely';\nexport const ask = (caller: Caller, fetch: (url: string) => void): void => fetch('a');\nexport const query = sql;\n`,
  'packages/identity/src/index.test.ts': `import { connect } from '@parley/kit/testing';\nimport { test } from 'vitest';\ntest('it answers', async () => { await fetch(connect()); });\n`,
  'packages/gateway/package.json': manifest('gateway', ['@parley/kit', '@parley/identity']),
  'packages/gateway/src/index.ts': `/** Owns g. */\nimport { createServer } from 'node:http';\nimport type { Agent } from 'node:http';\nimport { isIP } from 'node:net';\nexport const serve = (agent: Agent): unknown => [createServer(), isIP('a'), agent];\nexport const open = (handler: { fetch: () => void }): void => handler.fetch();\n`,
  'packages/annotations/package.json': manifest('annotations', ['@parley/kit']),
  'packages/annotations/src/index.ts': `/** Owns h. */\nexport const NAME = 'annotations';\n`,
  'packages/annotations/src/overlay/connection/link.ts': `/** Owns i. */\nimport type { Caller } from '@parley/kit';\nexport const send = (caller: Caller): unknown => fetch('/x', caller);\n`,
  'packages/feedback/package.json': manifest('feedback', ['@parley/kit']),
  'packages/feedback/src/index.ts': `/** Owns j. */\nexport const NAME = 'feedback';\n`,
  'apps/server/package.json': manifest('server', ['@parley/gateway', '@parley/feedback']),
  'apps/server/src/index.ts': `/** Owns k. */\nexport { serve } from '@parley/gateway';\n`,
  'apps/server/src/config.ts': `/** Owns l. */\nexport const port = process.env['PARLEY_PORT'];\n`,
  'test/support/package.json': JSON.stringify({
    name: '@parley/test-support',
    exports: { './wire': './wire.ts' },
  }),
  'test/support/wire.ts': `/** Owns m. */\nimport { vi } from 'vitest';\nexport const wait = vi;\n`,
  'packages/kit/test/bed.ts': `/** Owns n. */\nexport { wait } from '@parley/test-support/wire';\n`,
  'packages/kit/src/access/caller.test.ts': `import { wait } from '@parley/test-support/wire';\nimport { test } from 'vitest';\ntest('it waits', () => wait);\n`,
  'test/e2e/start.ts': `import { serve } from '../../apps/server/src/index.ts';\nexport const url = process.env['URL'] ?? serve;\n`,
};

/** Runs a check on the clean workspace with some files added or replaced, and removes it afterwards. */
export function checkWorkspace(files: Files, check: (root: string) => Report): Report {
  const root = mkdtempSync(join(tmpdir(), 'parley-house-'));
  try {
    for (const [path, text] of Object.entries({ ...cleanFiles, ...files })) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return check(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
