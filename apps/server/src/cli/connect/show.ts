/** `parley connect list`, `test`, `tools` and `remove`: what is connected, whether it answers, and what it has. */
import type { Connection } from '@parley/connections';
import { connectionStates } from '@parley/connections';
import { ToolError } from '@parley/kit';
import { UsageError } from '../../config.ts';
import { printable } from '../../printable.ts';
import type { Acting, Action, Outcome } from '../actions.ts';
import { requireTool } from '../actions.ts';
import { table } from '../table.ts';
import { shown } from './add.ts';
import { allConnections, connectionsIn, definitionsIn, foundConnection } from './found.ts';
import type { Given } from './given.ts';
import { USAGE } from './given.ts';
import { heldIn, heldLine } from './held.ts';
import { shownArguments } from './shown-arguments.ts';
import { programWords, wroteLines } from './program-words.ts';

const LONGEST = 100;

/** All connections, one line each. */
export const list: Action = async (acting, rest) => {
  if (rest.length > 0) throw new UsageError(USAGE);
  requireTool(acting, 'COLLECTION_CONNECTIONS_LIST');
  const all = (await allConnections(acting)).toSorted((a, b) => a.title.localeCompare(b.title));
  const states = await connectionStates(acting.host.store, acting.caller.organizationId);
  const statuses = new Map(states.map(({ id, status }) => [id, status]));
  const held = new Map<string, number>();
  for (const { id, tools: known } of all) if (known !== null) held.set(id, (await heldIn(acting, id)).length);
  const statusOf = ({ id, status }: Connection) => statuses.get(id) ?? status;
  const rows = all.map((item) => [
    item.title,
    item.id,
    item.connection_type,
    statusOf(item),
    countOf(item, held.get(item.id) ?? 0),
    placeOf(item),
  ]);
  const waiting = all.filter(({ id }) => (held.get(id) ?? 0) > 0);
  const lines = waiting.map(({ id, title }) => heldLine({ id, title }, held.get(id) ?? 0));
  return {
    json: all.map((item) => ({
      ...shown(item),
      status: statusOf(item),
      held: held.get(item.id) ?? 0,
      at: placeOf(item),
    })),
    text: [table(['NAME', 'ID', 'TYPE', 'STATUS', 'TOOLS', 'WHERE'], rows), ...lines].join('\n'),
  };
};

function countOf({ tools: known }: Connection, held: number): string {
  if (known === null) return '-';
  return held === 0 ? String(known.length) : `${known.length}, ${held} held`;
}

/** Its address with masks, or the program and its arguments without what may be secret. */
function placeOf({ connection_url: url, connection_headers: upstream }: Connection): string {
  const { command, args } = upstream ?? {};
  if (url !== null || typeof command !== 'string') return cut(url ?? '-');
  return cut([command, ...shownArguments(Array.isArray(args) ? args.map(String) : [])].join(' '));
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text;
}

/** Connects as a call would; exit code 1 when no MCP server answered. */
export async function test(acting: Acting, name: string): Promise<Outcome> {
  requireTool(acting, 'CONNECTION_TEST');
  const found = await foundConnection(acting, name);
  const { id, title } = found;
  const outcome = await (await connectionsIn(acting)).test(acting.caller, id);
  const { healthy, latencyMs, status, message = 'it did not answer as MCP' } = outcome;
  const words = healthy ? [] : programWords(acting, found);
  const text = healthy
    ? `${printable(title)} answers (${latencyMs} ms).`
    : `${printable(title)} does not answer (${status}): ${printable(message)}`;
  const json = { id, name: title, ...outcome, ...(words.length > 0 && { stderr: words }) };
  return { json, text: [text, ...wroteLines(words)].join('\n'), isFailure: !healthy };
}

/** The tools of one connection, and which of them wait for approval. */
export async function tools(acting: Acting, name: string): Promise<Outcome> {
  requireTool(acting, 'COLLECTION_CONNECTIONS_GET');
  const { id, title, tools: known, catalog } = await foundConnection(acting, name);
  const states = new Map(
    (await (await definitionsIn(acting)).list(acting.caller, id)).map(({ tool, state }) => [tool, state]),
  );
  const all = (known ?? []).map((tool) => ({
    name: textOf(tool['name']),
    title: textOf(tool['title']),
    description: textOf(tool['description']),
    state: states.get(textOf(tool['name'])) ?? 'approved',
    annotations: tool['annotations'] ?? null,
  }));
  if (known === null) {
    const why = catalog.last_error === null ? '' : `: ${printable(catalog.last_error)}`;
    return {
      json: { id, name: title, tools: null },
      text: `${printable(title)} could not be asked yet${why}`,
    };
  }
  const rows = all.map(({ name: tool, state, title: own, description }) => {
    return [tool, state, cut(own || (description.split('\n', 1)[0] ?? ''))];
  });
  return { json: { id, name: title, tools: all }, text: table(['TOOL', 'STATE', 'WHAT IT DOES'], rows) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Deletes a connection. */
export async function remove(
  acting: Acting,
  [name, ...rest]: readonly string[],
  given: Given,
): Promise<Outcome> {
  if (name === undefined || rest.length > 0) throw new UsageError(USAGE);
  requireTool(acting, 'COLLECTION_CONNECTIONS_DELETE');
  const { id, title } = await foundConnection(acting, name);
  const deleted = await withoutUse(
    (await connectionsIn(acting)).delete(acting.caller, id, given.isOn('force')),
  );
  if (deleted === undefined) throw new ToolError('not_found', 'The connection was deleted meanwhile.');
  return { json: { id, name: title, deleted: true }, text: `The connection ${printable(title)} is deleted.` };
}

/** What is in use says so, and here there is a flag that takes it out everywhere. */
async function withoutUse<T>(deleting: Promise<T>): Promise<T> {
  try {
    return await deleting;
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'connection_in_use') throw error;
    throw new ToolError(error.code, `${error.message} Or give --force, which does that too.`, error.data);
  }
}
