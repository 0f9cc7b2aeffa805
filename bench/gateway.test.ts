/** Owns the promises of P4's measuring: the pass-through, the upstreams of both eras, and the judging. */
import { afterEach, describe, expect, test } from 'vitest';
import { besideFault } from './beside-faults.ts';
import { bundleScript } from './bundle.ts';
import { cpuSource } from './cpu.ts';
import type { GatewayFigures } from './gateway.ts';
import { judgeGateway } from './gateway-targets.ts';
import type { Point } from './points.ts';
import { startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';
import { sessionCost } from './session-calls.ts';
import { steadyCalls } from './steady-calls.ts';
import { checkedExchange, exchange, modernBody, modernHeaders } from './wire.ts';

const started: ServerProcess[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.stop()));
});

async function serve(name: string, ...args: string[]): Promise<ServerProcess> {
  const server = await startServer(bundleScript(`servers/${name}.ts`), args);
  started.push(server);
  return server;
}

test('the pass-through answers as its upstream does, at a steady rate too', async () => {
  const upstream = await serve('upstream-raw', '--tools', '3');
  const raw = await serve('passthrough', '--upstream', upstream.ready.url);
  const target = { ...raw.ready, toolCount: 3 };
  const direct = await checkedExchange({ ...upstream.ready, toolCount: 3, kind: 'call' });
  expect((await checkedExchange({ ...target, kind: 'call' })).body).toBe(direct.body);
  await checkedExchange({ ...target, kind: 'list' });
  expect(await steadyCalls({ ...raw.ready, perSecond: 200, calls: 10 })).toMatchObject({ count: 10 });
});

test('an upstream of 2025 is called in sessions, and wrong answers are counted', async () => {
  const { ready, pid } = await serve('upstream-raw', '--era', '2025', '--tools', '3');
  const load = { ...ready, pid, calls: 20, sessions: 2 };
  expect(await sessionCost(load, cpuSource())).toMatchObject({ calls: 20, failures: 0 });
  const modern = await serve('upstream-raw', '--tools', '3');
  const other = { ...load, url: modern.ready.url, pid: modern.pid };
  await expect(sessionCost(other, cpuSource())).rejects.toThrow('initialize');
});

test('an upstream that is told to be broken is, in each of the ways', async () => {
  const upstream = await serve('upstream-raw', '--tools', '1');
  const call = () => {
    const { url, key } = upstream.ready;
    return exchange(url, modernHeaders('call', key), modernBody('call', 1));
  };
  expect(await upstream.ask('fault wrong-id')).toMatchObject({ isBroken: true });
  expect(JSON.parse((await call()).body)).toMatchObject({ id: 'of-somebody-else' });
  await upstream.ask('fault busy');
  expect((await call()).status).toBe(429);
  await upstream.ask('fault large');
  expect((await call()).body.length).toBe(50 * 1024 * 1024);
  await upstream.ask('fault drop');
  await expect(call()).rejects.toThrow(/aborted|socket hang up|ECONNRESET/);
  await upstream.ask('fault none');
  expect((await call()).status).toBe(200);
});

test('calls are timed beside one that is broken', async () => {
  const [well, broken] = [
    await serve('upstream-raw', '--tools', '1'),
    await serve('upstream-raw', '--tools', '1'),
  ];
  const load = { ...well.ready, perSecond: 200, calls: 20 };
  const { alone, beside } = await besideFault(load, broken.ready, () => broken.ask('fault hang'));
  expect([alone.count, beside.count]).toEqual([20, 20]);
});

describe('verdicts', () => {
  const point = (name: string, cpuUs: number, bodyBytes = 100): Point => ({
    name,
    cpuUs,
    windowsCpuUs: [cpuUs],
    rate: 1,
    p50Us: 1,
    saturated: true,
    connections: 32,
    requests: 100,
    errors: 0,
    bodyChecked: true,
    bodyBytes,
    firstAnswerMs: 1,
  });
  const cost = (cpuUs: number, failures = 0) => ({ cpuUs, calls: 10, failures });
  const latency = (p99Ms: number) => ({ count: 10, p50Ms: 1, p99Ms });
  const beside = (p50Ms: number) => ({ alone: latency(2), beside: { ...latency(2), p50Ms } });
  const figures: GatewayFigures = {
    points: [
      point('passthrough call', 40),
      point('gateway call', 100),
      point('bridged call', 210),
      point('stdio upstream call', 100),
      point('mcp-proxy call', 290),
      point('virtual 1 list', 100, 1000),
      point('virtual 50 list', 150, 1500),
      point('virtual 100 list', 200, 1500),
    ],
    sessions: { bridged: cost(100), stdio: cost(100), mcpProxy: cost(400) },
    hang: { alone: latency(2), beside: latency(2.1) },
    faults: {
      drip: beside(1.1),
      drop: beside(1.3),
      'wrong-id': beside(1.2),
      large: beside(1),
      busy: beside(1),
      exit: beside(1),
    },
    search: { count: 10, p50Ms: 4, p99Ms: 20 },
  };

  test('check 35: follow the figures', () => {
    const verdicts = judgeGateway(figures).map(({ verdict }) => verdict);
    const costs = ['pass', 'miss', 'pass', 'pass', 'miss', 'pass', 'pass', 'miss', 'pass'];
    expect(verdicts).toEqual([...costs, 'pass', 'miss', 'pass', 'pass', 'pass', 'pass', 'pass']);
  });

  test('a search of 10 ms is a miss, and figures of an earlier run without it are not measured', () => {
    const last = (search: GatewayFigures['search']) =>
      judgeGateway({ ...figures, ...(search && { search }) }).at(-1)?.verdict;
    expect(last({ count: 10, p50Ms: 10, p99Ms: 20 })).toBe('miss');
    const { search: _search, faults: _faults, ...earlier } = figures;
    const verdicts = judgeGateway(earlier).map(({ verdict }) => verdict);
    expect(verdicts.slice(-7)).toEqual(Array.from({ length: 7 }, () => 'not measured'));
  });

  test('a proxy that is not installed is not measured, and wrong answers are a miss', () => {
    const sessions = { bridged: cost(100, 1), stdio: cost(100) };
    const points = figures.points.filter(({ name }) => name !== 'mcp-proxy call');
    const verdicts = judgeGateway({ ...figures, points, sessions }).map(({ verdict }) => verdict);
    expect(verdicts[2]).toBe('miss');
    expect(verdicts.slice(4, 6)).toEqual(['not measured', 'not measured']);
  });

  test('nothing measured means nothing passed', () => {
    expect(new Set(judgeGateway(undefined).map(({ verdict }) => verdict))).toEqual(new Set(['not measured']));
  });
});
