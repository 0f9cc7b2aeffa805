/** Which requests of a 2025 session are not answered yet: a call may outlive the connection that brought it. */
import type { Transport } from '@modelcontextprotocol/server';
import { cancelledId, isRequest } from '../messages.ts';

type Id = string | number;

/** The unanswered requests of one session. */
export class SessionCalls {
  readonly #running = new Set<Id>();

  get isNone(): boolean {
    return this.#running.size === 0;
  }

  /** Takes note of what a body asks for; what it returns undoes that, for a body that was refused. */
  begin(body: unknown): () => void {
    const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
    const ids = messages.filter((message) => isRequest(message)).map(({ id }) => id);
    for (const id of ids) this.#running.add(id);
    // Nobody answers a request that was cancelled.
    for (const message of messages) this.end(cancelledId(message));
    return () => {
      for (const id of ids) this.#running.delete(id);
    };
  }

  /** The same transport, whose answers are heard. */
  watch<T extends Pick<Transport, 'send'>>(transport: T): T {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      if (!('method' in message)) this.end(message.id);
      return send(message, options);
    };
    return transport;
  }

  /** The request has its answer, or gets none. */
  end(id: Id | undefined): void {
    if (id !== undefined) this.#running.delete(id);
  }
}
