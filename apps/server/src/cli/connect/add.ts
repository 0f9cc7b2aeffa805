/** `parley connect add`: one connection, from what the command line says about it. */
import { resolve } from 'node:path';
import type { Connection } from '@parley/connections';
import { connectionStates } from '@parley/connections';
import { ToolError } from '@parley/kit';
import { UsageError } from '../../config.ts';
import { printable } from '../../printable.ts';
import type { Acting, Outcome } from '../actions.ts';
import { servedAt } from '../address.ts';
import { connectionsCalled } from './found.ts';
import type { Given } from './given.ts';
import { keepConnection } from './keep.ts';
import { secretFromStdin } from './stdin.ts';
import { programWords, wroteLines } from './program-words.ts';
import type { Wanted } from './wanted.ts';

const USAGE =
  'Usage: parley connect add NAME URL [--type http|sse|openapi] [--token-stdin] [--header "NAME: VALUE"]... | add NAME [--env NAME=VALUE]... [--cwd FOLDER] -- COMMAND ARGS...';

const TYPES: Readonly<Record<string, string>> = { http: 'HTTP', sse: 'SSE', openapi: 'OPENAPI' };
const PINNINGS = ['off', 'flag', 'strict'];

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
    text: [...addedLines(made, acting), ...(await sseLines(made, acting)), ...wroteLines(words)].join('\n'),
  };
}

async function wantedBy([title, url, ...rest]: readonly string[], given: Given): Promise<Wanted> {
  const { program } = given;
  const isProgram = program !== undefined;
  if (title === undefined || rest.length > 0 || isProgram === (url !== undefined))
    throw new UsageError(USAGE);
  const pinning = given.text('pinning');
  if (pinning !== undefined && !PINNINGS.includes(pinning))
    throw new UsageError(`--pinning: must be one of ${PINNINGS.join(', ')}`);
  const common = { title, id: given.text('id'), pinning };
  if (url === undefined) return { ...common, to: programOf(given) };
  const stray = [given.list('env').length > 0 && 'env', given.text('cwd') !== undefined && 'cwd'];
  refuse(stray, 'is for a program behind "--", and an address has none');
  const type = TYPES[given.text('type') ?? 'http'];
  if (type === undefined) throw new UsageError('--type: must be http, sse or openapi');
  const headers = pairsOf(given.list('header'), 'header', ':');
  return { ...common, to: { type, url, token: await tokenOf(given), headers } };
}

function programOf(given: Given): Wanted['to'] {
  const [command, ...args] = given.program ?? [];
  if (command === undefined) throw new UsageError(USAGE);
  const stray = [
    given.text('type') !== undefined && 'type',
    given.text('token') !== undefined && 'token',
    given.isOn('token-stdin') && 'token-stdin',
    given.list('header').length > 0 && 'header',
  ];
  refuse(stray, 'is for an address, and a program has none. Give it --env NAME=VALUE');
  const cwd = given.text('cwd');
  const env = pairsOf(given.list('env'), 'env', '=');
  return {
    type: 'STDIO',
    program: { command, args, env, ...(cwd !== undefined && { cwd: resolve(cwd) }) },
  };
}

function refuse(stray: readonly (string | false)[], why: string): void {
  const flag = stray.find((each) => each !== false);
  if (flag !== undefined) throw new UsageError(`--${flag} ${why}.`);
}

async function tokenOf(given: Given): Promise<string | undefined> {
  const typed = given.text('token');
  if (!given.isOn('token-stdin')) return typed;
  if (typed !== undefined) throw new UsageError('Give --token or --token-stdin, not both.');
  return secretFromStdin('the token');
}

/** `NAME: VALUE` or `NAME=VALUE`; what is wrong with one is said without its value. */
function pairsOf(given: readonly string[], flag: string, mark: string): Record<string, string> {
  const pairs = given.map((text): [string, string] => {
    const at = text.indexOf(mark);
    const name = text.slice(0, Math.max(at, 0)).trim();
    if (name === '') throw new UsageError(`--${flag}: must look like NAME${mark}VALUE`);
    const value = text.slice(at + 1);
    return [name, mark === ':' ? value.trim() : value];
  });
  return Object.fromEntries(pairs);
}

function addedLines(made: Connection, { config }: Pick<Acting, 'config'>): string[] {
  const name = printable(made.title);
  const place = `It is at ${servedAt(config)}/mcp/${made.id}, and among all tools at /mcp.`;
  const lines = [`The connection ${name} (${made.id}) has ${toolsText(made)}.`, place];
  const { last_error: fault } = made.catalog;
  if (fault !== null)
    lines.push(
      `Its server could not be asked yet: ${printable(fault)}`,
      `A server that runs tries again by itself; "parley connect test ${made.id}" tries now.`,
    );
  return lines;
}

/** A hint where somebody answers otherwise than expected, or at an address that servers of the older transport have. */
async function sseLines(made: Connection, { host, caller }: Acting): Promise<string[]> {
  const { id, connection_type, connection_url, catalog } = made;
  if (catalog.last_error === null || connection_type !== 'HTTP') return [];
  const states = await connectionStates(host.store, caller.organizationId);
  const isOtherwise = states.find((state) => state.id === id)?.failedWith === 'invalid_protocol';
  const isUsual = URL.parse(connection_url ?? '')?.pathname.endsWith('/sse') === true;
  if (!isOtherwise && !isUsual) return [];
  return ['If it speaks the older transport HTTP+SSE, remove it and add it with --type sse.'];
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
