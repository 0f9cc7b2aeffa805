/** The thread of a sandbox: runs one piece of code after the other, each in an engine of its own. */
import { parentPort, workerData } from 'node:worker_threads';
import { openPorts } from './guest-ports.ts';
import type { OpenPorts } from './guest-ports.ts';
import { runGuest } from './guest.ts';
import type { FromWorker, ToWorker, WorkerStart } from './messages.ts';

// The pool starts this file as a thread, with this.
const start = workerData as WorkerStart;
const port = parentPort;
let ports: OpenPorts | undefined;

function tell(message: FromWorker): void {
  port?.postMessage(message);
}

async function run(message: Extract<ToWorker, { type: 'run' }>): Promise<FromWorker> {
  ports = openPorts(start.limits, tell);
  const { end, engineBytes } = await runGuest(message, start, ports);
  return { type: 'end', end, isWorn: engineBytes > start.limits.heapBytes };
}

let begin: (message: Extract<ToWorker, { type: 'run' }>) => void = () => undefined;
port?.on('message', (message: ToWorker) => {
  if (message.type === 'run') begin(message);
  else ports?.answer(message.id, message.json);
});

for (let told: FromWorker = { type: 'ready' }; ;) {
  const next = new Promise<Extract<ToWorker, { type: 'run' }>>((resolve) => {
    begin = resolve;
  });
  // Only now, since the next run comes as soon as the last one has ended.
  tell(told);
  // A fault of ours ends the thread, and the pool fails this run alone.
  told = await run(await next);
}
