/** Which names of fields, headers, variables and parameters say that their value is a secret. */

const WORDS =
  /password|passwd|secret|token|apikey|authorization|cookie|privatekey|credential|passphrase|accesskey|sessionid|connectionstring/;
// Too short to be looked for inside other words.
const WHOLE = new Set(['pin', 'cvv']);
// Secrets where something is set up or addressed, and ordinary words in other data.
const OF_SETTINGS = new Set(['key', 'auth', 'sig', 'signature', 'jwt', 'code']);
// Like `max_tokens` and `tokenCount`: as a number it counts what a model reads.
const COUNTED = /token./;
const LONGEST_NAME = 200;

/** True for names like `clientSecret`, `client_secret` or `x-api-key`; a number of tokens is none. */
export function isSecretName(name: string, value?: unknown): boolean {
  const plain = plainName(name);
  if (WHOLE.has(plain)) return true;
  return WORDS.test(plain) && !(typeof value === 'number' && COUNTED.test(plain));
}

/** The same in settings and addresses, where `key` and `code` are secrets as well. */
export function isSecretSetting(name: string, value?: unknown): boolean {
  return OF_SETTINGS.has(plainName(name)) || isSecretName(name, value);
}

function plainName(name: string): string {
  return name
    .slice(0, LONGEST_NAME)
    .toLowerCase()
    .replaceAll(/[_\s-]/g, '');
}
