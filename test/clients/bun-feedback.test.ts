/** Feedback of another server on Bun: the same promises as on Node. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { ensureTestTools } from '../../scripts/install-test-tools.ts';
import { ensureBuilt, ROOT } from '../product/build.ts';
import { promiseRemoteFeedback } from './remote-feedback.ts';

const INSTALL_TIMEOUT_MS = 300_000;

beforeAll(async () => {
  await ensureTestTools();
  await ensureBuilt();
}, INSTALL_TIMEOUT_MS);

/** The program itself, which the package would put in its place by an install script. */
function bun(): string {
  const [program] = globSync('test/tools/node_modules/@oven/bun-*/bin/bun{,.exe}', { cwd: ROOT });
  if (program === undefined) throw new Error('Bun is not installed in test/tools.');
  return join(ROOT, program);
}

promiseRemoteFeedback('Bun', () => ({ node: bun() }));
