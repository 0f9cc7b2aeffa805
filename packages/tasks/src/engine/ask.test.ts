/** Questions: asked once under a key of their own, answered in any order, and not waited for without end. */
import { ToolError } from '@parley/kit';
import * as fc from 'fast-check';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import { accept, MUTE, openBed, OWNER, question, TestClock } from '../../test/engine-bed.ts';
import type { Bed, Script } from '../../test/engine-bed.ts';

const DAY_MS = 24 * 3_600_000;

const two: Script = ({ io }) =>
  Promise.all([io.request('name', question('Name?')), io.request('age', question('Age?', 'age', 'integer'))]);

async function openKeys(bed: Bed, id: string): Promise<string[]> {
  const { status, inputRequests } = await bed.get(id);
  expect(status).toBe('input_required');
  return Object.keys(inputRequests).toSorted();
}

onBothEngines('questions', (open) => {
  test('two questions are answered one by one; a repeated and an unknown answer change nothing', async () => {
    const bed = await openBed(open, { scripts: { two } });
    const { id } = await bed.enqueue('two');
    await eventually(async () => expect(await openKeys(bed, id)).toEqual(['age', 'name']));
    expect(await bed.engine.answer(OWNER, id, { name: accept({ name: 'Ada' }) })).toBe(true);
    expect(await openKeys(bed, id)).toEqual(['age']);
    const before = await bed.row(id);
    await bed.engine.answer(OWNER, id, { name: accept({ name: 'Bob' }), nobody: accept({}) });
    expect(await bed.row(id)).toEqual(before);
    await bed.engine.answer(OWNER, id, { age: accept({ age: 36 }) });
    const result = [accept({ name: 'Ada' }), accept({ age: 36 })];
    expect(await bed.ended(id)).toMatchObject({ status: 'completed', result, inputRequests: {} });
    expect(await bed.engine.answer(OWNER, id, { age: accept({ age: 1 }) })).toBe(true);
    expect((await bed.get(id)).result).toEqual(result);
  });

  test.each([
    ['of the wrong type', accept({ age: 'old' }), /age/],
    ['without the field', accept({}), /age/],
    ['that is no form', 'yes', /object/],
    ['of another action', { action: 'maybe' }, /action/],
  ])('an answer %s leaves the question open and says what is wrong', async (_name, wrong, says) => {
    const bed = await openBed(open, { scripts: { two } });
    const { id } = await bed.enqueue('two');
    await eventually(async () => expect(await openKeys(bed, id)).toEqual(['age', 'name']));
    await bed.engine.answer(OWNER, id, { age: wrong, name: accept({ name: 'Ada' }) });
    expect(await openKeys(bed, id)).toEqual(['age']);
    const { statusMessage } = await bed.get(id);
    expect(statusMessage).toMatch(/^age: /);
    expect(statusMessage!.slice('age: '.length)).toMatch(says);
    await bed.engine.answer(OWNER, id, { age: accept({ age: 36 }) });
    expect(await bed.ended(id)).toMatchObject({ status: 'completed', statusMessage: null });
  });

  test('a question that nobody answers is declined after its time, and the next one works', async () => {
    const clock = new TestClock();
    const bed = await openBed(open, {
      now: clock.now,
      scripts: {
        patient: async ({ io }) => {
          const late = await io.request('late', question('Now?')).catch((error: unknown) => {
            if (error instanceof ToolError) return error.data;
            throw error;
          });
          return { late, next: await io.request('next', question('Then?')) };
        },
      },
    });
    const { id } = await bed.enqueue('patient');
    await eventually(async () => expect(await openKeys(bed, id)).toEqual(['late']));
    clock.turn(DAY_MS);
    await eventually(async () => expect(await openKeys(bed, id)).toEqual(['next']));
    await bed.engine.answer(OWNER, id, { late: accept({ name: 'too late' }), next: accept({ name: 'Ada' }) });
    expect(await bed.ended(id)).toMatchObject({
      result: { late: { reason: 'timeout' }, next: accept({ name: 'Ada' }) },
    });
  });

  test('a client that cannot be asked is not asked', async () => {
    const bed = await openBed(open, { scripts: { two } });
    const { id } = await bed.enqueue('two', { capabilities: MUTE });
    const result = { code: 'declined', data: { reason: 'unsupported' } };
    expect(await bed.ended(id)).toMatchObject({ status: 'completed', result });
  });

  test('an answer that comes while the task runs beside its question is not lost', async () => {
    const started = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const bed = await openBed(open, {
      scripts: {
        busy: async ({ io }) => {
          const work = async () => {
            await io.sleep('nap', 10);
            await io.step('work', async () => {
              started.resolve();
              await go.promise;
            });
          };
          return (await Promise.all([io.request('who', question('Who?')), work()]))[0];
        },
      },
    });
    const { id } = await bed.enqueue('busy');
    await started.promise;
    await bed.engine.answer(OWNER, id, { who: accept({ name: 'Ada' }) });
    go.resolve();
    expect((await bed.ended(id)).result).toEqual(accept({ name: 'Ada' }));
  });

  test('an answer and a timeout at the same moment give one of both, and every run sees the same', async () => {
    const clock = new TestClock();
    const seen: unknown[] = [];
    const bed = await openBed(open, {
      now: clock.now,
      scripts: {
        close: async ({ io }) => {
          const said = await io.request('who', question('Who?')).catch((error: unknown) => {
            if (error instanceof ToolError) return 'timeout';
            throw error;
          });
          seen.push(said);
          await io.request('more', question('More?'));
          return said;
        },
      },
    });
    const { id } = await bed.enqueue('close');
    await eventually(async () => expect(await openKeys(bed, id)).toEqual(['who']));
    clock.turn(DAY_MS);
    await bed.engine.answer(OWNER, id, { who: accept({ name: 'Ada' }) });
    await eventually(async () => expect(await openKeys(bed, id)).toEqual(['more']));
    await bed.engine.answer(OWNER, id, { more: accept({ name: 'x' }) });
    const { result } = await bed.ended(id);
    expect(seen).toEqual([result, result]);
  });

  test('no key ever names a second question, whatever is asked in whatever order', async () => {
    const rounds = fc.array(
      fc.array(fc.constantFrom('a', 'a#2', 'a#3', 'b'), { minLength: 1, maxLength: 3 }),
      {
        minLength: 1,
        maxLength: 4,
      },
    );
    const bed = await openBed(open, {
      scripts: {
        asks: async ({ io }, input) => {
          // Made by the property below.
          for (const [round, names] of (input as string[][]).entries()) {
            await Promise.all(names.map((name, at) => io.request(name, question(`${round} ${at} ${name}`))));
          }
        },
      },
    });
    await fc.assert(
      fc.asyncProperty(rounds, async (input) => {
        const { id } = await bed.enqueue('asks', { input });
        const asked = new Map<string, string>();
        for (const names of input) {
          const requests = await eventually(async () => {
            const { inputRequests } = await bed.get(id);
            expect(Object.keys(inputRequests)).toHaveLength(names.length);
            return inputRequests;
          });
          for (const [key, request] of Object.entries(requests)) {
            expect(asked.has(key), `${key} came again`).toBe(false);
            asked.set(key, JSON.stringify(request));
          }
          const answers = Object.keys(requests).map((key) => [key, accept({ name: key })] as const);
          await bed.engine.answer(OWNER, id, Object.fromEntries(answers));
        }
        expect((await bed.ended(id)).status).toBe('completed');
        expect(new Set(asked.values()).size).toBe(input.flat().length);
      }),
      { numRuns: 25 },
    );
  });
});
