/** A change as the notice that clients know: who wants it, and how it is sent. */
import type { Server } from '@modelcontextprotocol/server';
import type { Change } from '@parley/kit';

/** True for what the server of a client has declared and its client, where it has to say so, watches. */
export function isWanted(server: Server, change: Change, watched: ReadonlySet<string>): boolean {
  const { prompts, resources } = server.getCapabilities();
  if (change.kind === 'tools') return true;
  if (change.kind === 'prompts') return prompts !== undefined;
  if (resources === undefined) return false;
  if (change.kind !== 'resource') return true;
  const isModern = server.getNegotiatedProtocolVersion()?.startsWith('2026') ?? false;
  // A modern listener filters by its own subscription; a 2025 one by what it subscribed to.
  return isModern || watched.has(change.uri);
}

/** Sends the notice of a change over one server of the SDK. */
export function sendNotice(server: Server, change: Change): Promise<void> {
  switch (change.kind) {
    case 'tools':
      return server.sendToolListChanged();
    case 'prompts':
      return server.sendPromptListChanged();
    case 'resources':
      return server.sendResourceListChanged();
    case 'resource':
      return server.sendResourceUpdated({ uri: change.uri });
  }
}
