/** Ids that sort by time and say what they name: `key_01h455vb4pex5vsknk084sn02q`. */
import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_LENGTH = 26;

// Ids of one millisecond count up from a random number, so that they too sort in the order in which they were made.
let last = { atMs: -1, value: 0n };

/** A new id: the prefix, then a version 7 UUID in base 32. */
export function typeId(prefix: string, now: number = Date.now()): string {
  last = { atMs: now, value: now === last.atMs ? last.value + 1n : newValue(now) };
  let { value } = last;
  let text = '';
  for (let index = 0; index < ID_LENGTH; index += 1) {
    text = ALPHABET[Number(value & 31n)] + text;
    value >>= 5n;
  }
  return `${prefix}_${text}`;
}

/** The UUID as a number; its highest random bit is 0, which leaves room for counting. */
function newValue(now: number): bigint {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x1f) | 0x80;
  return BigInt(`0x${bytes.toString('hex')}`);
}
