/** `parley connect change`, `enable` and `disable`: what a connection has is changed in its place, so that its id and the grants on it stay. */
import type { Connection } from '@parley/connections';
import { ConnectionUpdate } from '@parley/connections';
import { describeIssues, ToolError } from '@parley/kit';
import { commandWord, UsageError } from '../../config.ts';
import { printable } from '../../printable.ts';
import type { Acting, Outcome } from '../actions.ts';
import { requireTool } from '../actions.ts';
import { shown, toolsText, unaskedLines } from './add.ts';
import { connectionsCalled, connectionsIn, foundConnection } from './found.ts';
import type { Given } from './given.ts';
import {
  headersIn,
  OF_ADDRESS,
  OF_PROGRAM,
  pinningIn,
  refuseFlags,
  tokenIn,
  typeIn,
  variablesIn,
} from './given-values.ts';
import { heldIn, heldLine } from './held.ts';
import { isParleyItself } from './own-address.ts';
import { privateAddress } from './private-address.ts';
import { programWords, wroteLines } from './program-words.ts';

const USAGE =
  'Usage: parley connect change NAME [--title T] [--url URL] [--type http|sse|openapi] [--header "NAME: VALUE"]... [--token-stdin] [--env NAME=VALUE]... [--pinning off|flag|strict]';

/** Changes what is given and nothing else, and tells what its server has then. */
export async function change(
  acting: Acting,
  [name, ...rest]: readonly string[],
  given: Given,
): Promise<Outcome> {
  if (name === undefined || rest.length > 0) throw new UsageError(USAGE);
  requireTool(acting, 'COLLECTION_CONNECTIONS_UPDATE');
  const before = await foundConnection(acting, name);
  const data = await dataOf(before, given);
  if (Object.keys(data).length === 0) throw new UsageError(USAGE);
  await refuseTakenTitle(acting, before, data.title);
  const url = data.connection_url ?? undefined;
  if (
    url !== undefined &&
    isParleyItself({ to: { type: before.connection_type, url, headers: {} } }, acting.config)
  )
    throw new UsageError('That is Parley itself. Give another server.');
  // Being on the machine is the permission only for what is said here: an address, or a program with its variables.
  const isSaidHere = url !== undefined || given.has('env');
  const machine = isSaidHere ? { allow: url === undefined ? null : await privateAddress(url) } : undefined;
  const after = await updated(acting, before.id, data, machine);
  const held = await heldIn(acting, after.id);
  const words = after.catalog.last_error === null ? [] : programWords(acting, after);
  const lines = [
    `The connection ${printable(after.title)} (${after.id}) is changed. It has ${toolsText(after)}.`,
    ...(after.connection_url !== before.connection_url && hasSecrets(after)
      ? ['Its stored token and headers go to the new address.']
      : []),
    ...(after.status === 'inactive'
      ? [`It is switched off: "${commandWord()} connect enable ${after.id}".`]
      : []),
    ...(await unaskedLines(after, acting)),
    ...wroteLines(words),
    ...(held.length === 0 ? [] : [heldLine(after, held.length)]),
  ];
  return { json: { ...shown(after), held }, text: lines.join('\n') };
}

async function dataOf(before: Connection, given: Given): Promise<ConnectionUpdate> {
  const upstream = before.connection_headers ?? {};
  if (before.connection_type === 'STDIO')
    refuseFlags(given, OF_ADDRESS, 'is for an address, and this is a program. Give it --env NAME=VALUE');
  else refuseFlags(given, OF_PROGRAM, 'is for a program, and this is an address');
  const { text } = given;
  const [title, url, type, pinning] = [text('title'), text('url'), typeIn(given), pinningIn(given)];
  const token = await tokenIn(given);
  const headers = given.has('header') && { headers: withHeaders(upstream['headers'], headersIn(given)) };
  const envVars = given.has('env') && { envVars: { ...textsOf(upstream['envVars']), ...variablesIn(given) } };
  const parsed = ConnectionUpdate.safeParse({
    ...(title !== undefined && { title }),
    ...(url !== undefined && { connection_url: url }),
    ...(type !== undefined && { connection_type: type }),
    ...(token !== undefined && { connection_token: token }),
    ...((headers || envVars) && { connection_headers: { ...upstream, ...headers, ...envVars } }),
    ...(pinning !== undefined && { metadata: withPinning(before.metadata, pinning) }),
  });
  if (parsed.success) return parsed.data;
  throw new UsageError(describeIssues(parsed.error.issues));
}

/** What is stored stays as its mask says; a name is the same in any letters, and one without a value goes. */
function withHeaders(stored: unknown, given: Readonly<Record<string, string>>): Record<string, string> {
  const named = new Set(Object.keys(given).map((name) => name.toLowerCase()));
  const kept = Object.entries(textsOf(stored)).filter(([name]) => !named.has(name.toLowerCase()));
  const wanted = Object.entries(given).filter(([, value]) => value !== '');
  return Object.fromEntries([...kept, ...wanted]);
}

function textsOf(value: unknown): Record<string, string> {
  // What a connection shows of itself are texts by name.
  return typeof value === 'object' && value !== null ? (value as Record<string, string>) : {};
}

function withPinning(metadata: Connection['metadata'], pinning: string) {
  const gateway = metadata?.['gateway'];
  return { ...metadata, gateway: { ...(typeof gateway === 'object' && gateway), pinning } };
}

async function refuseTakenTitle(acting: Acting, { id }: Connection, title: string | undefined) {
  const [taken] = title === undefined ? [] : await connectionsCalled(acting, title);
  if (title === undefined || taken === undefined || taken.id === id) return;
  throw new ToolError(
    'conflict',
    `There is a connection "${printable(title)}" already (${taken.id}). Choose another name.`,
  );
}

function hasSecrets({ has_connection_token, connection_headers }: Connection): boolean {
  return has_connection_token || Object.keys(textsOf(connection_headers?.['headers'])).length > 0;
}

async function updated(
  acting: Acting,
  id: string,
  data: ConnectionUpdate,
  machine?: { readonly allow: string | null },
): Promise<Connection> {
  const changed = await (await connectionsIn(acting)).update(acting.caller, id, data, machine);
  if (changed === undefined) throw new ToolError('not_found', 'The connection was deleted meanwhile.');
  return changed.item;
}

/** Switches a connection on, whose server is asked again where it could not be, or off: it takes no call then. */
export function switching(status: 'active' | 'inactive') {
  return async (acting: Acting, name: string): Promise<Outcome> => {
    requireTool(acting, 'COLLECTION_CONNECTIONS_UPDATE');
    const { id } = await foundConnection(acting, name);
    const after = await updated(acting, id, { status });
    const title = printable(after.title);
    const text =
      status === 'active'
        ? [`${title} is switched on. It has ${toolsText(after)}.`, ...(await unaskedLines(after, acting))]
        : [
            `${title} is switched off: its tools are in no list. "${commandWord()} connect enable ${id}" undoes it.`,
          ];
    return { json: shown(after), text: text.join('\n') };
  };
}
