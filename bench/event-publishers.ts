/** Owns many publishers at once, over all replicas that live. */
import { setTimeout as pause } from 'node:timers/promises';
import { detach } from '@parley/kit';

const PUBLISHERS = 32;
/** Types are load.0 to load.9 in turn. */
const SHARES = 10;

/** The type of a tenth of all events. */
export const SAMPLED = 'load.0';

/** Publishes so many events through all keys and replicas in turn; one without an answer is published again. */
export function publishAll(publications: number, keys: readonly string[], urls: readonly string[]) {
  const ids = new Set<string>();
  /** Those of the type that few hear of. */
  const sampled = new Set<string>();
  const left = new Set<string>();
  let begun = 0;
  let turns = 0;
  let unanswered = 0;
  let fault: Error | undefined;
  const one = async (type: string): Promise<void> => {
    for (;;) {
      const alive = urls.filter((url) => !left.has(url));
      const turn = turns++;
      const id = await publish(`${alive[turn % alive.length]}/api/events`, keys[turn % keys.length]!, type);
      if (id === 'unanswered') unanswered += 1;
      else if (id !== 'later') {
        ids.add(id);
        if (type === SAMPLED) sampled.add(id);
        return;
      }
    }
  };
  const publisher = async () => {
    while (begun < publications) await one(`load.${begun++ % SHARES}`);
  };
  const done = Promise.all(Array.from({ length: PUBLISHERS }, publisher));
  detach(done, (error) => (fault = error instanceof Error ? error : new Error(String(error))));
  return {
    ids,
    sampled,
    unanswered: () => unanswered,
    leave: (url: string) => left.add(url),
    /** Throws what went wrong so far. */
    check() {
      if (fault !== undefined) throw fault;
    },
    done,
  };
}

async function publish(url: string, key: string, type: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ type, data: { total: 150, items: ['a', 'b'] } });
  let response: Response;
  try {
    response = await fetch(url, { method: 'POST', headers, body });
  } catch {
    await pause(50);
    return 'unanswered';
  }
  // cut off by the kill, as above
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.status === 429) {
    await pause(50);
    return 'later';
  }
  if (answer === undefined) return 'unanswered';
  const { data } = answer as { data?: { id: string } };
  if (data === undefined)
    throw new Error(`Publishing answered ${response.status}: ${JSON.stringify(answer)}`);
  return data.id;
}
