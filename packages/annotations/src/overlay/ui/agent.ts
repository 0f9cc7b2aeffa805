/** Owns what the help says about the agent: why there is none, and the configuration that connects one. */
import { isAllowedHost, pageOrigin } from '../config.ts';
import type { OverlaySettings } from '../overlay.ts';
import type { State } from '../connection/state.ts';

const WAITS = 'Notes wait here and are sent then.';

/** How it stands, with what to do about it. */
export function reasonOf({ connection, presence }: State, options: OverlaySettings): string {
  if (connection.state === 'refused') return `The server refused this page. ${afterRefusal(options)}`;
  if (connection.state === 'offline' && connection.isBlocked === true) {
    const { server } = options;
    return `The Content-Security-Policy of this page blocks the way to Parley. Add ${server} and ${server.replace(/^http/, 'ws')} to its connect-src. ${WAITS}`;
  }
  if (connection.state !== 'online') return `${unreached(options)} ${WAITS}`;
  const names = presence.agents.map(({ name, client }) => client ?? name).join(', ');
  if (presence.state === 'none') {
    return 'No agent is connected. Add the configuration below to your agent and ask it to watch annotations.';
  }
  return `${names || 'An agent'} is ${presence.state}.`;
}

function afterRefusal({ dev }: OverlaySettings): string {
  if (dev === undefined) return 'Put the script tag into it that "parley start" prints now.';
  if (dev.server === undefined) return 'Its token has changed: start the dev server again and reload.';
  return `Give parley({ token }) in vite.config the token that the Parley at ${dev.server} prints when it starts.`;
}

function unreached({ server, dev }: OverlaySettings): string {
  if (dev === undefined) {
    // A server that does not know the page's origin cannot be told from one that is not there.
    const needed = isAllowedHost([]) ? '' : ` -- --allow-origin ${pageOrigin()}`;
    return `The server at ${server} cannot be reached. Start it with "npm start${needed}" in the checkout of Parley.`;
  }
  if (dev.server === undefined)
    return 'The dev server cannot be reached, or Parley is off in it: its log says why.';
  return `The Parley at ${dev.server} cannot be reached. Start it, or correct "server" in vite.config.`;
}

/** The configuration to paste, and what to know about it; without one only the words. */
export function connectionOf({ server, mcp, dev }: OverlaySettings): { json?: string; words: string } {
  if (dev?.data !== undefined) {
    const words = 'It starts Parley on the data folder of this project and needs no key.';
    if (dev.command !== undefined) return { json: configuration(dev.command), words };
    return { words: `Let your agent start "parley mcp annotations --data ${dev.data}".` };
  }
  return {
    json: configuration({
      type: 'http',
      url: mcp ?? `${dev?.server ?? server}/mcp/annotations`,
      headers: { Authorization: 'Bearer ${PARLEY_KEY}' },
    }),
    words:
      'Set PARLEY_KEY to a key that "npm run -s parley -- keys create NAME" makes in the checkout of Parley.',
  };
}

function configuration(entry: object): string {
  return JSON.stringify({ mcpServers: { parley: entry } }, null, 2);
}
