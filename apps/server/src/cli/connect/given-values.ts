/** What flags say about a connection that is made or changed; what is wrong with one is said without its value. */
import { UsageError } from '../../config.ts';
import type { Flag, Given } from './given.ts';
import { secretFromStdin } from './stdin.ts';

const TYPES: Readonly<Record<string, string>> = { http: 'HTTP', sse: 'SSE', openapi: 'OPENAPI' };
const PINNINGS = ['off', 'flag', 'strict'];

/** Flags that only an address has, and those that only a program has. */
export const OF_ADDRESS = ['url', 'type', 'token', 'token-stdin', 'header'] as const satisfies Flag[];
export const OF_PROGRAM = ['env', 'cwd'] as const satisfies Flag[];

/** How a server at an address is spoken to. */
export function typeIn(given: Given): string | undefined {
  const named = given.text('type');
  if (named === undefined) return undefined;
  const type = Object.hasOwn(TYPES, named) ? TYPES[named] : undefined;
  if (type === undefined) throw new UsageError('--type: must be http, sse or openapi');
  return type;
}

/** What becomes of tools that change. */
export function pinningIn(given: Given): string | undefined {
  const pinning = given.text('pinning');
  if (pinning === undefined || PINNINGS.includes(pinning)) return pinning;
  throw new UsageError(`--pinning: must be one of ${PINNINGS.join(', ')}`);
}

export const headersIn = (given: Given) => pairsOf(given.list('header'), 'header', ':');
export const variablesIn = (given: Given) => pairsOf(given.list('env'), 'env', '=');

export async function tokenIn(given: Given): Promise<string | undefined> {
  const typed = given.text('token');
  if (!given.isOn('token-stdin')) return typed;
  if (typed !== undefined) throw new UsageError('Give --token or --token-stdin, not both.');
  return secretFromStdin('the token');
}

/** Throws where one of these flags was given. */
export function refuseFlags(given: Given, flags: readonly Flag[], why: string): void {
  const stray = flags.find((flag) => given.has(flag));
  if (stray !== undefined) throw new UsageError(`--${stray} ${why}.`);
}

/** `NAME: VALUE` or `NAME=VALUE`. */
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
