/** Pins: what somebody agreed to of each tool of a connection, and how that differs from what there is now. */
import type { Queryable, StoreTransaction } from '@parley/store';
import { fromJson, toQueryJson } from '@parley/store';
import type { ConnectionTables, HeldReason, ToolPinRow } from '../schema.ts';
import type { UpstreamTool } from '../upstream.ts';
import type { FieldChange } from './diff.ts';
import { pinDiff } from './diff.ts';
import type { DocumentHashes } from './hash.ts';
import { definitionHash, templateOf, valueDigest } from './hash.ts';
import { hasHiddenText } from './hidden-text.ts';
import { createRenames } from './similarity.ts';

/** Whose pins, and who looks at the definitions. */
export interface PinPlace {
  readonly organizationId: string;
  readonly id: string;
  /** Who is shown the catalog and agrees with it; null: it is not the first one, or nobody sees it. */
  readonly agreedBy: string | null;
  readonly now: number;
}

/** What stands behind definitions and is agreed to with them. */
export interface Behind {
  readonly documents?: DocumentHashes | undefined;
  /** Digests of requests to a service, by the name of the tool. */
  readonly requests?: Readonly<Record<string, string>> | undefined;
}

/** A tool that is not what somebody agreed to, seen now for the first time. */
export interface Drift {
  readonly tool: string;
  readonly hash: string;
  /** The tool that it seems to have been. */
  readonly renamedFrom: string | null;
  readonly fields: readonly FieldChange[];
}

const BATCH = 100;

/** Compares a complete list with the pins, and writes down what is different. */
export async function keepPins(
  tx: StoreTransaction,
  place: PinPlace,
  tools: readonly UpstreamTool[],
  behind: Behind = {},
): Promise<{ isChanged: boolean; drifts: Drift[] }> {
  const before = new Map((await pinsOf(tx, place.id)).map((pin) => [pin.tool_name, pin]));
  const present = new Set(tools.map(({ name }) => name));
  const gone = [...before.values()].filter(({ tool_name }) => !present.has(tool_name));
  const renamedFrom = createRenames(
    gone.filter(wasApproved).map((pin) => fromJson<UpstreamTool>(pin.approved_definition ?? pin.definition)),
  );
  const pins = tools.map((tool) => pinOf(tool, before.get(tool.name), { place, behind, renamedFrom }));
  const removed = gone.filter(wasApproved).map((pin): ToolPinRow => ({ ...pin, state: 'removed' }));
  // Nobody ever agreed to these, and an upstream could make up as many names as it likes.
  const forgotten = gone.filter((pin) => !wasApproved(pin)).map(({ tool_name }) => tool_name);
  const changed = [...pins, ...removed].filter((pin) => !isEqual(pin, before.get(pin.tool_name)));
  await writePins(tx, changed);
  await forgetPins(tx, place.id, forgotten);
  return {
    isChanged: changed.length + forgotten.length > 0,
    drifts: changed.flatMap((pin) => driftOf(pin, before)),
  };
}

/** Every pin of a connection. */
export function pinsOf(from: Queryable, connectionId: string): Promise<ToolPinRow[]> {
  return from
    .db<ConnectionTables>()
    .selectFrom('tool_pins')
    .selectAll()
    .where('connection_id', '=', connectionId)
    .orderBy('tool_name')
    .execute();
}

const wasApproved = ({ approved_hash }: ToolPinRow) => approved_hash !== null;

interface Comparison {
  readonly place: PinPlace;
  readonly behind: Behind;
  readonly renamedFrom: (tool: UpstreamTool) => string | null;
}

function pinOf(
  tool: UpstreamTool,
  known: ToolPinRow | undefined,
  { place, behind: { documents = {}, requests = {} }, renamedFrom }: Comparison,
): ToolPinRow {
  const definition = toQueryJson(tool);
  const request = Object.hasOwn(requests, tool.name) ? requests[tool.name] : undefined;
  const definition_hash = definitionHash(tool, documents, request);
  const { approved_by = null, approved_at = null } = known ?? {};
  const approved_hash = approvedHash(tool, known, { documents, definition_hash });
  const row = {
    connection_id: place.id,
    organization_id: place.organizationId,
    tool_name: tool.name,
    definition,
    definition_hash,
    approved_by,
    approved_at,
    approved_hash,
    approved_definition: known?.approved_definition ?? null,
    renamed_from: null,
    reason: null,
  };
  const isHidden = hasHiddenText(tool);
  // What was agreed to may have been seen; what came later beside the hash was not.
  if (approved_hash === definition_hash && (!isHidden || isSame(tool, row.approved_definition)))
    return { ...row, state: 'approved', approved_definition: definition };
  // Nobody can agree to what they could not see.
  if (place.agreedBy !== null && !isHidden)
    return {
      ...row,
      state: 'approved',
      approved_hash: definition_hash,
      approved_definition: definition,
      approved_by: place.agreedBy,
      approved_at: place.now,
    };
  const reason = (usual: HeldReason) => (isHidden ? 'hidden_text' : usual);
  if (approved_hash !== null) return { ...row, state: 'changed', reason: reason('changed') };
  const renamed_from = known?.definition_hash === definition_hash ? known.renamed_from : renamedFrom(tool);
  const isRename = renamed_from !== null;
  return { ...row, state: 'new', renamed_from, reason: reason(isRename ? 'probable_rename' : 'new') };
}

/**
 * The hash that was agreed to, as it is made now: once it did not cover the template, which stood there all the same,
 * nor more of a request than its method and path, which the description says.
 */
function approvedHash(
  tool: UpstreamTool,
  known: ToolPinRow | undefined,
  { documents, definition_hash }: { readonly documents: DocumentHashes; readonly definition_hash: string },
): string | null {
  const { approved_hash = null, approved_definition: text = null } = known ?? {};
  if (approved_hash === null || approved_hash === definition_hash) return approved_hash;
  if (approved_hash === definitionHash(tool, documents)) return definition_hash;
  const template = templateOf(tool);
  if (text === null || template === undefined) return approved_hash;
  const { 'openai/outputTemplate': _template, ..._meta } = tool._meta ?? {};
  const isOfThen = approved_hash === definitionHash({ ...tool, _meta }, documents);
  const isThere = valueDigest(templateOf(fromJson<UpstreamTool>(text))) === valueDigest(template);
  return isOfThen && isThere ? definition_hash : approved_hash;
}

function isSame(tool: UpstreamTool, stored: string | null): boolean {
  return stored !== null && valueDigest(tool) === valueDigest(fromJson<UpstreamTool>(stored));
}

/** What is news about a pin; a definition that was seen before is none. */
function driftOf(pin: ToolPinRow, before: ReadonlyMap<string, ToolPinRow>): Drift[] {
  const { tool_name: tool, definition_hash: hash, state, renamed_from: renamedFrom } = pin;
  if (before.get(tool)?.definition_hash === hash && before.get(tool)?.state === state) return [];
  if (state !== 'changed' && renamedFrom === null) return [];
  const { approved_definition: old, approved_hash = null } = before.get(renamedFrom ?? tool) ?? {};
  const now = { definition: fromJson<UpstreamTool>(pin.definition), hash };
  const fields = old ? pinDiff({ definition: fromJson<UpstreamTool>(old), hash: approved_hash }, now) : [];
  return [{ tool, hash, renamedFrom, fields }];
}

async function writePins(tx: StoreTransaction, pins: readonly ToolPinRow[]): Promise<void> {
  for (let from = 0; from < pins.length; from += BATCH) {
    await tx
      .db<ConnectionTables>()
      .insertInto('tool_pins')
      .values(pins.slice(from, from + BATCH))
      .onConflict((conflict) =>
        conflict.columns(['connection_id', 'tool_name']).doUpdateSet((row) => ({
          definition_hash: row.ref('excluded.definition_hash'),
          definition: row.ref('excluded.definition'),
          state: row.ref('excluded.state'),
          reason: row.ref('excluded.reason'),
          renamed_from: row.ref('excluded.renamed_from'),
          approved_hash: row.ref('excluded.approved_hash'),
          approved_definition: row.ref('excluded.approved_definition'),
          approved_by: row.ref('excluded.approved_by'),
          approved_at: row.ref('excluded.approved_at'),
        })),
      )
      .execute();
  }
}

async function forgetPins(tx: StoreTransaction, connectionId: string, names: readonly string[]) {
  for (let from = 0; from < names.length; from += BATCH) {
    await tx
      .db<ConnectionTables>()
      .deleteFrom('tool_pins')
      .where('connection_id', '=', connectionId)
      .where('tool_name', 'in', names.slice(from, from + BATCH))
      .execute();
  }
}

function isEqual(left: ToolPinRow, right: ToolPinRow | undefined): boolean {
  return (
    right !== undefined &&
    left.state === right.state &&
    left.reason === right.reason &&
    left.renamed_from === right.renamed_from &&
    left.definition === right.definition &&
    left.definition_hash === right.definition_hash &&
    left.approved_hash === right.approved_hash &&
    left.approved_definition === right.approved_definition
  );
}
