/** One live connection of a page: numbers what it sends and remembers what the page knows. */
import type { SessionRow } from '../schema.ts';
import type { PageAnnotation, Presence } from '../shapes.ts';
import type { ServerMessage, ServerPayloads } from './messages.ts';

/** How bytes reach the page. */
export interface Channel {
  send(text: string): void;
  close(code: number, reason: string): void;
}

/** A page that listens. */
export class PageLink {
  readonly session: SessionRow;
  readonly #channel: Channel;
  readonly #now: () => number;
  readonly #known = new Set<string>();
  #seq = 0;
  #isReady = false;
  #hasMissed = false;
  #heardAt: number;
  #presence = '';

  constructor(session: SessionRow, channel: Channel, now: () => number) {
    this.session = session;
    this.#channel = channel;
    this.#now = now;
    this.#heardAt = now();
  }

  send(message: ServerMessage): void {
    this.#channel.send(JSON.stringify(message));
  }

  close(code: number, reason: string): void {
    this.#channel.close(code, reason);
  }

  /** The page said something. */
  heard(): void {
    this.#heardAt = this.#now();
  }

  closeIfSilent(silentMs: number): void {
    if (this.#now() - this.#heardAt > silentMs) this.close(1001, 'The page was silent for too long.');
  }

  /** Opens the connection with everything the page must know; true when something changed while it was read. */
  ready(payload: Omit<ServerPayloads['session:ready'], 'seq'>, id: string | undefined): boolean {
    this.#learn(payload.annotations);
    this.#presence = keyOf(payload.presence);
    this.#isReady = true;
    this.send({
      type: 'session:ready',
      ...(id !== undefined && { id }),
      payload: { ...payload, seq: this.#seq },
    });
    return this.#hasMissed;
  }

  /** Opens a stream of a page that said hello already. */
  begin(annotations: readonly PageAnnotation[], presence: Presence): boolean {
    this.#isReady = true;
    this.sync(annotations);
    this.tellPresence(presence);
    return this.#hasMissed;
  }

  update(annotation: PageAnnotation): void {
    if (!this.#isReady) {
      this.#hasMissed = true;
      return;
    }
    const type = this.#known.has(annotation.id) ? 'annotation:updated' : 'annotation:created';
    this.#known.add(annotation.id);
    this.send({ type, payload: { annotation, seq: this.#next() } });
  }

  sync(annotations: readonly PageAnnotation[]): void {
    if (!this.#isReady) {
      this.#hasMissed = true;
      return;
    }
    this.#learn(annotations);
    this.send({ type: 'annotations:sync', payload: { annotations, seq: this.#next() } });
  }

  /** Tells presence when it is not what the page knows. */
  tellPresence(presence: Presence): void {
    const key = keyOf(presence);
    if (!this.#isReady || key === this.#presence) return;
    this.#presence = key;
    this.send({ type: 'presence', payload: presence });
  }

  #learn(annotations: readonly PageAnnotation[]): void {
    for (const { id } of annotations) this.#known.add(id);
  }

  #next(): number {
    this.#seq += 1;
    return this.#seq;
  }
}

/** Times move all the time; only who is there and what they do is news. */
function keyOf({ state, agents }: Presence): string {
  return JSON.stringify([state, agents.map(({ name, client }) => [name, client])]);
}
