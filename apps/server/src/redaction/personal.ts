/** Cuts credentials of every kind and data about people out of a text that is kept. */
import { redact } from './credentials.ts';

const IN_PLACE_OF_KEY = '[REDACTED:api_key]';

/** A pattern, what takes its place, and a cheap look for what every match of it has. */
const PATTERNS: readonly (readonly [RegExp, string, (text: string) => boolean])[] = [
  [
    /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+/gu,
    '[REDACTED:email]',
    (text) => text.includes('@'),
  ],
  // Only where a token begins: looking on at every dash would take time by the square of the text.
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, '[REDACTED:jwt]', (text) => text.includes('eyJ')],
  [
    /(?<![A-Za-z0-9])(?:sk-|[sr]k_live_|sk_test_|gh[opsu]_|github_pat_|glpat-|xox[abeprs]-|AKIA|ASIA|AIza|npm_|hf_|parley_)[A-Za-z0-9_+/=-]{16,}/g,
    IN_PLACE_OF_KEY,
    (text) => text.length >= 19,
  ],
  [
    /\b(?:api|access|private|secret|auth)[_-]?keys?["']?\s{0,3}[:=]\s{0,3}["']?[^\s"'&,;]{16,}/gi,
    IN_PLACE_OF_KEY,
    hasAssignment,
  ],
  [
    /\b(?:[a-z]{1,20}[_-])?(?:token|secret|passw(?:or)?d|passphrase|authorization|credentials?|pwd)["']?\s{0,3}[:=]\s{0,3}["']?[^\s"'&,;]{16,}/gi,
    IN_PLACE_OF_KEY,
    hasAssignment,
  ],
  [/(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])/g, '[REDACTED:ssn]', (text) => text.includes('-')],
];
const CARD = /(?<!\d)\d(?:[ -]?\d){12,30}(?!\d)/g;

// Every pattern needs one of these; a short text has room for few of them.
const SUSPICIOUS = /[@:=]|\d{3}|eyJ|[eE][aA][rR][eE][rR]|_[\w-]{16}|sk-|glpat-|xox|AKIA|ASIA|AIza/;
const SUSPICIOUS_WHEN_SHORT = /[@:=]|\d{3}/;
/** Every pattern for credentials needs one of these. */
const CREDENTIAL_SIGN = /[_:"?&]|[bB][eE][aA][rR]/;
const SHORTEST = 5;
const SHORTEST_NUMBER = 11;
const SHORT = 15;
const ONLY_WORD = /^\w*$/;

/** The text without credentials, addresses and numbers of people. */
export function redactPersonal(text: string): string {
  const { length } = text;
  if (length < SHORTEST || !(length < SHORT ? SUSPICIOUS_WHEN_SHORT : SUSPICIOUS).test(text)) return text;
  if (length < SHORTEST_NUMBER && ONLY_WORD.test(text)) return text;
  let left = CREDENTIAL_SIGN.test(text) ? redact(text) : text;
  for (const [pattern, replacement, isNear] of PATTERNS)
    if (isNear(left)) left = left.replace(pattern, replacement);
  return left.replace(CARD, withoutCard);
}

function hasAssignment(text: string): boolean {
  return text.includes('=') || text.includes(':');
}

const SHORTEST_CARD = 13;
const LONGEST_CARD = 19;

/** Digits in a row may have a card number anywhere among them. */
function withoutCard(digits: string): string {
  const places: number[] = [];
  for (let at = 0; at < digits.length; at += 1) if (isDigit(digits[at])) places.push(at);
  for (let first = 0; first + SHORTEST_CARD <= places.length; first += 1) {
    for (let count = LONGEST_CARD; count >= SHORTEST_CARD; count -= 1) {
      const [start, end] = [places[first], places[first + count - 1]];
      if (start === undefined || end === undefined || !isCard(digits.slice(start, end + 1))) continue;
      return `${digits.slice(0, start)}[REDACTED:credit_card]${digits.slice(end + 1)}`;
    }
  }
  return digits;
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}

/** The check of Luhn, for numbers that begin as cards do. */
function isCard(text: string): boolean {
  if (!/^[2-6]/.test(text)) return false;
  let sum = 0;
  let isDoubled = false;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    if (!isDigit(text[at])) continue;
    const digit = Number(text[at]) * (isDoubled ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
    isDoubled = !isDoubled;
  }
  return sum % 10 === 0;
}
