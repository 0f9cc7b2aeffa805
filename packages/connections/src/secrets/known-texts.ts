/** The texts that are secrets of a connection, to be cut out of what its server says and of what is kept of its calls. */
import { isSecretName, isSecretSetting } from '@parley/kit';
import { OAUTH_ENDPOINTS } from '../shapes/connection-data.ts';
import { parametersOf } from './masking.ts';
import type { ConnectionSecrets, TokenSecrets } from './vault.ts';

type Named = readonly [name: string, value: string | null | undefined];

const SHORTEST = 6;
const SHORTEST_UNNAMED = 16;
const MOST = 200;

/** What a caller has besides: what the server gave for them, and the token that they brought along. */
interface OfCaller {
  readonly granted?: TokenSecrets | undefined;
  readonly personal?: string | undefined;
}

/** The secrets of a connection and of its caller; that of the caller first, then the longest. */
export function secretTexts(secrets: ConnectionSecrets, { granted, personal }: OfCaller = {}): string[] {
  const known = tellingTexts(namedSecrets(secrets, granted))
    .toSorted((left, right) => right.length - left.length)
    .slice(0, MOST);
  return [...new Set([...tellingTexts([['token', personal]]), ...known])];
}

function tellingTexts(named: readonly Named[]): string[] {
  return [...new Set(named.flatMap(([name, value]) => (value && isTelling(name, value) ? [value] : [])))];
}

/** True when a secret of the first is one of the second, however short. */
export function shareSecret(one: ConnectionSecrets, other: ConnectionSecrets): boolean {
  const values = new Set(namedSecrets(other).map(([, value]) => value));
  return namedSecrets(one).some(([, value]) => value && values.has(value));
}

function namedSecrets(secrets: ConnectionSecrets, granted?: TokenSecrets): Named[] {
  const { connection_url, connection_headers, oauth_config: oauth, configuration_state } = secrets;
  const { headers = {}, envVars = {} } = connection_headers ?? {};
  const urls = [connection_url, ...OAUTH_ENDPOINTS.map((name) => oauth?.[name])];
  return [
    ['token', secrets.connection_token],
    ['token', granted?.access],
    ['token', granted?.refresh],
    ['secret', granted?.clientSecret],
    ['secret', oauth?.clientSecret],
    ...Object.entries(headers).flatMap(partsOfHeader),
    ...Object.entries(envVars),
    ...urls
      .flatMap((url) => parametersOf(url ?? ''))
      .filter(([name]) => isSecretSetting(name))
      .map(asSecret),
    ...inState(configuration_state, false),
  ];
}

const asSecret = ([, value]: Named): Named => ['secret', value];

/** A short or ordinary word is not cut out of what others say, unless its name says that it is a secret. */
function isTelling(name: string, value: string): boolean {
  if (isSecretName(name)) return value.length >= SHORTEST;
  return value.length >= SHORTEST_UNNAMED && /\d/.test(value) && !/[\s/]/.test(value);
}

/** The whole value, and what stands in it behind a scheme or the name of a cookie. */
function partsOfHeader([name, value]: [string, string]): Named[] {
  const parts = isSecretName(name) ? value.split(/[\s;,=]+/).filter((part) => part.length >= 8) : [];
  return [value, ...parts].map((part) => [name, part]);
}

function inState(value: unknown, isSecret: boolean): Named[] {
  if (typeof value === 'string' || typeof value === 'number') return isSecret ? [['secret', `${value}`]] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    inState(inner, isSecret || isSecretSetting(name, inner)),
  );
}
