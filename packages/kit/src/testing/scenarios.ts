/** Scenario tables: who calls what, what comes back, and what must not appear. */
import type { Caller } from '../access/caller.ts';
import type { AnyTool } from '../define/tool.ts';
import type { Toolset } from '../define/toolset.ts';
import type { Answers, ConnectOptions } from './connect.ts';
import { connect } from './connect.ts';

/** How a call must end. */
type Expected =
  /** With this structured output, compared in part. */
  | { readonly gives: Record<string, unknown>; readonly fails?: never; readonly unknown?: never }
  /** With a tool error of this code. */
  | { readonly fails: string; readonly gives?: never; readonly unknown?: never }
  /** Refused like an unknown tool. */
  | { readonly unknown: true; readonly gives?: never; readonly fails?: never }
  /** Well, with these words, where there is no structured output to compare. */
  | { readonly shows: Words; readonly gives?: never; readonly fails?: never; readonly unknown?: never };

type Words = readonly [string, ...string[]];
type Call = readonly [tool: string, input?: unknown];

/** One row of a table; it does not compile unless it says how the call must end. */
export type Scenario = Expected & {
  readonly name: string;
  readonly as?: Partial<Caller>;
  readonly answers?: Answers;
  /** A function where the input names what exists only when the row runs. */
  readonly call: Call | (() => Call);
  /** Must stand in the answer. */
  readonly shows?: Words;
  /** Must not stand anywhere in the answer. */
  readonly hides?: readonly string[];
  /** How many records of each outcome; absent outcomes must be zero. */
  readonly records?: Readonly<Partial<Record<'ok' | 'error' | 'denied' | 'cancelled', number>>>;
};

/** The part of a test runner that tables need, so that the kit depends on none. */
export interface Runner {
  test(name: string, body: () => Promise<void>): void;
  expect(value: unknown): {
    toMatchObject(expected: object): void;
    toEqual(expected: unknown): void;
    toContain(expected: string): void;
    not: { toContain(expected: string): void };
  };
}

/** Runs every row in both eras. */
export function scenarios<Services, Tools extends readonly AnyTool[]>(
  runner: Runner,
  toolset: Toolset<Services, never, Tools>,
  options: () => Pick<ConnectOptions<Services>, 'services' | 'middleware'>,
  rows: readonly Scenario[],
): void {
  for (const era of ['modern', 'legacy'] as const) {
    for (const row of rows) {
      runner.test(`${row.name} (${era})`, () => runScenario(runner, toolset, { ...options(), era }, row));
    }
  }
}

async function runScenario<Services, Tools extends readonly AnyTool[]>(
  runner: Runner,
  toolset: Toolset<Services, never, Tools>,
  options: ConnectOptions<Services>,
  row: Scenario,
): Promise<void> {
  const { expect } = runner;
  const [tool, input] = typeof row.call === 'function' ? row.call() : row.call;
  await using client = await connect(toolset, {
    ...options,
    ...(row.as && { as: row.as }),
    ...(row.answers && { answers: row.answers }),
  });
  // Bad input is what tables are for, so its type is not looked at here.
  const request = { name: tool, ...(input !== undefined && { arguments: input as Record<string, unknown> }) };
  const answer = await client.raw.callTool(request).catch((error: unknown) => ({ refused: String(error) }));
  const text = JSON.stringify(answer);
  if (row.unknown) expect(text).toContain(`Unknown tool: ${tool}`);
  else expect(text).not.toContain('"refused"');
  if (!row.unknown && !row.fails) expect(text).not.toContain('"isError":true');
  if (row.gives) expect(answer).toMatchObject({ structuredContent: row.gives });
  if (row.fails) expect(answer).toMatchObject({ isError: true, _meta: { 'dev.parley/code': row.fails } });
  for (const shown of row.shows ?? []) expect(text).toContain(shown);
  for (const hidden of row.hides ?? []) expect(text).not.toContain(hidden);
  if (row.records) expect(countOutcomes(client.records)).toEqual(row.records);
}

function countOutcomes(records: readonly { outcome: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome } of records) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}
