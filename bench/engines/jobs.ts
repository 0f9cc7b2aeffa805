/** Owns the code of the tasks that every engine runs, with effects that are counted outside of the database. */
import { appendFileSync } from 'node:fs';
import type { JobInput, RunJob } from './contract.ts';

export interface JobOptions {
  /** Where effects are noted, one line each. */
  readonly effects: string;
  /** The replica that runs it. */
  readonly name: string;
  /** Whether the second step of `steps` stays where it is until it is told to go on. */
  readonly mayHang: boolean;
  readonly going: Promise<void>;
  /** Told when the signal of a step that hangs fires. */
  readonly onStopped: () => void;
}

/** The fault that tasks are made to have. */
export const MEANT = new Error('It fails.');

/** The code of all tasks. */
export function jobs(options: JobOptions): RunJob {
  const { effects, name, mayHang, going, onStopped } = options;
  const tries = new Map<string, number>();
  const note = (input: JobInput, what: string) =>
    appendFileSync(effects, `${Date.now()} ${input.label} ${what} ${name}\n`);

  return async (input, io) => {
    const { does, amount = 0 } = input;
    if (does === 'nothing') return io.step('one', () => 1);
    if (does === 'kill') {
      note(input, 'kill');
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => undefined);
    }
    if (does === 'wait') {
      return io.step('one', async () => {
        note(input, 'begin');
        await new Promise((resolve) => setTimeout(resolve, amount));
        note(input, 'end');
        return 1;
      });
    }
    if (does === 'fail') {
      return io.step('one', () => {
        const tried = (tries.get(input.label) ?? 0) + 1;
        tries.set(input.label, tried);
        note(input, 'try');
        if (tried <= amount) throw MEANT;
        return tried;
      });
    }
    await io.step('one', () => note(input, 'one'));
    if (does === 'ask') {
      const answer = await io.ask('q');
      note(input, 'answered');
      return answer;
    }
    const two = await io.step('two', async (signal) => {
      note(input, 'two');
      if (mayHang) await Promise.race([going, untilAborted(signal, onStopped)]);
      return name;
    });
    await io.step('three', () => note(input, 'three'));
    return two;
  };
}

function untilAborted(signal: AbortSignal, onStopped: () => void): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = () => {
      onStopped();
      reject(signal.reason as Error);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
