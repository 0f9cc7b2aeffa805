/** Cuts anything shaped like a credential out of text before it reaches a sink. */
import type { CallRecord } from '@parley/kit';
import { isSecretSetting } from '@parley/kit';

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/parley_[0-9A-Za-z]{12}_[0-9A-Za-z_-]{43}/g, '[REDACTED:key]'],
  [/qb_[0-9a-f]{48}/g, '[REDACTED:key]'],
  [/parley_(?:page|tab|session|invite)_[0-9A-Za-z_-]{43}/g, '[REDACTED:token]'],
  [/parley_(?:call|start)_[0-9A-Za-z_-]{16,}/g, '[REDACTED:token]'],
  [/whsec_[0-9A-Za-z+/=_-]{16,}/g, '[REDACTED:secret]'],
  [/\bBearer\s+[A-Za-z0-9._~+/=-]{8,}/gi, 'Bearer [REDACTED]'],
  [
    /("(?:authorization|cookie|set-cookie|password|passwd|secret|token|apikey|api_key|private_key)"\s*:\s*)"(?:[^"\\]|\\.)*"/gi,
    '$1"[REDACTED]"',
  ],
  // Without the scheme: looking for its beginning would take time by the square of the text.
  [/:\/\/[^\s:/@"]+:[^\s@/"]+@/g, '://[REDACTED]@'],
];

// A name has an end, and neither it nor its value goes on over the next parameter.
const PARAMETER = /([?&])([^\s?&=#"'\\<>]{1,80})=([^\s&#"'\\<>]+)/g;

/** The text without keys, tokens, passwords and secret parameters in URLs, and fields with secret names. */
export function redact(text: string): string {
  const left = PATTERNS.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text);
  if (!left.includes('=')) return left;
  return left.replace(PARAMETER, (whole: string, sign: string, name: string) =>
    isSecretSetting(name) ? `${sign}${name}=[REDACTED]` : whole,
  );
}

/** The record without credentials in what the client chose: its name, the request id, and the name of what is not there. */
export function redactRecord(record: CallRecord): CallRecord {
  const { outcome, name, info } = record;
  // Names that were found come from the catalog; only the others are the client's own words.
  const isForeign = outcome === 'denied' || record.method === 'resources/read';
  const shown = isForeign ? redactWord(name) : name;
  const id = info.id === null ? null : redactWord(info.id);
  const client = info.client === null ? null : redactWord(info.client);
  const clientLabel = info.clientLabel === undefined ? undefined : redactWord(info.clientLabel);
  const isSame = id === info.id && client === info.client && clientLabel === info.clientLabel;
  if (shown === name && isSame) return record;
  return { ...record, name: shown, info: { ...info, id, client, clientLabel } };
}

// Every pattern needs one of these, and numbers, UUIDs and the names of most clients have none.
const SUSPICIOUS = /[_":=\s]/;

function redactWord(text: string): string {
  return SUSPICIOUS.test(text) ? redact(text) : text;
}
