/** `parley connect definitions` and `approve`: which tools have changed since somebody agreed to them, and agreeing again. */
import { UsageError } from '../../config.ts';
import { printable } from '../../printable.ts';
import type { Acting, Outcome } from '../actions.ts';
import { requireTool } from '../actions.ts';
import { table } from '../table.ts';
import { shown, toolsText } from './add.ts';
import { definitionsIn, foundConnection } from './found.ts';
import type { Given } from './given.ts';
import { heldIn, heldLine } from './held.ts';

const USAGE = 'Usage: parley connect approve NAME TOOL... | approve NAME --all';

const LONGEST = 160;

/** The tools of a connection, and what is different about those that nobody agreed to yet. */
export async function definitions(acting: Acting, name: string): Promise<Outcome> {
  requireTool(acting, 'COLLECTION_CONNECTIONS_GET');
  const { id, title } = await foundConnection(acting, name);
  const service = await definitionsIn(acting);
  const all = await service.list(acting.caller, id);
  const leftOut = await service.leftOut(acting.caller, id);
  const rows = all.map(({ tool, state, reason, hash }) => [tool, state, reason ?? '', hash.slice(0, 12)]);
  const changes = all.flatMap(({ tool, diff }) =>
    diff.map(({ field, before, after }) => `${tool} ${field}: ${cut(before)} -> ${cut(after)}`),
  );
  const missing = leftOut.map(
    ({ kind, name: what, reason }) => `Left out: ${what ?? `one of ${kind}`}: ${cut(reason)}`,
  );
  const lines = [table(['TOOL', 'STATE', 'WHY', 'HASH'], rows), ...[...changes, ...missing].map(printable)];
  return { json: { id, name: title, definitions: all, leftOut }, text: lines.join('\n') };
}

function cut(text: string | null): string {
  if (text === null) return '(nothing)';
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
}

/** Asks its server again for all that it has; exit code 1 when it did not answer. */
export async function refresh(acting: Acting, name: string): Promise<Outcome> {
  requireTool(acting, 'COLLECTION_CONNECTIONS_UPDATE');
  const { id } = await foundConnection(acting, name);
  await (await definitionsIn(acting)).refresh(acting.caller, id);
  const now = await foundConnection(acting, id);
  const { last_error: fault } = now.catalog;
  const text =
    fault === null
      ? `${printable(now.title)} has ${toolsText(now)}.`
      : `${printable(now.title)} could not be asked: ${printable(fault)}`;
  const held = await heldIn(acting, id);
  return {
    json: { ...shown(now), held },
    text: held.length === 0 ? text : `${text}\n${heldLine(now, held.length)}`,
    isFailure: fault !== null,
  };
}

/** Agrees to definitions as they are now; one that changes meanwhile is refused. */
export async function approve(
  acting: Acting,
  [name, ...tools]: readonly string[],
  given: Given,
): Promise<Outcome> {
  if (name === undefined || given.isOn('all') === tools.length > 0) throw new UsageError(USAGE);
  requireTool(acting, 'COLLECTION_CONNECTIONS_UPDATE');
  const { id, title } = await foundConnection(acting, name);
  const service = await definitionsIn(acting);
  const waiting = (await service.list(acting.caller, id)).filter(
    ({ state }) => state !== 'approved' && state !== 'removed',
  );
  const unknown = tools.find((tool) => !waiting.some((each) => each.tool === tool));
  if (unknown !== undefined) {
    const names = waiting.map(({ tool }) => tool).join(', ') || 'none';
    throw new UsageError(
      `The tool "${printable(unknown)}" does not wait for approval. Those that do: ${printable(names)}.`,
    );
  }
  const wanted = waiting
    .filter(({ tool }) => given.isOn('all') || tools.includes(tool))
    .map(({ tool, hash }) => ({ tool, hash }));
  if (wanted.length > 0) await service.approve(acting.caller, id, wanted);
  const names = wanted.map(({ tool }) => printable(tool)).join(', ');
  const text = names === '' ? 'Nothing waits for approval.' : `Approved for ${printable(title)}: ${names}`;
  return { json: { id, name: title, approved: wanted }, text };
}
