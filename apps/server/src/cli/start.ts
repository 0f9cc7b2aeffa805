/** `parley start`: the server, until a signal ends it. */
import { createApp } from '../app.ts';
import type { App } from '../app.ts';
import type { Config } from '../config.ts';
import { loadConfig, UsageError } from '../config.ts';
import { keepServing } from '../last-resort.ts';
import { clientConfiguration } from './client-configuration.ts';
import type { Command } from './main.ts';
import { endSoon, untilSignal } from './signals.ts';

/** Starts the server and waits for the signal to stop. */
export const start: Command = async (args, toolsets) => {
  const { config, positionals } = loadConfig(args);
  if (positionals.length > 0)
    throw new UsageError(`"parley start" takes no arguments (got ${positionals.join(' ')}).`);
  const stop = untilSignal();
  const app = await createApp({ config, toolsets });
  keepServing((error, where) => app.onUncaught(error, where));
  try {
    const { url, mcp } = await open(app, config);
    const overlayTag = await app.overlayTag(url);
    const pages = config.demo ? `${config.web.publicUrl ?? url}/feedback` : undefined;
    const ready = { url, mcp, data: config.dataDir, ownerKeyFile: app.ownerKeyFile, overlayTag, pages };
    process.stdout.write(config.json ? `${JSON.stringify(ready)}\n` : greeting(ready, config));
    await stop;
  } finally {
    // Whatever went wrong after the port was open must not leave it open.
    await app.close();
    endSoon();
  }
  return 0;
};

/** Opens the port; the demo comes first, so that nobody sees half of it. */
async function open(app: App, { demo }: Config): Promise<{ url: string; mcp: string }> {
  if (demo) {
    const { seedDemo } = await import('@parley/feedback/demo');
    await seedDemo(app.host);
  }
  return app.listen();
}

interface Ready {
  readonly url: string;
  readonly mcp: string;
  readonly data: string;
  readonly ownerKeyFile: string;
  readonly overlayTag: string;
  /** The public pages of the demo. */
  readonly pages: string | undefined;
}

function greeting(ready: Ready, config: Config): string {
  return `
Parley is ready.

  MCP        ${ready.mcp}
  Owner key  ${ready.ownerKeyFile}
  Data       ${config.databaseUrl === undefined ? ready.data : 'PostgreSQL'}
  Feedback   ${ready.pages ?? `${config.web.publicUrl ?? ready.url}/feedback, once you publish it: npm run -s parley -- feedback publish on`}

Make a key for your client, in the checkout, and put it into the variable PARLEY_KEY where the client starts:

  npm run -s parley -- keys create "My client"

Connect Claude Code:

  claude mcp add --transport http parley ${ready.mcp} --header "Authorization: Bearer $PARLEY_KEY"

or in the .mcp.json of a project (docs/clients.md has Cursor, VS Code, Codex and others):

${clientConfiguration(ready.mcp, 'Claude Code')}

Annotate a page: put this into it, then point at what should change.

  ${ready.overlayTag}

Ctrl-C stops it.
`;
}
