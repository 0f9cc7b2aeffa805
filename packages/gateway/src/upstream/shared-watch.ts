/** One watch of an upstream for all who want to hear of it here: opened with the first, closed with the last. */
import { detach } from '@parley/kit';
import type { Link, LinkNotice, LinkWatch } from './link.ts';

export interface SharedWatchOptions {
  readonly link: Link;
  onLists(): void;
  onResource(uri: string): void;
  /** Nobody is left, and it is closed. */
  onEmpty(): void;
  onFault(error: unknown): void;
  readonly retryMs?: number | undefined;
}

const RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
const MOST_URIS = 10_000;
/** What is heard of documents within this time after one was told of is told together, once each. */
const TOGETHER_MS = 100;

export class SharedWatch {
  readonly #options: SharedWatchOptions;
  readonly #uris = new Map<string, number>();
  #members = 0;
  #watch: LinkWatch | undefined;
  /** What the upstream was told last. */
  #told = '';
  /** One thing after the other: it is opened, told what is wanted, and closed. */
  #work: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #retryMs: number;
  #isOver = false;
  /** Documents that were heard of and not told yet. */
  readonly #heard = new Set<string>();
  /** Undefined: the next one is told at once. */
  #tellTimer: NodeJS.Timeout | undefined;

  constructor(options: SharedWatchOptions) {
    this.#options = options;
    this.#retryMs = options.retryMs ?? RETRY_MS;
  }

  /** Joins it, for a document or for the lists alone; returns what leaves it. */
  join(uri: string | undefined): () => void {
    this.#members += 1;
    if (uri !== undefined && (this.#uris.has(uri) || this.#uris.size < MOST_URIS))
      this.#uris.set(uri, (this.#uris.get(uri) ?? 0) + 1);
    this.#settle();
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#members -= 1;
      const left = (uri === undefined ? 0 : (this.#uris.get(uri) ?? 0)) - 1;
      if (uri !== undefined && left > 0) this.#uris.set(uri, left);
      else if (uri !== undefined) this.#uris.delete(uri);
      if (this.#members > 0) return this.#settle();
      this.#options.onEmpty();
      detach(this.end(), this.#options.onFault);
    };
  }

  /** Closes it, whoever is left. */
  async end(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#tellTimer);
    await this.#work;
    const watch = this.#watch;
    this.#watch = undefined;
    await watch?.close();
  }

  #settle(): void {
    this.#work = this.#work.then(() => this.#apply());
  }

  #wanted(): string {
    return JSON.stringify([...this.#uris.keys()].toSorted());
  }

  /** Never fails: what cannot be opened now is tried again, for as long as somebody wants it. */
  async #apply(): Promise<void> {
    if (this.#isOver) return;
    try {
      if (this.#watch === undefined) {
        // With what is wanted already, so that one stream is opened and not a second in its place.
        this.#told = this.#wanted();
        const uris = new Set(this.#uris.keys());
        this.#watch = await this.#options.link.watch((notice) => this.#hear(notice), uris);
      }
      const text = this.#wanted();
      if (text !== this.#told) {
        await this.#watch.setUris(new Set(this.#uris.keys()));
        this.#told = text;
      }
      this.#retryMs = this.#options.retryMs ?? RETRY_MS;
    } catch (error) {
      this.#options.onFault(error);
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#settle(), this.#retryMs).unref();
      this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
    }
  }

  #hear(notice: LinkNotice): void {
    if (this.#isOver) return;
    // Whoever reads lists again sees to it that much is said at once; a call that comes now has to know of it.
    if (notice.kind !== 'resource') this.#options.onLists();
    // After one was lost anything may have been missed, so everybody looks again, once.
    if (notice.kind === 'reopened') for (const uri of this.#uris.keys()) this.#heard.add(uri);
    else if (notice.kind === 'resource' && this.#uris.has(notice.uri)) this.#heard.add(notice.uri);
    if (this.#tellTimer === undefined) this.#tell();
  }

  /** The first word goes out at once; what a server says ten thousand times is passed on a few times a second. */
  #tell(): void {
    this.#tellTimer = undefined;
    if (this.#heard.size === 0 || this.#isOver) return;
    const heard = [...this.#heard];
    this.#heard.clear();
    this.#tellTimer = setTimeout(() => this.#tell(), TOGETHER_MS).unref();
    for (const uri of heard) if (this.#uris.has(uri)) this.#options.onResource(uri);
  }
}
