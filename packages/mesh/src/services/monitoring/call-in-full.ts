/** One call in full: who, what, the grant that allows it, what it called in turn, and what it was called by. */
import type { Identity } from '@parley/identity';
import type { Caller, Effect } from '@parley/kit';
import type { DetailedCallRecord, RecordLog, StoredCallRecord } from '@parley/store';
import type { CallNames, NamesOf } from './call-names.ts';
import { connectionIdOf } from './connection-ids.ts';
import { effectOf } from './effect-of.ts';
import type { LogEntry } from './logs.ts';
import { logEntry } from './logs.ts';
import type { TitlesOf } from './titles.ts';

/** A call inside another one. */
export interface NestedCall {
  readonly id: string;
  readonly connectionId: string;
  readonly connectionTitle: string | null;
  readonly toolName: string;
  readonly effect: Effect | null;
  readonly outcome: string;
  readonly errorCode: string | null;
  readonly durationMs: number;
  /** After the outer call began. */
  readonly startMs: number;
  readonly calls: NestedCall[];
}

/** What lets the caller make this call, as things stand now. */
export interface AllowingGrant {
  readonly resource: string;
  readonly name: string;
  readonly roles: readonly string[];
}

export interface CallInFull extends LogEntry {
  readonly outcome: string;
  /** `tools/call`, `rest` and the like. */
  readonly method: string;
  readonly callerName: string | null;
  readonly userName: string | null;
  readonly virtualMcpTitle: string | null;
  /** Null: nothing allows it any more, or it is no tool. */
  readonly grant: AllowingGrant | null;
  readonly calls: NestedCall[];
  /** The call that this one was made by. */
  readonly madeBy: { readonly id: string; readonly toolName: string } | null;
}

export interface CallParts {
  readonly records: RecordLog;
  readonly titlesOf: TitlesOf;
  readonly names: NamesOf;
  readonly identity: Pick<Identity, 'callerNamed' | 'callerOfMember'>;
}

const MOST_NESTED = 500;
// The longest that a call may take that makes others.
const LONGEST_MS = 10 * 60_000;

export async function readCall(
  parts: CallParts,
  organizationId: string,
  id: number,
): Promise<CallInFull | undefined> {
  const { records, names } = parts;
  const [record] = await records.listDetailed({ organizationId, after: id - 1, before: id + 1, limit: 1 });
  if (record === undefined) return undefined;
  const related = await relatedTo(records, record);
  const known = await names(organizationId, [record, ...related]);
  const inner = related.filter((other) => isInside(other, record));
  const outer = related
    .filter((other) => isInside(record, other))
    .toSorted((a, b) => a.durationUs - b.durationUs)[0];
  const { virtualMcpId, callerId, userId } = record;
  return {
    ...logEntry(record, known.titles.get(record.toolset) ?? null),
    outcome: record.outcome,
    method: record.method,
    callerName: known.callers.get(callerId) ?? null,
    userName: userId === null ? null : (known.users.get(userId) ?? null),
    virtualMcpTitle: virtualMcpId === null ? null : (known.titles.get(virtualMcpId) ?? null),
    grant: await grantOf(parts, record),
    calls: treeOf(inner, startOf(record), known),
    madeBy: outer === undefined ? null : { id: String(outer.id), toolName: outer.tool },
  };
}

/** Calls of the same request that overlap this one: what a call makes has its caller, its client and its request. */
async function relatedTo(records: RecordLog, record: DetailedCallRecord): Promise<StoredCallRecord[]> {
  const { organizationId, callerId, requestId, at, client } = record;
  if (requestId === null) return [];
  const found = await records.list({
    organizationId,
    callerId,
    requestId,
    since: Math.floor(startOf(record)),
    until: at + LONGEST_MS,
    limit: MOST_NESTED,
  });
  return found.filter((other) => other.id !== record.id && other.client === client);
}

// A record is written at the end of its call, by a clock of milliseconds.
function startOf({ at, durationUs }: StoredCallRecord): number {
  return at - durationUs / 1000;
}

const SPARE_MS = 2;

/** A call that others were made by is written after them. */
function isInside(inner: StoredCallRecord, outer: StoredCallRecord): boolean {
  const isWithin = inner.at <= outer.at + SPARE_MS && startOf(inner) >= startOf(outer) - SPARE_MS;
  return isWithin && inner.id < outer.id && inner.durationUs <= outer.durationUs;
}

/** The calls under the innermost one that holds them. */
function treeOf(records: readonly StoredCallRecord[], beganAt: number, { titles }: CallNames): NestedCall[] {
  const nodes = new Map<StoredCallRecord, NestedCall>();
  const roots: NestedCall[] = [];
  // Outer calls first, so that each finds the ones around it.
  for (const record of records.toSorted((a, b) => b.id - a.id)) {
    const node: NestedCall = {
      id: String(record.id),
      connectionId: connectionIdOf(record.organizationId, record.toolset),
      connectionTitle: titles.get(record.toolset) ?? null,
      toolName: record.tool,
      effect: effectOf(record),
      outcome: record.outcome,
      errorCode: record.code,
      durationMs: record.durationUs / 1000,
      startMs: Math.max(0, startOf(record) - beganAt),
      calls: [],
    };
    const around = [...nodes.keys()].filter((other) => mayHold(other) && isInside(record, other));
    const inner = around.toSorted((a, b) => a.durationUs - b.durationUs)[0];
    (inner === undefined ? roots : (nodes.get(inner)?.calls ?? roots)).unshift(node);
    nodes.set(record, node);
  }
  return roots;
}

/** Code makes calls, at once too; a plain call inside the time of another plain one is beside it, not in it. */
function mayHold({ effect }: StoredCallRecord): boolean {
  return effect === 'run';
}

async function grantOf(
  { identity }: CallParts,
  { organizationId, callerId, toolset, tool, method }: StoredCallRecord,
): Promise<AllowingGrant | null> {
  if (method === 'rest') return null;
  const caller =
    (await identity.callerNamed(organizationId, callerId)) ??
    (await identity.callerOfMember(organizationId, callerId));
  return caller === undefined ? null : allowingGrant(caller, toolset, tool);
}

/** The grant that covers a tool: that of its own resource before that of all. */
export function allowingGrant(
  { grants, roles }: Pick<Caller, 'grants' | 'roles'>,
  toolset: string,
  tool: string,
): AllowingGrant | null {
  for (const resource of [toolset, '*']) {
    const names = Object.hasOwn(grants, resource) ? (grants[resource] ?? []) : [];
    const name = [tool, '*'].find((wanted) => names.includes(wanted));
    if (name !== undefined) return { resource, name, roles: [...roles] };
  }
  return null;
}
