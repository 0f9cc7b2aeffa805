/** JSON as it may be kept: secrets are cut out first, then it is shortened; it stays JSON whatever is cut. */
import { searchFor } from '@parley/connections';
import { isSecretName } from '@parley/kit';
import { redactPersonal } from './personal.ts';
import { kindOfName } from './secret-names.ts';

/** What else is secret in a value. */
export interface Secrets {
  /** Names of fields that the schema of the tool calls secret. */
  readonly fields: ReadonlySet<string>;
  /** Texts that are secret wherever they stand. */
  readonly texts: readonly string[];
  /** Secrets that nobody has in full, found by their marks. */
  readonly marked?: Marked | undefined;
}

interface Marked {
  without(text: string, mask: string): { readonly text: string };
}

/** A value as it is kept, and how long its JSON was. */
export interface KeptJson {
  readonly text: string;
  /** Null where counting them would take long. */
  readonly bytes: number | null;
}

const MAX_BYTES = 16 * 1024;
/** For what closes the lists and objects that are open where the text is cut. */
const RESERVED_BYTES = 256;
const MOST_SCANNED = 256 * 1024;
const MOST_LOOKED_AT = 500;
const BUDGET_MS = 50;
const DEEPEST = 64;
/** A text that is cut before it is searched may end in half a secret. */
const TORN_END = 64;
const CUT = '"[TRUNCATED]"';
const MASK = '[REDACTED:secret]';
const HIDDEN = JSON.stringify(MASK);

/** The value as JSON that may be kept; throws when that takes too long. */
export function keptJson(value: unknown, secrets: Secrets, budgetMs = BUDGET_MS): KeptJson {
  if (new CleanLook(secrets).isClean(value, 0)) {
    const text = JSON.stringify(value) ?? 'null';
    const bytes = text.length * 3 <= MAX_BYTES ? text.length : Buffer.byteLength(text);
    if (bytes <= MAX_BYTES) return { text, bytes: Buffer.byteLength(text) };
  }
  const writer = new KeptWriter(secrets, performance.now() + budgetMs);
  writer.value(value, 0);
  return { text: writer.text(), bytes: bytesOf(value) };
}

/** The text without secrets. */
export function keptText(text: string, { texts, marked }: Pick<Secrets, 'texts' | 'marked'>): string {
  const left = searchFor(texts).without(text, MASK).text;
  return redactPersonal(marked?.without(left, MASK).text ?? left);
}

/** Looks whether nothing has to be cut out of a value, as is usual: its JSON is kept as it is then. */
class CleanLook {
  readonly #secrets: Secrets;
  #leftParts = MOST_LOOKED_AT;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** Also false for what is too large to be looked through. */
  isClean(value: unknown, depth: number): boolean {
    this.#leftParts -= 1;
    if (this.#leftParts < 0) return false;
    if (typeof value === 'string')
      return value.length < MAX_BYTES && keptText(value, this.#secrets) === value;
    if (typeof value !== 'object' || value === null) return true;
    if (depth > DEEPEST || 'toJSON' in value) return false;
    if (Array.isArray(value)) {
      for (const item of value) if (!this.isClean(item, depth + 1)) return false;
      return true;
    }
    for (const name in value) {
      // Anything may stand under the name of a field.
      const field = (value as Record<string, unknown>)[name];
      if (kindOfName(name) === 'personal' || isBinary(name, value)) return false;
      if (isSecretField(name, field, value, this.#secrets)) return false;
      if (!this.isClean(field, depth + 1)) return false;
    }
    return true;
  }
}

function isSecretField(name: string, value: unknown, owner: object, { fields }: Secrets): boolean {
  const kind = kindOfName(name);
  if (kind === 'secret' || (kind === 'counting' && typeof value !== 'number') || fields.has(name))
    return true;
  return name === 'value' && 'field' in owner && isSecretPath(owner.field);
}

/** True for what a comparison of a filter asks about: the value beside it is a guess at a secret. */
function isSecretPath(field: unknown): boolean {
  return Array.isArray(field) && field.some((step) => typeof step === 'string' && isSecretName(step));
}

/** The `data` of a block of content, or the `blob` of a resource. */
function isBinary(name: string, owner: object): boolean {
  return name === 'blob' || (name === 'data' && 'mimeType' in owner);
}

class KeptWriter {
  readonly #secrets: Secrets;
  readonly #parts: string[] = [];
  readonly #endMs: number;
  #leftBytes = MAX_BYTES - RESERVED_BYTES;
  #leftScanned = MOST_SCANNED;
  #isFull = false;

  constructor(secrets: Secrets, endMs: number) {
    this.#secrets = secrets;
    this.#endMs = endMs;
  }

  text(): string {
    return this.#parts.join('');
  }

  value(given: unknown, depth: number): void {
    const value = plain(given);
    if (typeof value === 'string') this.#string(value);
    else if (typeof value !== 'object' || value === null) this.#put(JSON.stringify(value) ?? 'null');
    else if (depth > DEEPEST) this.#put(CUT);
    else if (Array.isArray(value)) this.#list(value, depth);
    else this.#fields(value, depth);
  }

  #list(items: readonly unknown[], depth: number): void {
    this.#put('[');
    for (const [index, item] of items.entries()) {
      if (this.#isCutHere(index > 0, CUT)) break;
      if (index > 0) this.#put(',');
      this.value(item, depth + 1);
    }
    this.#put(']');
  }

  #fields(value: object, depth: number): void {
    this.#put('{');
    let isLater = false;
    for (const [name, field] of Object.entries(value)) {
      if (field === undefined) continue;
      if (this.#isCutHere(isLater, `"…":${CUT}`)) break;
      if (isLater) this.#put(',');
      isLater = true;
      this.#string(name);
      this.#put(':');
      if (isSecretField(name, field, value, this.#secrets)) this.#put(HIDDEN);
      else if (isBinary(name, value) && typeof field === 'string') this.#put(sizeOf(field, value));
      else this.value(field, depth + 1);
    }
    this.#put('}');
  }

  /** Says once that something is left out, where that begins. */
  #isCutHere(isLater: boolean, mark: string): boolean {
    if (this.#isFull) return true;
    if (this.#leftBytes > 0) return false;
    this.#isFull = true;
    this.#parts.push(isLater ? `,${mark}` : mark);
    return true;
  }

  #string(text: string): void {
    if (performance.now() > this.#endMs) throw new Error('The redaction of a body took too long.');
    const kept = this.#searched(text);
    const json = JSON.stringify(kept);
    if (Buffer.byteLength(json) <= Math.max(this.#leftBytes, CUT.length)) return this.#put(json);
    // Six bytes are the most that a character takes in JSON, and one the least.
    let length = Math.max(0, this.#leftBytes - CUT.length);
    // There may be no room even for nothing, since a name is written before what it names.
    while (length > 0 && Buffer.byteLength(JSON.stringify(kept.slice(0, length))) > this.#leftBytes)
      length = Math.floor(length / 2);
    this.#leftBytes = 0;
    this.#parts.push(JSON.stringify(`${kept.slice(0, length)}[TRUNCATED]`));
  }

  #searched(text: string): string {
    const searched = text.length > this.#leftScanned ? untorn(text.slice(0, this.#leftScanned)) : text;
    this.#leftScanned -= searched.length;
    if (searched.length < text.length) this.#leftScanned = 0;
    const kept = keptText(searched, this.#secrets);
    return searched.length < text.length ? `${kept}[TRUNCATED]` : kept;
  }

  #put(json: string): void {
    this.#parts.push(json);
    this.#leftBytes -= json.length;
  }
}

function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('toJSON' in value)) return value;
  return typeof value.toJSON === 'function' ? (value.toJSON() as unknown) : value;
}

/** The beginning of a text that was cut, without what may be the first half of a secret. */
function untorn(text: string): string {
  const shorter = text.slice(0, -TORN_END);
  let end = shorter.length;
  while (end > 0 && !/\s/.test(shorter[end - 1] ?? '')) end -= 1;
  return shorter.slice(0, end);
}

function sizeOf(base64: string, { mimeType }: { mimeType?: unknown }): string {
  const kind = typeof mimeType === 'string' ? redactPersonal(mimeType.slice(0, 100)) : 'binary';
  return JSON.stringify(`[${kind}, ${Math.floor((base64.length * 3) / 4)} bytes]`);
}

const MOST_COUNTED = 4_000;

/** About how many bytes the JSON of a value has: exact for plain texts, and null for too many parts. */
export function bytesOf(value: unknown): number | null {
  let left = MOST_COUNTED;
  const count = (part: unknown, depth: number): number => {
    left -= 1;
    if (left < 0 || depth > DEEPEST) return 0;
    if (typeof part === 'string') return part.length + 2;
    if (typeof part !== 'object' || part === null) return 4;
    let bytes = 2;
    if (Array.isArray(part)) {
      for (const item of part) {
        if (left < 0) break;
        bytes += count(item, depth + 1) + 1;
      }
      return bytes;
    }
    // Anything may stand under the name of a field.
    const fields = part as Record<string, unknown>;
    for (const name in fields) {
      if (left < 0) break;
      bytes += name.length + 4 + count(fields[name], depth + 1);
    }
    return bytes;
  };
  const bytes = count(value, 0);
  return left < 0 ? null : bytes;
}
