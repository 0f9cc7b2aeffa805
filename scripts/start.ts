/** `npm start`: builds the server, then is the server, so that a signal to npm's child reaches it on every platform. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const launcher = new URL('../apps/server/bin/parley.js', import.meta.url);
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

const code = await build();
if (code === 0) {
  process.argv.splice(1, 1, fileURLToPath(launcher), 'start');
  await import(launcher.href);
} else {
  process.exitCode = code;
}

/** Builds in a process of its own, so that the server does not carry the bundler along; returns the exit code. */
function build(): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [fileURLToPath(new URL('build.ts', import.meta.url))], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const stop = () => {
      child.kill();
    };
    const end = (result: number) => {
      for (const signal of SIGNALS) process.off(signal, stop);
      resolve(result);
    };
    for (const signal of SIGNALS) process.on(signal, stop);
    child.on('error', (error) => {
      process.stderr.write(`parley: The build cannot be started: ${error.message}\n`);
      end(1);
    });
    child.on('exit', (result) => end(result ?? 1));
  });
}
