/** The last of what a program wrote for people, without the secrets that it was given. */
import { MOST_STDERR_BYTES } from './times.ts';

// All but line feed and tab: the text may be shown in a terminal.
const CONTROL = /[^\P{Cc}\n\t]/gu;

export class StderrRing {
  readonly #secrets: readonly Buffer[];
  /** So much more is kept that a secret whose beginning was dropped lies in it, and is dropped too. */
  readonly #extraBytes: number;
  #chunks: Buffer[] = [];
  #sizeBytes = 0;
  #wasCut = false;

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets.filter((secret) => secret !== '').map((secret) => Buffer.from(secret));
    this.#extraBytes = Math.max(0, ...this.#secrets.map(({ length }) => length));
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#sizeBytes += chunk.length;
    const most = MOST_STDERR_BYTES + this.#extraBytes;
    // Joined only when twice as much has come together, so that small writes stay cheap.
    if (this.#sizeBytes <= 2 * most) return;
    const kept = Buffer.from(Buffer.concat(this.#chunks).subarray(-most));
    this.#chunks = [kept];
    this.#sizeBytes = kept.length;
    this.#wasCut = true;
  }

  /** At most 64 KiB, in order. */
  text(): string {
    const whole = Buffer.concat(this.#chunks);
    const from = Math.max(this.#wasCut ? this.#extraBytes : 0, whole.length - MOST_STDERR_BYTES);
    // What stands for a secret may be longer than the secret.
    return this.#redacted(whole, from).slice(-MOST_STDERR_BYTES).replaceAll(CONTROL, '\ufffd');
  }

  /** The text from a place on; a secret that begins before it is left out with all that belongs to it. */
  #redacted(whole: Buffer, from: number): string {
    let text = '';
    let at = from;
    for (const [start, end] of this.#placesIn(whole)) {
      if (end <= at) continue;
      // One that begins in another belongs to it, and of one that is cut nothing is shown.
      if (start >= at) text += `${whole.toString('utf8', at, start)}[secret]`;
      at = end;
    }
    return text + whole.toString('utf8', at);
  }

  #placesIn(whole: Buffer): [number, number][] {
    const places = this.#secrets.flatMap((secret) => {
      const found: [number, number][] = [];
      for (let at = whole.indexOf(secret); at !== -1; at = whole.indexOf(secret, at + secret.length))
        found.push([at, at + secret.length]);
      return found;
    });
    return places.toSorted(([a, endOfA], [b, endOfB]) => a - b || endOfB - endOfA);
  }
}
