/** Owns the targets of the gateway: what P4 promises, and whether the figures keep it. */
import { BESIDE } from './beside-faults.ts';
import type { Beside, BesideFigures } from './beside-faults.ts';
import type { GatewayFigures } from './gateway.ts';
import { SEARCHED_TOOLS, UPSTREAMS } from './gateway.ts';
import type { SessionCost } from './session-calls.ts';
import { ruled } from './verdict.ts';
import type { Note, Verdict } from './verdict.ts';

const lower = { id: 'P4', better: 'lower', unit: 'x' } as const;
const BESIDE_WORDS: Readonly<Record<Beside, string>> = {
  drip: 'one that sends a byte a second',
  drop: 'one that ends in the middle',
  'wrong-id': 'one that answers with other ids',
  large: 'one that answers 50 MB',
  busy: 'one that answers 429',
  exit: 'a program that ends at its start',
};
const PASSTHROUGH = 'call through the gateway, against a raw pass-through';

/** Judges everything that was measured with the gateway. */
export function judgeGateway(figures: GatewayFigures | undefined): Verdict[] {
  const cost = (name: string) => usable(figures, name)?.cpuUs;
  const raw = cost('passthrough call');
  const { bridged, stdio, mcpProxy } = figures?.sessions ?? {};
  return [
    ruled({ ...lower, what: PASSTHROUGH, limit: 2.5 }, over(cost('gateway call'), raw)),
    ruled(
      { ...lower, what: '2026 client, 2025 upstream, against it', limit: 5 },
      over(cost('bridged call'), raw),
    ),
    ruled(
      { ...lower, what: '2025 client, 2026 upstream, against it', limit: 5 },
      over(bridged?.cpuUs, raw),
      said(bridged),
    ),
    ruled({ ...lower, what: 'stdio upstream, against it', limit: 5 }, over(cost('stdio upstream call'), raw)),
    ruled(
      { ...lower, better: 'higher', what: 'mcp-proxy before a stdio server, against the gateway', limit: 3 },
      over(cost('mcp-proxy call'), cost('stdio upstream call')),
    ),
    ruled(
      { ...lower, better: 'higher', what: 'the same in sessions of 2025', limit: 1 },
      over(mcpProxy?.cpuUs, stdio?.cpuUs),
      said(mcpProxy),
    ),
    ...UPSTREAMS.slice(1).map((count) =>
      ruled(
        { ...lower, what: `list of ${count} upstreams against 1, per byte`, limit: 1.2 },
        over(perByte(figures, count), perByte(figures, UPSTREAMS[0])),
      ),
    ),
    ruled(
      { ...lower, what: 'p99 of calls beside an upstream that hangs, against alone', limit: 1.1 },
      over(figures?.hang.beside.p99Ms, figures?.hang.alone.p99Ms),
      besideNote(figures?.hang),
    ),
    ...BESIDE.map((kind) => {
      const found = figures?.faults?.[kind];
      return ruled(
        { ...lower, what: `p50 of calls beside ${BESIDE_WORDS[kind]}, against alone`, limit: 1.2 },
        over(found?.beside.p50Ms, found?.alone.p50Ms),
        besideNote(found),
      );
    }),
    ruled(
      {
        id: 'P4',
        better: 'under',
        unit: ' ms',
        what: `p50 of a search over ${SEARCHED_TOOLS} tools`,
        limit: 10,
      },
      figures?.search?.p50Ms,
      figures?.search && { text: `p99 ${figures.search.p99Ms} ms`, isBroken: false },
    ),
  ];
}

function usable(figures: GatewayFigures | undefined, name: string) {
  const point = figures?.points.find((one) => one.name === name);
  return point?.voidReason === undefined ? point : undefined;
}

function perByte(figures: GatewayFigures | undefined, count: number): number | undefined {
  const point = usable(figures, `virtual ${count} list`);
  return point && point.cpuUs / point.bodyBytes;
}

function over(top: number | undefined, bottom: number | undefined): number | undefined {
  return top === undefined || bottom === undefined ? undefined : top / bottom;
}

function said(cost: SessionCost | undefined): Note | undefined {
  if (cost === undefined) return undefined;
  return {
    text: `${cost.cpuUs} us; ${cost.failures} of ${cost.calls} answers wrong`,
    isBroken: cost.failures > 0,
  };
}

function besideNote(figures: BesideFigures | undefined): Note | undefined {
  if (figures === undefined) return undefined;
  const { alone, beside } = figures;
  const text = `p50 ${alone.p50Ms} to ${beside.p50Ms} ms, p99 ${alone.p99Ms} to ${beside.p99Ms} ms`;
  return { text, isBroken: false };
}
