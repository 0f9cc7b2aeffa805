import { describe, expect, test } from 'vitest';
import { checkBoundaries } from '../../scripts/check/boundaries.ts';
import type { Breach } from './breach.ts';
import { DOC, expectBroken } from './breach.ts';
import { checkWorkspace, manifest } from './workspace.ts';

/** One added source file whose only fault is on line 2. */
function source(promise: string, path: string, code: string, rule: string): Breach {
  return { promise, files: { [path]: `${DOC}${code}\n` }, broken: [`${rule} ${path}:2`] };
}

const order: Breach[] = [
  {
    promise: 'the kit imports no workspace package',
    files: { 'packages/kit/src/x.ts': `${DOC}import '@parley/store';\n` },
    broken: ['import-order packages/kit/src/x.ts:2', 'declared-dependency packages/kit/src/x.ts:2'],
  },
  source(
    'a type counts as an import',
    'packages/identity/src/x.ts',
    `export type { Y } from '@parley/identity/deep';`,
    'no-internals',
  ),
  {
    promise: 'identity does not import the gateway, not even by a manifest',
    files: {
      'packages/identity/package.json': manifest('identity', ['@parley/kit', '@parley/gateway', 'kysely']),
    },
    broken: ['import-order packages/identity/package.json:1'],
  },
  {
    promise: 'a toolset does not import another toolset',
    files: { 'packages/feedback/src/x.ts': `${DOC}export const a = await import('@parley/annotations');\n` },
    broken: ['import-order packages/feedback/src/x.ts:2', 'declared-dependency packages/feedback/src/x.ts:2'],
  },
  {
    promise: 'a toolset does not import the gateway',
    files: { 'packages/feedback/src/x.ts': `${DOC}export type A = import('@parley/gateway').A;\n` },
    broken: ['import-order packages/feedback/src/x.ts:2', 'declared-dependency packages/feedback/src/x.ts:2'],
  },
  {
    promise: 'nothing imports an app',
    files: { 'packages/gateway/src/x.ts': `${DOC}import { a } from '@parley/server';\n` },
    broken: ['no-app-import packages/gateway/src/x.ts:2', 'declared-dependency packages/gateway/src/x.ts:2'],
  },
  {
    promise: 'a package without a place in the order is refused',
    files: { 'packages/extra/package.json': manifest('extra') },
    broken: ['import-order packages/extra/package.json:1'],
  },
  ...['packages/kit/src/x.ts', 'packages/kit/src/testing/x.ts', 'apps/server/src/x.ts'].map((path) => ({
    promise: `the support of the tests is closed to ${path}`,
    files: { [path]: `${DOC}import { wait } from '@parley/test-support/wire';\n` },
    broken: [
      `test-support ${path}:2`,
      ...(path.includes('/testing/') ? [] : [`declared-dependency ${path}:2`]),
    ],
  })),
  {
    promise: 'no package depends on the support of the tests',
    files: {
      'packages/kit/package.json': manifest(
        'kit',
        ['undici', 'zod', '@parley/test-support'],
        ['.', './testing'],
      ),
    },
    broken: ['test-support packages/kit/package.json:1'],
  },
  {
    promise: 'the support of the tests imports no package',
    files: {
      'test/support/wire.ts': `${DOC}import { request } from '@parley/kit';\nexport const wait = request;\n`,
    },
    broken: ['test-support test/support/wire.ts:2', 'declared-dependency test/support/wire.ts:2'],
  },
  source(
    'an undeclared dependency is refused',
    'packages/identity/src/x.ts',
    `import { z } from 'zod';`,
    'declared-dependency',
  ),
  source(
    'a test dependency is not one of the program',
    'packages/kit/src/x.ts',
    `import { test } from 'vitest';`,
    'declared-dependency',
  ),
  source(
    'the inside of another package is closed',
    'packages/identity/src/x.ts',
    `import { a } from '@parley/kit/src/caller.ts';`,
    'no-internals',
  ),
  source(
    'a relative path does not leave its package',
    'packages/identity/src/x.ts',
    `import { a } from '../../kit/src/caller.ts';`,
    'no-internals',
  ),
  source(
    'the overlay takes only types from the workspace',
    'packages/annotations/src/overlay/x.ts',
    `import { type Caller } from '@parley/kit';`,
    'browser-code',
  ),
  source(
    'the overlay imports nothing of Node',
    'packages/annotations/src/overlay/x.ts',
    `import 'node:fs';`,
    'browser-code',
  ),
  {
    promise: 'the console takes only types from the workspace',
    files: {
      'apps/console/package.json': manifest('console', ['@parley/kit']),
      'apps/console/src/index.ts': `${DOC}import { request } from '@parley/kit';\nexport const a = request;\n`,
    },
    broken: ['browser-code apps/console/src/index.ts:2'],
  },
];

const reach: Breach[] = [
  ...['pg', 'better-sqlite3', 'pg-pool'].map((driver) => ({
    promise: `only the store imports ${driver}`,
    files: {
      'packages/identity/package.json': manifest('identity', [
        '@parley/kit',
        '@parley/store',
        'kysely',
        driver,
      ]),
      'packages/identity/src/x.ts': `${DOC}import type { A } from '${driver}';\n`,
    },
    broken: ['driver packages/identity/src/x.ts:2'],
  })),
  source(
    'only the store imports node:sqlite',
    'apps/server/src/x.ts',
    `const a = require('node:sqlite');`,
    'driver',
  ),
  ...[
    `export const a = process.env.A;`,
    `export const a = process['env'];`,
    `export const a = process?.env;`,
    `const { env } = process;`,
    `import { env } from 'node:process';`,
    `export const a = globalThis.process.env;`,
  ].map((code) =>
    source(`the environment stays in config.ts: ${code}`, 'packages/kit/src/x.ts', code, 'environment'),
  ),
  {
    promise: 'a renamed process is still the environment',
    files: { 'packages/kit/src/x.ts': `${DOC}import p from 'node:process';\nexport const a = p.env;\n` },
    broken: ['environment packages/kit/src/x.ts:3'],
  },
  {
    promise: 'the launcher does not read the environment',
    files: { 'apps/server/bin/parley.js': `#!/usr/bin/env node\n${DOC}process.env.A = '1';\n` },
    broken: ['environment apps/server/bin/parley.js:3'],
  },
  ...[
    `export const a = fetch('http://a');`,
    `export const a = { fetch };`,
    `export const a = globalThis.fetch;`,
    `const { fetch: a } = globalThis;`,
    `export const a = new WebSocket('ws://a');`,
    `import { request } from 'undici';`,
    `import { createServer } from 'node:http';`,
    `import { connect } from 'node:net';`,
    `import tls from 'node:tls';`,
    `export const a = await import('node:https');`,
    `export const a = process.getBuiltinModule('node:http');`,
    `export const a = new StreamableHTTPClientTransport(url);`,
  ].map((code) => {
    const path = 'packages/kit/src/x.ts';
    return source(`a request passes the egress guard: ${code}`, path, code, 'egress');
  }),
  ...['request', 'get', 'Agent'].map((name) =>
    source(
      `a server does not take ${name} from node:http`,
      'packages/gateway/src/x.ts',
      `import { createServer, ${name} } from 'node:http';`,
      'egress',
    ),
  ),
  {
    promise: 'a server that holds all of node:http still sends nothing',
    files: {
      'apps/server/src/x.ts': `${DOC}import http from 'node:http';\nhttp.createServer();\nhttp.get('a');\n`,
    },
    broken: ['egress apps/server/src/x.ts:4'],
  },
  {
    promise: 'a local name hides the global only where it stands',
    files: {
      'packages/kit/src/x.ts': `${DOC}export const a = (fetch: () => void): void => fetch();\nexport const b = (): unknown => fetch('a');\n`,
    },
    broken: ['egress packages/kit/src/x.ts:3'],
  },
  {
    promise: 'a transport with a guarded fetch is accepted',
    files: {
      'packages/gateway/src/x.ts': `${DOC}new StreamableHTTPClientTransport(url, { fetch: guarded });\n`,
    },
    broken: [],
  },
];

const dialect: Breach[] = [
  ...[
    `export const a = store.engine === 'postgres';`,
    `export const a = 'sqlite' !== engine;`,
    `switch (engine) { case 'postgres': break; }`,
    `export const a = new Set(['sqlite']).has(engine);`,
    'export const a = engine === `postgres`;',
    `export const a = query.forUpdate().execute();`,
    `export const a = query['skipLocked']();`,
    'export const a = sql`select id from a where id = ${id} for update`;',
    'export const a = sql<A>`select pg_try_advisory_xact_lock(${key})`;',
    `export const a = sql.raw('set transaction isolation level repeatable read');`,
  ].flatMap((code) => [
    source(`only the store knows the engine: ${code}`, 'packages/identity/src/x.ts', code, 'dialect'),
    source(`neither does an app: ${code}`, 'apps/server/src/x.ts', code, 'dialect'),
  ]),
  {
    promise: 'the store, tests, both ways side by side and a printed name are fine',
    files: {
      'packages/store/src/x.ts': `${DOC}export const a = engine === 'postgres';\n`,
      'packages/identity/src/x.test.ts': `export const a = engine === 'postgres';\n`,
      'packages/feedback/src/testing/x.ts': `${DOC}export const A = ['sqlite', 'postgres'];\n`,
      'packages/identity/src/x.ts': `${DOC}export const a = byEngine(engine, { sqlite: 'integer', 'postgres': 'bigserial' });\nexport const b = \`\${store.engine}, up to date, ready for update\`;\n`,
      'bench/x.ts': `${DOC}export const a = engine === 'postgres';\n`,
    },
    broken: [],
  },
];

const style: Breach[] = [
  source(
    'a package names its exports',
    'packages/store/src/index.ts',
    `export * from './a.ts';`,
    'export-list',
  ),
  source(
    'a second entry names its exports too',
    'packages/kit/src/testing/index.ts',
    `export * as all from './a.ts';`,
    'export-list',
  ),
  ...['TODO', 'FIXME', 'XXX', 'HACK'].map((word) =>
    source(`${word} is not left behind`, 'scripts/x.ts', `// ${word}: later`, 'leftover'),
  ),
  ...['test.skip', 'it.only', 'describe.skip.each([1])', 'test.concurrent.only', 'context.skip'].map(
    (call) => {
      const path = 'packages/kit/src/x.test.ts';
      return source(`${call} is not left behind`, path, `${call}('a', () => {});`, 'switched-off-test');
    },
  ),
  ...['camelCase.ts', 'Upper.ts', 'snake_case.ts'].map((name) => ({
    promise: `${name} is not a file name`,
    files: { [`packages/kit/src/${name}`]: DOC },
    broken: [`kebab-case packages/kit/src/${name}:1`],
  })),
  ...['utils.ts', 'helpers/a.ts', 'common/a.ts', 'connection-manager.test.ts'].map((name) => ({
    promise: `${name} says nothing about what it holds`,
    files: { [`packages/kit/src/${name}`]: DOC },
    broken: [`vague-name packages/kit/src/${name}:1`],
  })),
  source(
    'a switched-off rule has a reason',
    'packages/kit/src/x.ts',
    '// oxlint-disable-next-line typescript/no-explicit-any',
    'unexplained-disable',
  ),
  {
    promise: 'a cast has its reason beside it, a constant needs none',
    files: {
      'packages/kit/src/x.ts': `${DOC}\nexport const a = b as string;\n\n// The caller checked it.\nexport const c = d as string;\nexport const E = [1] as const;\n`,
    },
    broken: ['unexplained-cast packages/kit/src/x.ts:3'],
  },
  ...[
    `const waitMs = 60 * SECOND_MS;`,
    `export const kind = 'note';`,
    'const query = `select ${COLUMNS} from notes`;',
    `const shape = /^a$/;`,
    `const words = new Set(['a', 'b'] as const);`,
    `const lowest: number = -1;`,
  ].map((code) => source(`a constant is in capitals: ${code}`, 'bench/x.ts', code, 'constant-name')),
  {
    promise: 'what is made, renamed or changed is no constant',
    files: {
      'bench/x.ts': `${DOC}const a = make(1);\nconst b = COLUMNS;\nconst c: string[] = [];\nconst d = (): number => 1;\nlet e = 1;\nfunction f() {\n  const g = 1;\n}\nconst h = \`\${a}\`;\n`,
    },
    broken: [],
  },
  {
    promise: 'a file opens with its sentence',
    files: { 'packages/kit/src/x.ts': 'export const A = 1;\n' },
    broken: ['opening-sentence packages/kit/src/x.ts:1'],
  },
  {
    promise: 'a file that does not parse is named',
    files: { 'packages/kit/src/x.ts': `${DOC}export const = 1;\n` },
    broken: ['parse packages/kit/src/x.ts:1'],
  },
];

const programs: Breach[] = [
  ...[
    `import { spawn } from 'node:child_process';`,
    `import * as all from 'child_process';`,
    `export { exec } from 'node:child_process';`,
    `export const a = await import('node:child_process');`,
    `const a = require('child_process');`,
    `const a = process.getBuiltinModule('node:child_process');`,
    `import cluster from 'node:cluster';`,
  ].flatMap((code) => [
    source(`a package starts no program: ${code}`, 'packages/kit/src/x.ts', code, 'program'),
    source(`neither does an app: ${code}`, 'apps/server/src/cli/x.ts', code, 'program'),
    source(`nor the rest of the gateway: ${code}`, 'packages/gateway/src/upstream/x.ts', code, 'program'),
  ]),
  {
    promise: 'a type, a test, the launcher and the client of programs may name the module',
    files: {
      'packages/kit/src/x.ts': `${DOC}import type { ChildProcess } from 'node:child_process';\nexport type A = ChildProcess;\n`,
      'packages/kit/src/x.test.ts': `import { spawn } from 'node:child_process';\nspawn('a');\n`,
      'packages/gateway/src/upstream/stdio/x.ts': `${DOC}import { spawn } from 'node:child_process';\nexport const A = spawn;\n`,
      'apps/server/bin/parley.js': `#!/usr/bin/env node\n${DOC}export const { spawn } = await import('node:child_process');\n`,
    },
    broken: [],
  },
];

const secrets: Breach[] = [
  ...[
    `export const a = createHmac('sha256', 'secret');`,
    `export const a = createHmac('sha256', Buffer.from('c2VjcmV0', 'base64'));`,
    `export const a = crypto.createCipheriv('aes-256-gcm', \`0123456789abcdef\`, nonce);`,
    `export const a = createSecretKey(Buffer.from('secret'));`,
    `export const a = scryptSync('secret', salt, 32);`,
    `export const SECRET = 'correct-horse';`,
    `export const a = { password: 'correct-horse' };`,
    `export const a = config.secretKey ?? 'change-me-please';`,
    `export const a = apiKey || 'change-me-please';`,
    `export const a = (token = 'change-me-please') => token;`,
    `export const a = ({ sessionKey = 'change-me-please' }) => sessionKey;`,
  ].map((code) => source(`no key is written down: ${code}`, 'packages/kit/src/x.ts', code, 'literal-key')),
  {
    promise: 'a constant with a key in it is still written down',
    files: {
      'packages/kit/src/x.ts': `${DOC}const PEPPER = 'abc';\nexport const a = createHmac('sha256', PEPPER);\n`,
    },
    broken: ['literal-key packages/kit/src/x.ts:3'],
  },
  {
    promise: 'a key that was taken in, words about secrets, and the keys of tests are fine',
    files: {
      'packages/kit/src/x.ts': `${DOC}export const a = (key: Buffer) => createHmac('sha256', key).update('csrf');\nexport const SECRET = 'Rotate the signing secret.';\nexport const b = { token: '', api_key: 'key' };\n`,
      'packages/kit/src/x.test.ts': `export const SECRET = 'correct-horse';\n`,
    },
    broken: [],
  },
];

test('a workspace that keeps every rule passes', () => {
  const { findings } = checkWorkspace({}, checkBoundaries);
  expect(findings).toEqual([]);
});

describe.each([
  ['order', order],
  ['reach', reach],
  ['dialect', dialect],
  ['programs', programs],
  ['secrets', secrets],
  ['style', style],
])('%s', (_name, rows) => {
  test.each(rows)('$promise', (row) => expectBroken(row));
});
