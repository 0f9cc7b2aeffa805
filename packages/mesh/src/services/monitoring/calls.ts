/** Calls as people look at them: lists by anything that a record says, one in full with what it called, rates, errors. */
import type { Identity } from '@parley/identity';
import type { Effect } from '@parley/kit';
import type { DetailedCallRecord, RecordFilter, RecordLog } from '@parley/store';
import type { CallInFull } from './call-in-full.ts';
import { readCall } from './call-in-full.ts';
import type { CallNames } from './call-names.ts';
import { createCallNames } from './call-names.ts';
import { connectionIdOf, toolsetOf } from './connection-ids.ts';
import { effectOf } from './effect-of.ts';
import type { ErrorGroup } from './error-groups.ts';
import { groupErrors } from './error-groups.ts';
import type { LogEntry } from './logs.ts';
import { logEntry } from './logs.ts';
import type { Rates, RatesQuery } from './rates.ts';
import { readRates } from './rates.ts';
import type { TitlesOf } from './titles.ts';

/** Which calls are meant; absent means any. */
export interface CallFilter {
  readonly connection?: string | undefined;
  readonly tool?: string | undefined;
  /** A part of the tool's name. */
  readonly text?: string | undefined;
  readonly caller?: string | undefined;
  readonly user?: string | undefined;
  readonly source?: string | undefined;
  readonly effect?: string | undefined;
  readonly outcome?: 'ok' | 'error' | 'denied' | 'cancelled' | 'failed' | undefined;
  readonly code?: string | undefined;
  readonly virtualMcp?: string | undefined;
  readonly request?: string | undefined;
  /** Calls that took so long, or longer. */
  readonly minMs?: number | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** One line of the list. */
export interface CallLine {
  readonly id: string;
  readonly timestamp: string;
  readonly connectionId: string;
  readonly connectionTitle: string | null;
  readonly toolName: string;
  readonly effect: Effect | null;
  readonly outcome: string;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly durationMs: number;
  readonly callerId: string;
  readonly callerName: string | null;
  readonly callerSource: string;
  readonly userId: string | null;
  readonly userName: string | null;
  readonly virtualMcpId: string | null;
}

export interface Calls {
  /** Newest first unless it is said otherwise; `before` is the id of the last one of the page before. */
  page(
    organizationId: string,
    query: CallFilter & {
      readonly before?: number | undefined;
      readonly oldestFirst?: boolean | undefined;
      readonly limit: number;
    },
  ): Promise<{ calls: CallLine[]; hasMore: boolean }>;
  one(organizationId: string, id: number): Promise<CallInFull | undefined>;
  rates(organizationId: string, query: CallFilter & RatesQuery): Promise<Rates>;
  /** What failed, alike failures together, the most frequent first. */
  errors(organizationId: string, query: CallFilter): Promise<{ groups: ErrorGroup[]; partial: boolean }>;
  /** All of them, newest first, with what went in and came out. */
  all(organizationId: string, query: CallFilter): AsyncGenerator<LogEntry[]>;
}

const LONGEST_MESSAGE = 300;
const EXPORT_PAGE = 500;

export function createCalls(parts: {
  readonly records: RecordLog;
  readonly titlesOf: TitlesOf;
  readonly identity: Identity;
}): Calls {
  const { records, titlesOf } = parts;
  const names = createCallNames(parts.identity, titlesOf);
  return {
    async page(organizationId, { before, oldestFirst = false, limit, ...query }) {
      const found = await records.listDetailed({
        ...recordFilter(organizationId, query),
        limit: limit + 1,
        oldestFirst,
        ...(before !== undefined && (oldestFirst ? { after: before } : { before })),
      });
      const shown = found.slice(0, limit);
      const known = await names(organizationId, shown);
      return { calls: shown.map((record) => callLine(record, known)), hasMore: found.length > limit };
    },
    one: (organizationId, id) => readCall({ ...parts, names }, organizationId, id),
    rates: (organizationId, { since, until, parts: wanted, ...query }) => {
      const filter = recordFilter(organizationId, query);
      return readRates({ records, titlesOf }, filter, { since, until, parts: wanted });
    },
    errors: (organizationId, query) =>
      groupErrors({ records, titlesOf }, { ...recordFilter(organizationId, query), isError: true }),
    async *all(organizationId, query) {
      const filter = recordFilter(organizationId, query);
      for (let before: number | undefined; ;) {
        const page = await records.listDetailed({
          ...filter,
          limit: EXPORT_PAGE,
          ...(before !== undefined && { before }),
        });
        const titles = await titlesOf(
          organizationId,
          page.map(({ toolset }) => toolset),
        );
        yield page.map((record) => logEntry(record, titles.get(record.toolset) ?? null));
        if (page.length < EXPORT_PAGE) return;
        before = page.at(-1)?.id;
      }
    },
  };
}

/** The filter as the log of records knows it. */
export function recordFilter(organizationId: string, query: CallFilter): RecordFilter {
  const { connection, tool, text, caller, user, source, effect, outcome, code, minMs } = query;
  const { virtualMcp, request, since, until } = query;
  return {
    organizationId,
    ...(connection !== undefined && { toolset: toolsetOf(organizationId, connection) }),
    ...(tool !== undefined && { tool }),
    ...(text !== undefined && { toolPart: text }),
    ...(caller !== undefined && { callerId: caller }),
    ...(user !== undefined && { userId: user }),
    ...(source !== undefined && { source }),
    ...(effect !== undefined && { effect }),
    ...(outcome === 'failed' ? { isError: true } : outcome !== undefined && { outcome }),
    ...(code !== undefined && { code }),
    ...(virtualMcp !== undefined && { virtualMcpId: virtualMcp }),
    ...(request !== undefined && { requestId: request }),
    ...(minMs !== undefined && { minDurationUs: minMs * 1000 }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}

/** The record as a line. */
export function callLine(record: DetailedCallRecord, names: CallNames): CallLine {
  const { organizationId, toolset, callerId, userId } = record;
  return {
    id: String(record.id),
    timestamp: new Date(record.at).toISOString(),
    connectionId: connectionIdOf(organizationId, toolset),
    connectionTitle: names.titles.get(toolset) ?? null,
    toolName: record.tool,
    effect: effectOf(record),
    outcome: record.outcome,
    errorCode: record.code,
    errorMessage: record.detail?.message?.slice(0, LONGEST_MESSAGE) ?? null,
    durationMs: record.durationUs / 1000,
    callerId,
    callerName: names.callers.get(callerId) ?? null,
    callerSource: record.source,
    userId,
    userName: userId === null ? null : (names.users.get(userId) ?? null),
    virtualMcpId: record.virtualMcpId,
  };
}
