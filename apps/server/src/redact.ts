/** Cuts anything shaped like a credential out of text before it reaches a sink. */

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/parley_[0-9A-Za-z]{12}_[0-9A-Za-z_-]{43}/g, '[REDACTED:key]'],
  [/\bBearer\s+[A-Za-z0-9._~+/=-]{8,}/gi, 'Bearer [REDACTED]'],
  [
    /("(?:authorization|cookie|set-cookie|password|passwd|secret|token|apikey|api_key|private_key)"\s*:\s*)"(?:[^"\\]|\\.)*"/gi,
    '$1"[REDACTED]"',
  ],
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s:/@"]+:[^\s@/"]+@/gi, '$1[REDACTED]@'],
];

/** The text without keys, tokens, passwords in URLs and fields with secret names. */
export function redact(text: string): string {
  return PATTERNS.reduce((left, [pattern, replacement]) => left.replace(pattern, replacement), text);
}
