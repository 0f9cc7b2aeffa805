#!/usr/bin/env node
/** Starts Parley on a Node that can run it: this one, or the one that was installed with the project. */
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

const REQUIRED = [22, 13];
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isNewEnough = major > REQUIRED[0] || (major === REQUIRED[0] && minor >= REQUIRED[1]);
const LAUNCHED = '--launched';

if (isNewEnough) {
  const args = isLaunched() ? await argumentsOfLauncher() : process.argv.slice(2);
  // What is read from the cache stays in memory: commands start sooner, a server would carry it for as long as it runs.
  if (args[0] !== 'start') nodeModule.enableCompileCache?.();
  // Overwrites the command line that other processes can see, and the secrets on it.
  if (args.some((arg) => /^--(?:(?:api-)?key|token|header|env)/.test(arg))) process.title = 'parley';
  const built = new URL('../dist/parley.js', import.meta.url);
  const source = new URL('../src/cli/main.ts', import.meta.url);
  const { main } = await import(existsSync(built) ? built.href : source.href);
  await main(args);
} else {
  await startOnBundledNode();
}

/** Goes on in a child: it gets the arguments by a channel that nobody else can read, and ends when this process is gone. */
async function startOnBundledNode() {
  const node = bundledNode();
  if (node === undefined)
    fail(`Parley needs Node ${REQUIRED.join('.')} or newer; this is ${process.versions.node}.`);
  const { spawn } = await import('node:child_process');
  process.title = 'parley';
  const child = spawn(node, [fileURLToPath(import.meta.url), LAUNCHED], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  // By the channel: a signal that arrives while the child ends, when nothing listens any more, would kill it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => child.send({ signal }, () => undefined));
  child.on('error', (error) => fail(`Parley cannot be started on ${node}: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
  // A child that ended before it listened has said why.
  child.send(process.argv.slice(2), () => undefined);
}

function isLaunched() {
  return process.connected && process.argv[2] === LAUNCHED;
}

/** Waits for what the launcher sends, and from then on for its end. */
function argumentsOfLauncher() {
  return new Promise((resolve) => {
    // Without the launcher nobody could stop this process any more.
    process.on('disconnect', () => process.emit('SIGTERM', 'SIGTERM') || process.exit(1));
    process.once('message', (args) => {
      process.on('message', handedOn);
      process.channel?.unref();
      resolve(args);
    });
  });
}

/** What the launcher heard; where nothing listens, it does what the signal would have done. */
function handedOn({ signal }) {
  if (!process.emit(signal, signal, 'launcher')) process.kill(process.pid, signal);
}

function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exit(1);
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
