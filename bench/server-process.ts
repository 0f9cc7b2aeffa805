/** Owns one bench server as a child process: its start, its control lines and its end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { pinned } from './machine.ts';

const START_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 5_000;

/** A running bench server. */
export interface ServerProcess {
  pid: number;
  /** The fields of its ready line. */
  ready: Record<string, unknown> & { url: string; key: string };
  /** Sends one control line and gives its answer. */
  ask: (line: string) => Promise<Record<string, unknown>>;
  stop: () => Promise<void>;
}

/** Starts a script with Node and waits for its ready line. */
export async function startServer(script: string, args: string[], core?: number): Promise<ServerProcess> {
  const child = spawn(...pinned(core, process.execPath, [script, ...args]), {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let errorText = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (chunk: string) => (errorText = (errorText + chunk).slice(-2000)));
  const exited = once(child, 'exit');
  const limit = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS);

  const nextObject = async (): Promise<Record<string, unknown>> => {
    const line = await lines.next();
    if (line.done) throw new Error(`${script} ended before it answered. It said: ${errorText}`);
    // control lines are objects by agreement; each reader checks the fields it needs
    return JSON.parse(line.value) as Record<string, unknown>;
  };
  const ready = await nextObject().finally(() => clearTimeout(limit));
  if (typeof ready['url'] !== 'string' || typeof ready['key'] !== 'string') {
    child.kill('SIGKILL');
    throw new Error(`${script} must print {"url", "key"} when ready, not ${JSON.stringify(ready)}.`);
  }
  let previous: Promise<unknown> = Promise.resolve();
  return {
    pid: child.pid ?? 0,
    ready: { ...ready, url: ready['url'], key: ready['key'] },
    ask: (line) => {
      const answer = previous.then(() => {
        child.stdin.write(`${line}\n`);
        return nextObject();
      });
      // The caller gets the fault; the next question only waits for its turn.
      previous = answer.catch(() => undefined);
      return answer;
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const force = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
      child.kill('SIGTERM');
      await exited;
      clearTimeout(force);
    },
  };
}
