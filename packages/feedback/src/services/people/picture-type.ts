/** What kind of picture some bytes are, by how they begin; drawings with code in them are none. */

const STARTS: readonly (readonly [type: string, start: readonly number[]])[] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
  ['image/x-icon', [0x00, 0x00, 0x01, 0x00]],
];
const RIFF = [0x52, 0x49, 0x46, 0x46];
const WEBP = [0x57, 0x45, 0x42, 0x50];
const WEBP_AT = 8;

/** The media type; undefined for anything that is not one of these. */
export function pictureType(bytes: Uint8Array): string | undefined {
  const known = STARTS.find(([, start]) => hasAt(bytes, start, 0));
  if (known !== undefined) return known[0];
  return hasAt(bytes, RIFF, 0) && hasAt(bytes, WEBP, WEBP_AT) ? 'image/webp' : undefined;
}

function hasAt(bytes: Uint8Array, wanted: readonly number[], at: number): boolean {
  return wanted.every((byte, index) => bytes[at + index] === byte);
}
