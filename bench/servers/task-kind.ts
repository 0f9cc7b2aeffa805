/** The bench's own kind of task: it tells how long the engine took to reach it. */
import type { Caller, InputResponse } from '@parley/kit';
import type { Kind, NewTask } from '@parley/tasks';

/** What a bench task does: end at once, ask and end, or sleep for an hour. */
export type BenchWork = 'end' | 'ask' | 'sleep';

interface BenchInput {
  work: BenchWork;
  sentMs: number;
}

const KIND_NAME = 'bench';
const SLEEP_MS = 3_600_000;
const question = {
  method: 'elicitation/create' as const,
  params: {
    message: 'When was this answered?',
    requestedSchema: { type: 'object', properties: { sentMs: { type: 'number' } }, required: ['sentMs'] },
  },
};

/** The key of the question that an asking task waits with. */
export const QUESTION_KEY = 'when';

/** A clock that all processes of this machine share. */
export function clockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The kind; `onReached` gets the time from enqueue to the first line, or from an answer to the line after it. */
export function benchKind(onReached: (elapsedMs: number) => void): Kind {
  return {
    kind: KIND_NAME,
    version: 1,
    async run(input, { io }) {
      const reachedMs = clockMs();
      // made by `benchTask` below
      const { work, sentMs } = input as BenchInput;
      if (work === 'sleep') await io.sleep('rest', SLEEP_MS);
      if (work === 'end') onReached(reachedMs - sentMs);
      if (work === 'ask') {
        const answer = await io.request(QUESTION_KEY, question);
        onReached(clockMs() - answeredMs(answer));
      }
      return { outcome: 'completed', result: { content: [] } };
    },
  };
}

function answeredMs(answer: InputResponse): number {
  const content: object = ('content' in answer && answer.content) || {};
  const sentMs = 'sentMs' in content ? content.sentMs : undefined;
  if (typeof sentMs !== 'number') throw new Error('The answer does not tell when it was sent.');
  return sentMs;
}

/** A new bench task of one of the bench's owners, in one of its organizations. */
export function benchTask(work: BenchWork, owner = 0, organization = 0): NewTask {
  const caller: Caller = {
    id: `bench_${owner}`,
    name: 'Bench',
    organizationId: organization === 0 ? 'bench' : `bench_${organization}`,
    userId: null,
    roles: [],
    grants: {},
    source: 'key',
    unattended: false,
  };
  const input: BenchInput = { work, sentMs: clockMs() };
  return { kind: KIND_NAME, input, caller, capabilities: { elicitation: {} } };
}
