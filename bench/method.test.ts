/** Owns the promises of the measuring: sizes, clocks, medians, bodies, and the servers it compares. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleScript } from './bundle.ts';
import { clockUs, cpuSource, cpuTimeUs, statUs } from './cpu.ts';
import { runWindow } from './load.ts';
import { findMethod, parseCoreList } from './machine.ts';
import { gentler, measurePoints } from './points.ts';
import { tableLines } from './report.ts';
import { startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';
import { soak } from './soak.ts';
import { coldStart, median } from './stdio.ts';
import { assertAnswer, checkedExchange, exchange, modernBody, modernHeaders } from './wire.ts';

describe('figures', () => {
  test('CPU time is read from every source', () => {
    expect(statUs('7 (a b) S 1 1 1 0 -1 0 0 0 0 0 12 3 0 0')).toBe(150_000);
    expect(clockUs(' 1-00:00:01\n')).toBe(86_401e6);
    expect(clockUs('0:03.25')).toBe(3.25e6);
    expect(cpuTimeUs(process.pid, cpuSource())).toBeGreaterThan(0);
  });

  test('core lists are read with ranges', () => {
    expect(parseCoreList('0-2,5')).toEqual([0, 1, 2, 5]);
    expect(parseCoreList('')).toEqual([]);
  });

  test('slow points get fewer connections and longer windows', () => {
    expect(gentler(20_000, 1)).toEqual({ connections: 32, windowSeconds: 1 });
    expect(gentler(150, 1)).toEqual({ connections: 4, windowSeconds: 4 });
  });

  test('the median of an even number of runs lies between the two in the middle', () => {
    expect(median([1, 2, 10])).toBe(2);
    expect(median([1, 2, 4, 10])).toBe(3);
  });

  test('tables align words to the left and numbers to the right', () => {
    expect(
      tableLines(
        ['name', 'us'],
        [
          ['a', '1'],
          ['bcdef', '100'],
        ],
      ),
    ).toEqual(['name    us', 'a        1', 'bcdef  100']);
  });

  test('an error result is no right answer', () => {
    const result = { resultType: 'complete', isError: true, content: [{ type: 'text', text: 'Error: x' }] };
    expect(() => assertAnswer('call', 1, 1, JSON.stringify({ jsonrpc: '2.0', id: 1, result }))).toThrow(
      'not a complete result',
    );
  });
});

describe.each(['floor', 'sdk'])('the %s server', (name) => {
  let server: ServerProcess;
  const toolCount = 5;
  beforeAll(async () => {
    server = await startServer(bundleScript(`servers/${name}.ts`), ['--tools', String(toolCount)]);
  });
  afterAll(() => server.stop());

  test('answers the call and lists every tool', async () => {
    const { url, key } = server.ready;
    await checkedExchange({ url, key, kind: 'call', toolCount });
    const list = await checkedExchange({ url, key, kind: 'list', toolCount });
    expect(list.elapsedMs).toBeGreaterThan(0);
  });

  test('refuses a header that disagrees with the body', async () => {
    const { url, key } = server.ready;
    const headers = { ...modernHeaders('call', key), 'mcp-name': 'other' };
    const answer = await exchange(url, headers, modernBody('call', 1));
    expect(answer.status).toBe(400);
    expect(answer.body).toContain('-32020');
  });

  test('reports its memory on a control line', async () => {
    expect(await server.ask('memory')).toMatchObject({ rssBytes: expect.any(Number) });
    expect(await server.ask('records')).toEqual({ records: null });
  });
});

describe('a run', () => {
  test('voids a point whose first answer is wrong and sends no load', async () => {
    const server = await startServer(bundleScript('servers/floor.ts'), ['--tools', '3']);
    const { url, key } = server.ready;
    const target = { name: 'floor 4 list', pid: server.pid, url, key, kind: 'list', toolCount: 4 } as const;
    const settings = { warmUpSeconds: 1, windowSeconds: 1, rounds: 1 };
    const method = { generator: 'own', cpuSource: cpuSource(), cores: undefined } as const;
    const [point] = await measurePoints([target], settings, method, () => undefined);
    await server.stop();
    expect(point?.voidReason).toContain('3 tools where 4 were expected');
    expect(point?.requests).toBe(0);
  });

  test.each(['wrk', 'own'] as const)(
    'the %s generator counts answers of another size as errors',
    async (generator) => {
      const server = await startServer(bundleScript('servers/floor.ts'), ['--tools', '3']);
      const { url, key } = server.ready;
      const { body } = await checkedExchange({ url, key, kind: 'call', toolCount: 3 });
      const method = { ...findMethod(), cores: undefined };
      if (generator === 'own') method.generator = generator;
      const window = { url, key, kind: 'call', connections: 2, seconds: 1, firstId: 10_000_000 } as const;
      const right = await runWindow({ ...window, answerBytes: body.length }, method);
      const wrong = await runWindow({ ...window, answerBytes: body.length + 1 }, method);
      await server.stop();
      expect(right.requests).toBeGreaterThan(0);
      expect(right.errors).toBe(0);
      expect(wrong.errors).toBeGreaterThan(0);
    },
  );

  test('the long load makes one error and one disconnect per hundred calls in both eras', async () => {
    const server = await startServer(bundleScript('servers/sdk.ts'), ['--tools', '2']);
    const { url, key } = server.ready;
    const result = await soak({ url, key, calls: 500, connections: 2 });
    await server.stop();
    const made = { calls: 500, calls2025: 100, errorsMade: 5, disconnectsMade: 5 };
    expect(result).toEqual({ ...made, failures: 0 });
  });

  test.each(['modern', '2025'] as const)('a cold start opened as %s ends with the list', async (opening) => {
    const run = await coldStart([bundleScript('servers/sdk-stdio.ts'), '4'], opening, 4);
    expect(run.elapsedMs).toBeGreaterThan(0);
    await expect(coldStart([bundleScript('servers/sdk-stdio.ts'), '4'], opening, 5)).rejects.toThrow(
      '4 of 5',
    );
  });
});
