/** Media types: which of them are JSON, text, pictures and sounds. */

/** The type without its parameters, in lower case. */
export function plainType(header: string | null): string {
  return (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

export function isJsonType(type: string): boolean {
  const plain = plainType(type);
  return plain === 'application/json' || plain === 'text/json' || plain.endsWith('+json');
}

const TEXTS = new Set([
  'application/xml',
  'application/yaml',
  'application/x-yaml',
  'application/javascript',
  'application/x-ndjson',
  'application/jsonl',
  'application/graphql',
  'application/sql',
  'application/toml',
  'application/x-www-form-urlencoded',
]);

export function isTextType(type: string): boolean {
  const plain = plainType(type);
  return plain.startsWith('text/') || plain.endsWith('+xml') || plain.endsWith('+yaml') || TEXTS.has(plain);
}

/** The charset that a header names, when this program knows it. */
export function decoderFor(header: string | null): TextDecoder {
  const [, charset] = /;\s*charset="?([A-Za-z0-9_-]{1,40})/i.exec(header ?? '') ?? [];
  try {
    return new TextDecoder(charset ?? 'utf-8');
  } catch {
    return new TextDecoder();
  }
}
