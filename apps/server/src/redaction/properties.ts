/** The labels of a call: a map of short texts from the header, over those in the arguments. They never say who calls. */
import { isSecretName } from '@parley/kit';
import { redactPersonal } from './personal.ts';

const MOST = 20;
const TAGS = 'user_tags';
const LONGEST_KEY = 64;
const LONGEST_VALUE = 256;
/** More than twenty labels of the longest kind take, with every character escaped. */
const LONGEST_HEADER = 16 * 1024;

/** The labels as JSON; null when there are none. What is no short text is left out, and tags of the caller are not for the client to say. */
export function propertiesJson(
  header: string | undefined,
  args: unknown,
  tags: string | undefined,
): string | null {
  const inside = inArguments(args);
  if (header === undefined && inside === undefined && tags === undefined) return null;
  const given = new Map([...entriesOf(inside), ...entriesOf(parsed(header))]);
  given.delete(TAGS);
  const labels = new Map([...(tags === undefined ? [] : [[TAGS, tags] as const]), ...given]);
  if (labels.size === 0) return null;
  return JSON.stringify(Object.fromEntries([...labels].slice(0, MOST)));
}

function entriesOf(value: unknown): [string, string][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, label]): [string, string][] =>
    key.length <= LONGEST_KEY && typeof label === 'string' && label.length <= LONGEST_VALUE
      ? [[redactPersonal(key), isSecretName(key) ? '[REDACTED:secret]' : redactPersonal(label)]]
      : [],
  );
}

function inArguments(args: unknown): unknown {
  if (typeof args !== 'object' || args === null || !('_meta' in args)) return undefined;
  const meta = args._meta;
  return typeof meta === 'object' && meta !== null && 'properties' in meta ? meta.properties : undefined;
}

function parsed(header: string | undefined): unknown {
  if (header === undefined || header.length > LONGEST_HEADER) return undefined;
  try {
    return JSON.parse(header) as unknown;
  } catch {
    return undefined;
  }
}
