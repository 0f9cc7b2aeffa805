/** What failed, put together by tool and code, with the newest call of each. */
import type { RecordFilter, RecordLog } from '@parley/store';
import { connectionIdOf } from './connection-ids.ts';
import { scanRecords } from './scan.ts';
import type { TitlesOf } from './titles.ts';

export interface ErrorGroup {
  readonly connectionId: string;
  readonly connectionTitle: string | null;
  readonly toolName: string;
  readonly outcome: string;
  readonly code: string | null;
  readonly count: number;
  readonly callers: number;
  readonly first: string;
  readonly last: string;
  /** The newest call of the group, and what it said. */
  readonly lastId: string;
  readonly message: string | null;
}

const MOST_GROUPS = 100;
const LONGEST_MESSAGE = 300;

export async function groupErrors(
  { records, titlesOf }: { readonly records: RecordLog; readonly titlesOf: TitlesOf },
  filter: RecordFilter,
): Promise<{ groups: ErrorGroup[]; partial: boolean }> {
  const groups = new Map<string, Gathered>();
  const partial = await scanRecords(records, filter, (record) => {
    const { toolset, tool, outcome, code, at, callerId } = record;
    const key = JSON.stringify([toolset, tool, outcome, code]);
    const known = groups.get(key);
    if (known === undefined) {
      const last = { lastId: String(record.id), message: record.detail?.message ?? null, last: at };
      groups.set(key, {
        toolset,
        tool,
        outcome,
        code,
        count: 1,
        first: at,
        ...last,
        callers: new Set([callerId]),
      });
      return;
    }
    known.count += 1;
    known.first = at;
    known.callers.add(callerId);
  });
  const found = [...groups.values()].toSorted((a, b) => b.count - a.count).slice(0, MOST_GROUPS);
  const titles = await titlesOf(
    filter.organizationId,
    found.map(({ toolset }) => toolset),
  );
  return {
    groups: found.map(({ toolset, tool, callers, first, last, message, ...rest }) => ({
      ...rest,
      connectionId: connectionIdOf(filter.organizationId, toolset),
      connectionTitle: titles.get(toolset) ?? null,
      toolName: tool,
      callers: callers.size,
      first: new Date(first).toISOString(),
      last: new Date(last).toISOString(),
      message: message?.slice(0, LONGEST_MESSAGE) ?? null,
    })),
    partial: partial || groups.size > MOST_GROUPS,
  };
}

interface Gathered {
  readonly toolset: string;
  readonly tool: string;
  readonly outcome: string;
  readonly code: string | null;
  count: number;
  readonly callers: Set<string>;
  first: number;
  readonly last: number;
  readonly lastId: string;
  readonly message: string | null;
}
