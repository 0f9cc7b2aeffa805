/** Turns changes of feedback into notices for MCP clients that subscribed to a resource. */
import { IDENTITY_CHANGED } from '@parley/identity';
import type { Change, ChangeBus } from '@parley/kit';
import { coalesce } from '@parley/kit';
import type { ChangeSignal, SignalEvent } from '@parley/store';
import type { Noun } from './write.ts';
import { changedTopic } from './write.ts';

const NOUNS = ['boards', 'statuses', 'tags', 'roadmaps', 'members'] as const satisfies readonly Noun[];
const TOPICS = new Map<string, string>([
  ...NOUNS.map((noun) => [changedTopic(noun), uriOf(noun)] as const),
  [IDENTITY_CHANGED, uriOf('members')],
]);

const COALESCE_MS = 100;

/** Publishes one notice per changed list, at most every 100 ms; returns the function that ends it. */
export function publishNotices(signal: ChangeSignal, bus: ChangeBus): () => void {
  const notices = coalesce(bus, COALESCE_MS);
  const note = (event: SignalEvent) => notices.add(noticesOf(event));
  const unlisten = ['feedback.', IDENTITY_CHANGED].map((prefix) => signal.subscribe(prefix, note));
  return () => {
    for (const end of unlisten) end();
    notices.close();
  };
}

function uriOf(noun: (typeof NOUNS)[number]): string {
  return `quackback://${noun}`;
}

function noticesOf({ topic, payload }: SignalEvent): Change[] {
  // Something may have been missed, so everybody reads everything again.
  if (topic === '*') return NOUNS.map((noun) => ({ kind: 'resource', uri: uriOf(noun) }));
  const uri = TOPICS.get(topic);
  if (uri === undefined) return [];
  return [{ kind: 'resource', uri, ...(payload !== null && { organizationId: payload }) }];
}
