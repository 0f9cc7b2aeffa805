/** Cursors of lists: places that this server gave out itself, each good for one list as one kind of caller sees it. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { ProtocolFault, RPC } from '../call/errors.ts';

/**
 * The list that a cursor goes on with. Callers of one organization with the same power see the same pages, which are
 * written once for all of them, so a cursor is bound to those and not to one key.
 */
export interface CursorList {
  readonly list: string;
  readonly organizationId: string;
  readonly power: string;
  /** What stands in the list: another version of the catalog has another digest if it matters here, in every process. */
  readonly digest: string;
}

const PLACE_BYTES = 4;
const MAC_BYTES = 16;
/** How long every cursor is: base64url writes three bytes as four characters. */
const LENGTH = Math.ceil(((PLACE_BYTES + MAC_BYTES) * 4) / 3);

/** Writes and reads cursors; the first key signs, all of them are known. Replicas share their keys. */
export class Cursors {
  readonly #keys: readonly Buffer[];

  constructor(keys: readonly Buffer[] = [randomBytes(32)]) {
    this.#keys = keys;
  }

  /** The cursor of the item at a place of a list. */
  write(place: number, list: CursorList): string {
    const [newest] = this.#keys;
    if (newest === undefined) throw new Error('Cursors need at least one key.');
    const head = Buffer.alloc(PLACE_BYTES);
    head.writeUInt32BE(place);
    return Buffer.concat([head, macOf(newest, place, list)]).toString('base64url');
  }

  /** The place that a cursor stands for. Forged, foreign and outdated ones are one protocol fault. */
  read(cursor: string, list: CursorList): number {
    // Longer ones are not even decoded.
    const bytes = Buffer.from(cursor.length === LENGTH ? cursor : '', 'base64url');
    // Two spellings of the same bytes must not both be good.
    if (bytes.length === PLACE_BYTES + MAC_BYTES && bytes.toString('base64url') === cursor) {
      const place = bytes.readUInt32BE(0);
      const mac = bytes.subarray(PLACE_BYTES);
      if (this.#keys.some((key) => timingSafeEqual(mac, macOf(key, place, list)))) return place;
    }
    throw new ProtocolFault(
      RPC.invalidParams,
      'Invalid cursor: it is not of this list, or the list has changed. List again without a cursor.',
    );
  }
}

function macOf(key: Buffer, place: number, { list, organizationId, power, digest }: CursorList): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify([list, organizationId, power, digest, place]))
    .digest()
    .subarray(0, MAC_BYTES);
}
