/** Definitions of tools as people look at them: what they agreed to, what is different now, and their approval of it. */
import type { Caller } from '@parley/kit';
import { ToolError } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import { fromJson } from '@parley/store';
import type { FieldChange } from '../definitions/diff.ts';
import { pinDiff } from '../definitions/diff.ts';
import { visibleText, visibleValue } from '../definitions/hidden-text.ts';
import { pinningOf, servedState } from '../definitions/modes.ts';
import type { PinningMode } from '../definitions/modes.ts';
import { pinsOf } from '../definitions/pins.ts';
import { leaseState } from '../refresh/lease.ts';
import type { ConnectionRow, ConnectionTables, HeldReason, ToolPinRow } from '../schema.ts';
import type { ServedStatus, ServedTool } from '../served.ts';
import { gatewaySettingsOf } from '../shapes/gateway-settings.ts';
import type { Dropped, UpstreamTool } from '../upstream.ts';
import { refreshNow } from './ask-upstream.ts';
import type { Base } from './base.ts';
import { announceCatalog, authorOf, CONNECTIONS_CHANGED } from './base.ts';
import { actsAsAdministrator, requireAdministrator } from './rights.ts';
import { findRow } from './rows.ts';
import { statusOf } from './status.ts';

/** A tool with what somebody agreed to; characters that cannot be seen are written out. */
export interface ToolDefinition {
  readonly tool: string;
  /** How it is served; `removed`: its server does not list it any more. */
  readonly state: ServedTool['state'] | 'removed';
  readonly reason: HeldReason | null;
  /** Of the definition as it is now; an approval names it. */
  readonly hash: string;
  readonly definition: UpstreamTool;
  readonly approved: {
    readonly hash: string;
    readonly by: string | null;
    readonly at: string | null;
    /** Null where it was not kept. */
    readonly definition: UpstreamTool | null;
  } | null;
  readonly renamedFrom: string | null;
  /** What is different from what was agreed to. */
  readonly diff: readonly FieldChange[];
}

/** A definition that is agreed to. */
export interface Approval {
  readonly tool: string;
  readonly hash: string;
}

export interface Definitions {
  list(caller: Caller, connectionId: string): Promise<ToolDefinition[]>;
  /** What the server has that is not served, and why; characters that cannot be seen are written out. */
  leftOut(caller: Caller, connectionId: string): Promise<Dropped[]>;
  /** All of them or none; a definition that has changed since it was shown is refused. Returns how many are new. */
  approve(caller: Caller, connectionId: string, approvals: readonly Approval[]): Promise<number>;
  /** Asks the upstream now, in the name of the caller, and tells how it does; somebody who asks already is waited for. */
  refresh(caller: Caller, connectionId: string): Promise<ServedStatus>;
}

export function createDefinitions(base: Base): Definitions {
  const { store } = base;
  const existing = async (caller: Caller, id: string): Promise<ConnectionRow> => {
    const row = await findRow(store, caller.organizationId, id);
    if (row === undefined) throw notFound();
    return row;
  };
  return {
    async list(caller, connectionId) {
      const row = await existing(caller, connectionId);
      const mode = pinningOf(gatewaySettingsOf(row));
      const pins = await pinsOf(store, row.id);
      const byName = new Map(pins.map((pin) => [pin.tool_name, pin]));
      return pins.map((pin) => toDefinition(pin, byName, mode));
    },
    async leftOut(caller, connectionId) {
      const row = await existing(caller, connectionId);
      const found = await store
        .db<ConnectionTables>()
        .selectFrom('connection_catalogs')
        .select('body')
        .where('connection_id', '=', row.id)
        .where('kind', '=', 'server')
        .executeTakeFirst();
      const { dropped = [] } = fromJson<{ dropped?: Dropped[] }>(found?.body ?? '{}');
      return visibleValue(dropped);
    },
    async approve(caller, connectionId, approvals) {
      if (!actsAsAdministrator(caller))
        throw new ToolError(
          'forbidden',
          'Only owners and administrators may approve definitions. Ask one of them.',
        );
      return store.transaction((tx) => approve(base, tx, { caller, connectionId, approvals }));
    },
    async refresh(caller, connectionId) {
      const row = await existing(caller, connectionId);
      if (row.connection_type === 'STDIO') requireAdministrator(caller);
      if (row.status === 'inactive')
        throw new ToolError('conflict', 'The connection is inactive. Set its status to active first.');
      if (!(await refreshNow(base, caller, row))) await othersEnd(base, caller, row);
      const status = await statusOf(store, caller.organizationId, connectionId);
      if (status === undefined) throw notFound();
      return status;
    },
  };
}

function notFound(): ToolError {
  return new ToolError('not_found', 'Connection not found');
}

function toDefinition(
  pin: ToolPinRow,
  byName: ReadonlyMap<string, ToolPinRow>,
  mode: PinningMode,
): ToolDefinition {
  const { approved_hash, approved_definition: text, approved_at, renamed_from } = pin;
  const definition = fromJson<UpstreamTool>(pin.definition);
  const approved = text === null ? null : fromJson<UpstreamTool>(text);
  const { approved_definition: old = null, approved_hash: oldHash = null } =
    renamed_from === null ? pin : (byName.get(renamed_from) ?? {});
  const { state, reason } = servedState(pin, mode);
  return {
    tool: visibleText(pin.tool_name),
    state: pin.state === 'removed' ? 'removed' : state,
    reason,
    hash: pin.definition_hash,
    definition: visibleValue(definition),
    approved:
      approved_hash === null
        ? null
        : {
            hash: approved_hash,
            by: pin.approved_by,
            at: approved_at === null ? null : new Date(approved_at).toISOString(),
            definition: visibleValue(approved),
          },
    renamedFrom: renamed_from === null ? null : visibleText(renamed_from),
    diff:
      old === null
        ? []
        : pinDiff(
            { definition: fromJson<UpstreamTool>(old), hash: oldHash },
            { definition, hash: pin.definition_hash },
          ),
  };
}

async function approve(
  base: Base,
  tx: StoreTransaction,
  {
    caller,
    connectionId,
    approvals,
  }: { readonly caller: Caller; readonly connectionId: string; readonly approvals: readonly Approval[] },
): Promise<number> {
  const { organizationId } = caller;
  const db = tx.db<ConnectionTables>();
  // The same row that a refresh holds: what is approved cannot change meanwhile.
  const query = db
    .selectFrom('connections')
    .select(['id', 'title'])
    .where('organization_id', '=', organizationId)
    .where('id', '=', connectionId);
  const row = await tx.locked(query).executeTakeFirst();
  if (row === undefined) throw notFound();
  const pins = new Map((await pinsOf(tx, row.id)).map((pin) => [visibleText(pin.tool_name), pin]));
  const agreed = new Map(approvals.map((approval) => [approval.tool, currentPin(pins, approval)]));
  const waiting = [...agreed.values()].filter(({ state }) => state !== 'approved');
  if (waiting.length === 0) return 0;
  const names = waiting.map(({ tool_name }) => tool_name);
  for (let from = 0; from < names.length; from += BATCH)
    await db
      .updateTable('tool_pins')
      .set((pin) => ({
        state: 'approved',
        reason: null,
        renamed_from: null,
        approved_hash: pin.ref('definition_hash'),
        approved_definition: pin.ref('definition'),
        approved_by: authorOf(caller),
        approved_at: base.now(),
      }))
      .where('connection_id', '=', row.id)
      .where('tool_name', 'in', names.slice(from, from + BATCH))
      .execute();
  await db
    .updateTable('connection_refreshes')
    .set((refresh) => ({ pins_revision: refresh('pins_revision', '+', 1) }))
    .where('connection_id', '=', row.id)
    .execute();
  const approved = Object.fromEntries(
    waiting.map(({ tool_name, definition_hash }) => [tool_name.slice(0, 100), definition_hash]),
  );
  await base.audit.write(tx, {
    caller,
    action: 'definition.approved',
    target: row.id,
    changed: { title: row.title, approved },
  });
  await announceCatalog(tx, organizationId);
  return waiting.length;
}

const BATCH = 100;

function currentPin(pins: ReadonlyMap<string, ToolPinRow>, { tool, hash }: Approval): ToolPinRow {
  const pin = pins.get(tool);
  const name = tool.slice(0, 100);
  if (pin === undefined || pin.state === 'removed')
    throw new ToolError(
      'conflict',
      `The server has no tool "${name}" any more. Look at the definitions again.`,
    );
  if (pin.definition_hash !== hash)
    throw new ToolError(
      'conflict',
      `The definition of "${name}" is not the one that was shown. Look at the definitions again.`,
    );
  return pin;
}

const WAIT_MS = 15_000;
const LOOK_EVERY_MS = 1_000;
const RETRY_MS = 5_000;

/** Waits until whoever asks has finished; what they found is as good. One who is gone is not waited for: this asks then. */
async function othersEnd(base: Base, caller: Caller, row: ConnectionRow): Promise<void> {
  const { store, now } = base;
  const until = performance.now() + WAIT_MS;
  const over = new AbortController();
  try {
    while (performance.now() < until) {
      const next = store.signal.wait(CONNECTIONS_CHANGED, { timeoutMs: LOOK_EVERY_MS, signal: over.signal });
      const state = await leaseState(store, row.id, now());
      if (state === 'free') return;
      if (state === 'lapsed' && (await refreshNow(base, caller, row))) return;
      await next;
    }
  } finally {
    over.abort();
  }
  throw new ToolError('unavailable', 'Another process is asking this server. Try again in a moment.', {
    retryAfterMs: RETRY_MS,
  });
}
