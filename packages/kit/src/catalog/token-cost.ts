/** What a tool costs a model before it is called: about as many tokens as its definition has of four bytes. */

const BYTES_PER_TOKEN = 4;

/** An estimate that is the same everywhere it is shown; models count differently, and none of them publicly. */
export function tokenCost(definition: unknown): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify(definition) ?? '') / BYTES_PER_TOKEN);
}
