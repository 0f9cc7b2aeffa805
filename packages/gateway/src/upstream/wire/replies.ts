/** Replies to what a 2025 server asks: few on their way at once, the others in turn, and an end to how many wait. */
import { detach } from '@parley/kit';
import { dropped } from './faults.ts';
import { MAX_REPLIES, MAX_WAITING_REPLIES } from './limits.ts';
import type { Message } from './messages.ts';
import type { InFlight, SendAside } from './talk.ts';

interface Waiting {
  readonly message: Message;
  readonly owner: InFlight | undefined;
}

export class Replies {
  readonly #send: SendAside;
  readonly #waiting: Waiting[] = [];
  #underWay = 0;

  constructor(send: SendAside) {
    this.#send = send;
  }

  /** Sends a reply in its turn; false when too many wait already. */
  take(message: Message, owner: InFlight | undefined): boolean {
    if (this.#underWay < MAX_REPLIES) this.#start({ message, owner });
    else if (this.#waiting.length < MAX_WAITING_REPLIES) this.#waiting.push({ message, owner });
    else return false;
    return true;
  }

  #start({ message, owner }: Waiting): void {
    this.#underWay += 1;
    const sent = this.#send(message).finally(() => {
      this.#underWay -= 1;
      this.#next();
    });
    // Without its answer a server waits for ever, so a call whose answer cannot be brought is lost. Whatever the
    // server said to the reply, it had begun the call, which must not look like one that may be sent again.
    detach(sent, () => owner?.fail(dropped()));
  }

  #next(): void {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      // Nobody waits for the reply to a call that is over.
      if (next.owner?.isSettled !== true) return this.#start(next);
    }
  }
}
