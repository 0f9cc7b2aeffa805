/** What the routes of the console's API share: made with the first request, ended with the server. */
import { createClientAddress, Places, UnreadBytes } from '@parley/http';
import type { CallFeed, ConsoleParts } from './index.ts';
import type { LiveStreams } from './live/streams.ts';
import { createLiveStreams } from './live/streams.ts';
import type { Topic } from './live/topics.ts';

export interface ApiServices {
  /** The address that a request counts for. */
  readonly addressOf: ReturnType<typeof createClientAddress>;
  /** Places of answers that are streams. */
  readonly places: Places;
  /** What clients leave unread of them. */
  readonly unread: UnreadBytes;
  readonly live: LiveStreams;
  close(): void;
}

export function createApiServices({ config, host, calls }: ConsoleParts): ApiServices {
  const live = createLiveStreams(host);
  const unfollow = followCalls(calls, live);
  return {
    addressOf: createClientAddress(config.web.trustedProxies),
    places: new Places(),
    unread: new UnreadBytes(),
    live,
    close() {
      unfollow();
      live.close();
    },
  };
}

// Records are written in batches of this length, and who looks sooner finds nothing new.
const WRITTEN_AFTER_MS = 250;

const OF_AGENTS = ['memory', 'schedules', 'agents'] as const;

/** Tells of calls once they can be looked at; returns the function that ends it. */
function followCalls(calls: CallFeed, live: LiveStreams): () => void {
  const waiting = new Map<string, NodeJS.Timeout>();
  const soon = (topic: Topic, organizationId: string) => {
    const key = `${topic} ${organizationId}`;
    if (waiting.has(key)) return;
    const tell = () => {
      waiting.delete(key);
      live.tell({ topic, id: null, organizationId });
    };
    waiting.set(key, setTimeout(tell, WRITTEN_AFTER_MS).unref());
  };
  const unfollow = calls.follow(({ caller: { organizationId }, toolset }) => {
    if (live.size === 0) return;
    soon('calls', organizationId);
    // What agents remember and plan, and when they last acted, is told by nothing else.
    if (toolset === 'agent') for (const topic of OF_AGENTS) soon(topic, organizationId);
  });
  return () => {
    unfollow();
    for (const timer of waiting.values()) clearTimeout(timer);
  };
}
