/** Prometheus metrics, named after the MCP semantic conventions; what can be looked up is looked up when somebody asks. */
import type { CallRecord } from '@parley/kit';
import { collectDefaultMetrics, Counter, Registry } from 'prom-client';
import type { IsForEverybody } from './durations.ts';
import { CallDurations } from './durations.ts';
import type { Family } from './families.ts';
import { textOf } from './families.ts';

/** Looks up the families of one part. */
type Look = () => Promise<readonly Family[]>;

/** Counts what the server does. */
export interface Metrics {
  readonly contentType: string;
  observe(record: CallRecord): void;
  /** Counts an error that nothing caught. */
  countUncaught(): void;
  /** Shows a part from now on; what is stored is read from the database, and not with every question. */
  watch(part: string, look: Look, options?: { readonly isStored?: boolean }): void;
  text(): Promise<string>;
}

/** What was read counts for so long, whoever asks. */
const FRESH_MS = 5_000;
/** Who asks for metrics has a deadline too, and a database that is away has nothing to tell. */
const WAIT_MS = 2_000;

export function createMetrics(isForEverybody: IsForEverybody): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new CallDurations(isForEverybody);
  const uncaught = new Counter({
    name: 'parley_uncaught_errors_total',
    help: 'Errors that nothing caught; the server went on, and the log has each of them.',
    registers: [registry],
  });
  const parts: { readonly part: string; readonly look: Look }[] = [];

  async function families(): Promise<Family[]> {
    const found = await Promise.all(
      parts.map(async ({ part, look }) => ({ part, families: await inTime(look) })),
    );
    const missing = found.filter((one) => one.families === undefined);
    return [
      ...found.flatMap((one) => one.families ?? []),
      {
        name: 'parley_metrics_missing',
        help: 'Parts that could not be looked up in time.',
        type: 'gauge',
        samples: missing.map(({ part }) => ({ labels: { part }, value: 1 })),
      },
    ];
  }

  return {
    contentType: registry.contentType,
    observe: (record) => durations.observe(record),
    countUncaught: () => uncaught.inc(),
    watch(part, look, { isStored = false } = {}) {
      parts.push({ part, look: isStored ? kept(look) : look });
    },
    async text() {
      const own = await registry.metrics();
      return `${own}\n${textOf(await families())}${durations.text()}\n`;
    },
  };
}

/** The families, or undefined when they cannot be had now. */
async function inTime(look: Look): Promise<readonly Family[] | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, WAIT_MS);
  // That the database is away is told where requests fail; here its figures are missing.
  const found = look().catch(() => undefined);
  try {
    return await Promise.race([found, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Looks once for everybody who asks within a while; what failed is tried again. */
function kept(look: Look): Look {
  let last: { readonly untilMs: number; readonly found: ReturnType<Look> } | undefined;
  return () => {
    if (last !== undefined && performance.now() < last.untilMs) return last.found;
    const found = look().catch((error: unknown) => {
      last = undefined;
      throw error;
    });
    last = { untilMs: performance.now() + FRESH_MS, found };
    return found;
  };
}
