/** A key never names a second request, whatever a tool calls its questions. */
import * as fc from 'fast-check';
import { defineTool, defineToolset } from '@parley/kit';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { startTasks } from '../../test/start-tasks.ts';
import { testCaller } from '@parley/kit/testing';
import type { NewTask } from '../task.ts';
import { ownerOf } from '../task.ts';
import { kindOf } from './tool-kind.ts';

const asks = defineTool({
  name: 'asks',
  title: 'Asks',
  description: 'Asks under the given names, round by round.',
  effect: 'read',
  task: 'required',
  input: z.object({ rounds: z.array(z.array(z.string()).min(1)).describe('Names of each round') }),
  output: z.object({ said: z.array(z.string()) }),
  async run({ rounds }, ctx) {
    const said: string[] = [];
    let count = 0;
    for (const names of rounds) {
      const questions = names.map((name) => {
        count += 1;
        return ctx.ask(name, { message: `Question ${count}`, schema: z.object({ text: z.string() }) });
      });
      for (const { text } of await Promise.all(questions)) said.push(text);
    }
    return { said };
  },
});

const toolset = defineToolset({ name: 'asking', title: 'Asking', tools: [asks] });
const caller = testCaller();
// Names that look like counted ones are the hard case.
const name = fc.constantFrom('a', 'b', 'a#2', 'a#3', 'a#2#2', '#2');

function newTask(rounds: string[][]): NewTask {
  const info = { id: null, era: 'modern', client: null };
  const input = { args: { rounds }, prepared: undefined, caller, info };
  return { kind: kindOf(asks), input, caller, capabilities: { elicitation: {} } };
}

test('every question of a task has a key of its own and gets its own answer', async () => {
  await using started = await startTasks(toolset);
  const { tasks } = started;
  const owner = ownerOf(caller);
  const rounds = fc.array(fc.array(name, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(rounds, async (given) => {
      const { id: taskId } = await tasks.enqueue(newTask(given));
      const seen = new Map<string, string>();
      for (;;) {
        const task = await tasks.get(owner, taskId);
        if (task === undefined) throw new Error('The task is gone.');
        // Reads of SQLite end at once, so without this the worker would never have its turn.
        await new Promise(setImmediate);
        if (task.status === 'completed') {
          const expected = given.flat().map((_name, index) => `Question ${index + 1}`);
          expect(task.result).toMatchObject({ structuredContent: { said: expected } });
          expect(seen.size).toBe(expected.length);
          return;
        }
        expect(['working', 'input_required']).toContain(task.status);
        for (const [key, request] of Object.entries(task.inputRequests)) {
          const { message } = (request as { params: { message: string } }).params;
          expect(seen.get(key) ?? message).toBe(message);
          seen.set(key, message);
          await tasks.answer(owner, taskId, { [key]: { action: 'accept', content: { text: message } } });
        }
      }
    }),
    { numRuns: 40 },
  );
});
