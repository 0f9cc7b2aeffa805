/** Owns the bench command: reads its flags, then serves one server or measures. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureTestTools } from '../scripts/install-test-tools.ts';

const USAGE = `Usage: npm run bench -- [--quick] [--only P1,P3] [--beside CHECKOUT] | --serve floor|sdk|parley [--tools N] [--port P]`;
const serverSources: Record<string, string> = {
  floor: 'servers/floor.ts',
  sdk: 'servers/sdk.ts',
  parley: 'servers/parley-main.ts',
};

function readFlags() {
  try {
    return parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string' },
        beside: { type: 'string' },
        serve: { type: 'string' },
        tools: { type: 'string' },
        port: { type: 'string' },
      },
    }).values;
  } catch (error) {
    fail(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

/** Becomes the server, so that the parent holds exactly one process. */
async function serve(name: string): Promise<void> {
  const source = serverSources[name];
  if (source === undefined || !existsSync(new URL(source, import.meta.url))) {
    fail(`There is no bench server "${name}" here.\n${USAGE}`);
  }
  // the bundler leaves a child behind, which must not become the server's
  const bundler = fileURLToPath(new URL('bundle.ts', import.meta.url));
  const script = execFileSync(process.execPath, [bundler, source], { encoding: 'utf8' });
  const args = [script, ...process.argv.slice(2)];
  // older releases of Node cannot replace a process; there the server runs in this one
  if (process.execve) process.execve(process.execPath, [process.execPath, ...args]);
  await import(pathToFileURL(script).href);
}

const flags = readFlags();
if (flags.serve !== undefined) {
  await serve(flags.serve);
} else {
  // Tokenizers and foreign servers are among them.
  await ensureTestTools();
  const { measure, MEASURABLE } = await import('./measure.ts');
  const only = flags.only?.toUpperCase().split(',');
  const unknown = only?.find((id) => !MEASURABLE.includes(id));
  if (unknown !== undefined) fail(`Name targets out of ${MEASURABLE.join(', ')}, not "${unknown}".`);
  process.exitCode = await measure({ isQuick: flags.quick, only, beside: flags.beside });
}
