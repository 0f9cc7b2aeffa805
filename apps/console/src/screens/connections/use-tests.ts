/** Owns tests of connections: one, some or all, a few at once, with what each said. */
import { useCallback, useRef, useState } from 'react';
import { detach } from '../../detach.ts';
import { testConnection } from './queries.ts';
import type { TestOutcome } from './types.ts';

/** How a test stands: it runs, it said something, or it could not be asked for. */
export type TestState = 'running' | TestOutcome | { readonly error: string };

const AT_ONCE = 4;

export interface Tests {
  readonly states: ReadonlyMap<string, TestState>;
  readonly isRunning: boolean;
  /** How many have been tested of how many. */
  readonly done: number;
  readonly total: number;
  readonly run: (ids: readonly string[]) => void;
}

export function useTests(): Tests {
  const [states, setStates] = useState<ReadonlyMap<string, TestState>>(new Map());
  const [total, setTotal] = useState(0);
  const isRunning = useRef(false);
  const run = useCallback((ids: readonly string[]) => {
    if (isRunning.current || ids.length === 0) return;
    isRunning.current = true;
    setTotal(ids.length);
    setStates((before) => new Map([...before, ...ids.map((id) => [id, 'running'] as const)]));
    const waiting = [...ids];
    const work = async (): Promise<void> => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
        const state = await outcomeOf(id);
        const tested = id;
        setStates((before) => new Map(before).set(tested, state));
      }
    };
    const all = Promise.all(Array.from({ length: AT_ONCE }, work)).finally(() => {
      isRunning.current = false;
      setTotal(0);
    });
    detach(all, reportError);
  }, []);
  const running = [...states.values()].filter((state) => state === 'running').length;
  return { states, isRunning: running > 0, done: Math.max(0, total - running), total, run };
}

async function outcomeOf(id: string): Promise<TestState> {
  try {
    return await testConnection(id);
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
