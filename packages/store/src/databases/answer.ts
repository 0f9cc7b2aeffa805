/** Collects the rows of an answer until it is full. */
import { MAX_ANSWER_BYTES, MAX_ROWS, SqlFault } from './databases.ts';

/** Rows, up to what one answer holds. */
export class Answer {
  readonly rows: Record<string, unknown>[] = [];
  isTruncated = false;
  #bytes = 0;

  /** Takes a row; false when it does not fit, after which no other is taken. */
  take(row: Record<string, unknown>): boolean {
    if (this.isTruncated) return false;
    this.#bytes += Buffer.byteLength(JSON.stringify(row));
    this.isTruncated = this.rows.length >= MAX_ROWS || this.#bytes > MAX_ANSWER_BYTES;
    if (!this.isTruncated) this.rows.push(row);
    return !this.isTruncated;
  }
}

/** Refuses an answer with a column that a row, being an object, would lose in silence. */
export function checkColumns(columns: readonly { readonly name: string }[]): void {
  if (columns.some(({ name }) => name === '__proto__'))
    throw new SqlFault(
      'invalid',
      'sql: a column of the answer is named __proto__. Name it otherwise with AS.',
    );
}

/** An integer of 64 bits: a number where that is exact, else its digits. */
export function integerOf(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** Bytes as JSON can carry them. */
export function bytesOf(value: Uint8Array): { base64: string } {
  return { base64: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') };
}
