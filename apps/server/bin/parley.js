#!/usr/bin/env node
/** Starts Parley on a Node that can run it: this one, or the one that was installed with the project. */
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

const REQUIRED = [22, 13];
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isNewEnough = major > REQUIRED[0] || (major === REQUIRED[0] && minor >= REQUIRED[1]);

if (isNewEnough) {
  nodeModule.enableCompileCache?.();
  const built = new URL('../dist/parley.js', import.meta.url);
  const source = new URL('../src/cli/main.ts', import.meta.url);
  const { main } = await import(existsSync(built) ? built.href : source.href);
  await main(process.argv.slice(2));
} else {
  await startOnBundledNode();
}

async function startOnBundledNode() {
  const node = bundledNode();
  if (node === undefined) {
    process.stderr.write(
      `Parley needs Node ${REQUIRED.join('.')} or newer; this is ${process.versions.node}.\n`,
    );
    process.exit(1);
  }
  const { spawn } = await import('node:child_process');
  // Overwrites the command line that other processes can see, and a key on it.
  process.title = 'parley';
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
}

function bundledNode() {
  const require = nodeModule.createRequire(import.meta.url);
  const platform = { win32: 'win' }[process.platform] ?? process.platform;
  for (const name of [`node-${platform}-${process.arch}`, `node-bin-${platform}-${process.arch}`]) {
    try {
      return require.resolve(`${name}/bin/node${platform === 'win' ? '.exe' : ''}`);
    } catch {
      continue;
    }
  }
  return undefined;
}
