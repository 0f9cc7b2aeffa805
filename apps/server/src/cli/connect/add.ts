/** `parley connect add`: one connection, from what the command line says about it. */
import { resolve } from 'node:path';
import type { Connection, Wanted } from '@parley/connections';
import { connectionStates } from '@parley/connections';
import { ToolError } from '@parley/kit';
import { commandWord, UsageError } from '../../config.ts';
import { printable } from '../../printable.ts';
import type { Acting, Outcome } from '../actions.ts';
import { servedAt } from '../address.ts';
import { connectionsCalled } from './found.ts';
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
import { keepConnection } from './keep.ts';
import { programWords, wroteLines } from './program-words.ts';

const USAGE =
  'Usage: parley connect add NAME URL [--type http|sse|openapi] [--token-stdin] [--header "NAME: VALUE"]... | add NAME [--env NAME=VALUE]... [--cwd FOLDER] -- COMMAND ARGS...';

/** Makes a connection and tells what its server has. */
export async function add(acting: Acting, rest: readonly string[], given: Given): Promise<Outcome> {
  const wanted = await wantedBy(rest, given);
  const [taken] = await connectionsCalled(acting, wanted.title);
  if (taken !== undefined)
    throw new ToolError(
      'conflict',
      `There is a connection "${wanted.title}" already (${taken.id}). Choose another name, or remove it first.`,
    );
  const made = await keepConnection(acting, wanted);
  const words = made.catalog.last_error === null ? [] : programWords(acting, made);
  return {
    json: { ...shown(made), ...(words.length > 0 && { stderr: words }) },
    text: [...addedLines(made, acting), ...(await unaskedLines(made, acting)), ...wroteLines(words)].join(
      '\n',
    ),
  };
}

async function wantedBy([title, url, ...rest]: readonly string[], given: Given): Promise<Wanted> {
  const { program } = given;
  const isProgram = program !== undefined;
  if (title === undefined || rest.length > 0 || isProgram === (url !== undefined))
    throw new UsageError(USAGE);
  const common = { title, id: given.text('id'), pinning: pinningIn(given) };
  if (url === undefined) return { ...common, to: programOf(given) };
  refuseFlags(given, OF_PROGRAM, 'is for a program behind "--", and an address has none');
  const type = typeIn(given) ?? 'HTTP';
  return { ...common, to: { type, url, token: await tokenIn(given), headers: headersIn(given) } };
}

function programOf(given: Given): Wanted['to'] {
  const [command, ...args] = given.program ?? [];
  if (command === undefined) throw new UsageError(USAGE);
  refuseFlags(given, OF_ADDRESS, 'is for an address, and a program has none. Give it --env NAME=VALUE');
  const cwd = given.text('cwd');
  return {
    type: 'STDIO',
    program: { command, args, env: variablesIn(given), ...(cwd !== undefined && { cwd: resolve(cwd) }) },
  };
}

function addedLines(made: Connection, { config }: Pick<Acting, 'config'>): string[] {
  return [
    `The connection ${printable(made.title)} (${made.id}) has ${toolsText(made)}.`,
    `It is at ${servedAt(config)}/mcp/${made.id}, and among all tools at /mcp.`,
  ];
}

/** Where its server could not be asked: why, and what would help. */
export async function unaskedLines(made: Connection, acting: Acting): Promise<string[]> {
  const { id, catalog } = made;
  if (catalog.last_error === null) return [];
  return [
    `Its server could not be asked yet: ${printable(catalog.last_error)}`,
    ...(await adviceOn(made, acting)),
    `A server that runs tries again by itself; "${commandWord()} connect test ${id}" tries now.`,
  ];
}

/** For one that wants to know who asks, and where somebody answers otherwise than expected or at the usual address of SSE. */
async function adviceOn(
  { id, connection_type, connection_url }: Connection,
  { host, caller }: Acting,
): Promise<string[]> {
  const isAddress = connection_type !== 'STDIO' && connection_type !== 'VIRTUAL';
  const states = await connectionStates(host.store, caller.organizationId);
  const failedWith = states.find((state) => state.id === id)?.failedWith;
  if (isAddress && failedWith === 'auth_required')
    return [
      `If it signs people in by OAuth, "${commandWord()} connect authorise ${id}" begins that; "${commandWord()} connect change ${id} --token-stdin" gives it a token.`,
    ];
  const isSse = URL.parse(connection_url ?? '')?.pathname.endsWith('/sse') === true;
  if (connection_type !== 'HTTP' || (failedWith !== 'invalid_protocol' && !isSse)) return [];
  return [
    `If it speaks the older transport HTTP+SSE: "${commandWord()} connect change ${id} --type sse". If it is an OpenAPI document: --type openapi.`,
  ];
}

/** How many tools are known. */
export function toolsText({ tools }: Pick<Connection, 'tools'>): string {
  const count = tools?.length ?? 0;
  if (tools === null) return 'no known tools yet';
  return count === 1 ? '1 tool' : `${count} tools`;
}

/** A connection in brief; nothing of it is a secret. */
export function shown({ id, title, connection_type, status, tools, catalog }: Connection) {
  return {
    id,
    name: title,
    type: connection_type,
    status,
    tools: tools === null ? null : tools.map(({ name }) => name),
    error: catalog.last_error,
  };
}
