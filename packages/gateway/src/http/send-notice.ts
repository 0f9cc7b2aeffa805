/** A change as the notice that clients know. */
import type { Server } from '@modelcontextprotocol/server';
import type { Change } from '@parley/kit';

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
