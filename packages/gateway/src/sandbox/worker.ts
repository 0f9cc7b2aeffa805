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

async function run(message: Extract<ToWorker, { type: 'run' }>): Promise<void> {
  ports = openPorts(start.limits, tell);
  const { end, engineBytes } = await runGuest(message, start, ports);
  tell({ type: 'end', end, isWorn: engineBytes > start.limits.heapBytes });
}

port?.on('message', (message: ToWorker) => {
  if (message.type === 'answer') {
    ports?.answer(message.id, message.json);
    return;
  }
  run(message).catch((error: unknown) => {
    // A fault of ours ends the thread, and the pool fails this run alone.
    setImmediate(() => {
      throw error;
    });
  });
});
tell({ type: 'ready' });
