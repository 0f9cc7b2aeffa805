/** Cards of remote agents that were read lately. */
import type { AgentCard } from '../../adapters/remote-agents/card.ts';

const KEEP_MS = 300_000;
const MOST = 200;

export interface Cards {
  /** The card of an address, read when none is kept; what is not there is not kept. */
  get(base: string, read: () => Promise<AgentCard | undefined>): Promise<AgentCard | undefined>;
}

export function createCards(now: () => number): Cards {
  const kept = new Map<string, { card: AgentCard; until: number }>();
  return {
    async get(base, read) {
      const known = kept.get(base);
      if (known !== undefined && known.until > now()) return known.card;
      kept.delete(base);
      const card = await read();
      if (card === undefined) return undefined;
      const [oldest] = kept.keys();
      if (kept.size >= MOST && oldest !== undefined) kept.delete(oldest);
      kept.set(base, { card, until: now() + KEEP_MS });
      return card;
    },
  };
}
