/** The process that reads code: one thread of it reads, and this one hands on the questions and watches how much memory both take. */
import { Worker } from 'node:worker_threads';
import { readLines } from '../../json-lines.ts';

const WORKER_FILE = import.meta.url.endsWith('.ts') ? './worker.ts' : './code-worker.js';
const HEAP_MB = 512;
// Text can make the parser go deep without brackets, too; so much is enough for nearly all of it.
const STACK_MB = 512;
const LOOK_MS = 100;
const MOST_LINE_BYTES = 4 * 1024 * 1024;

const mostBytes = Number(process.argv[2]);

/** At once: an orderly end would wait for the parser. */
const end = () => process.kill(process.pid, 'SIGKILL');

const worker = new Worker(new URL(WORKER_FILE, import.meta.url), {
  stdout: true,
  stderr: true,
  resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 32, stackSizeMb: STACK_MB },
});
worker.on('error', (error) => {
  if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') end();
  else process.exit(1);
});

// The parser takes memory of its own, which no limit of the engine holds, and tells nobody while it works.
setInterval(() => {
  if (process.memoryUsage.rss() > mostBytes) end();
}, LOOK_MS);
readLines(process.stdin, MOST_LINE_BYTES, (question) => worker.postMessage(question), end);
