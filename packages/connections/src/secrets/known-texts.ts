/** The texts that are secrets of a connection, to be cut out of what its server says and of what is kept of its calls. */
import { isSecretName, isSecretSetting } from '@parley/kit';
import { fromJson, toJson } from '@parley/store';
import { OAUTH_ENDPOINTS } from '../shapes/connection-data.ts';
import { MASK, parametersOf } from './masking.ts';
import type { ConnectionSecrets, TokenSecrets } from './vault.ts';

type Named = readonly [name: string, value: string | null | undefined];

const SHORTEST = 6;
const SHORTEST_UNNAMED = 16;
const MOST = 200;

/** The secrets of a connection, and of what its server gave for the caller; the longest first. */
export function secretTexts(secrets: ConnectionSecrets, granted?: TokenSecrets): string[] {
  const texts = namedSecrets(secrets, granted).flatMap(([name, value]) =>
    value && isTelling(name, value) ? [value] : [],
  );
  return [...new Set(texts)].toSorted((left, right) => right.length - left.length).slice(0, MOST);
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

/** The value with masks in the place of these texts, wherever they stand in it. */
export function withoutTexts<T>(value: T, texts: readonly string[]): T {
  const json = toJson(value);
  const left = texts.reduce((rest, text) => rest.replaceAll(toJson(text).slice(1, -1), MASK), json);
  return left === json ? value : fromJson<T>(left);
}
