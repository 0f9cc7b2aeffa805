/** The two ways out of a run, each with its limit: the console, and calls of tools. */
import type { GuestPorts } from './guest.ts';
import type { SandboxLimits } from './limits.ts';
import type { FromWorker } from './messages.ts';

/** The ways out, and where answers come in. */
export interface OpenPorts extends GuestPorts {
  answer(id: number, json: string): void;
}

const TOO_MANY_CALLS = (most: number) =>
  JSON.stringify({
    error: {
      code: 'rate_limited',
      message: `One run makes at most ${most} calls. Do the rest in another run.`,
    },
  });

// Counted over all runs of a thread, so that an answer which comes too late is nobody's.
let lastId = 0;

/** Opens them for one run. */
export function openPorts(limits: SandboxLimits, tell: (message: FromWorker) => void): OpenPorts {
  const answers = new Map<number, (json: string) => void>();
  const waiting: (() => void)[] = [];
  let calls = 0;
  let entries = 0;
  let bytes = 0;

  return {
    log(entry) {
      if (entries > limits.consoleEntries) return;
      entries += 1;
      bytes += Buffer.byteLength(entry.content);
      const isFull = entries > limits.consoleEntries || bytes > limits.consoleBytes;
      // What comes after the mark is not even sent: a flood would be work for the server.
      if (isFull) entries = limits.consoleEntries + 1;
      tell({ type: 'log', entry: isFull ? { type: 'warn', content: '[console output was cut]' } : entry });
    },
    call(name, args, answered) {
      calls += 1;
      if (calls > limits.calls) {
        answered(TOO_MANY_CALLS(limits.calls));
        return;
      }
      const send = () => {
        lastId += 1;
        answers.set(lastId, answered);
        tell({ type: 'call', id: lastId, name, args });
      };
      if (answers.size < limits.callsAtOnce) send();
      else waiting.push(send);
    },
    answer(id, json) {
      const answered = answers.get(id);
      if (!answers.delete(id)) return;
      waiting.shift()?.();
      answered?.(json);
    },
  };
}
