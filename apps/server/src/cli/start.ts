/** `parley start`: the server, until a signal ends it. */
import { resolve } from 'node:path';
import type { StartNotice } from '@parley/kit';
import { createApp } from '../app.ts';
import type { Config } from '../config.ts';
import { loadConfig, UsageError } from '../config.ts';
import { keepServing } from '../last-resort.ts';
import { collect } from '../lean-heap.ts';
import { noteAddress } from '../served-address.ts';
import { clientConfiguration } from './client-configuration.ts';
import { word } from './doctor/shell-word.ts';
import type { Command } from './main.ts';
import { endSoon, untilSignal } from './signals.ts';

/** Starts the server and waits for the signal to stop. */
export const start: Command = async (args, toolsets) => {
  const { config, positionals, extras } = loadConfig(args, { extra: { resume: 'switch' }, toolsets });
  if (positionals.length > 0)
    throw new UsageError(`"parley start" takes no arguments (got ${positionals.join(' ')}).`);
  const signals = untilSignal();
  const app = await createApp({ config, toolsets, resume: extras.resume === true });
  // Loading and migrating left much behind, and nobody waits for an answer yet.
  collect();
  keepServing((error, where) => app.onUncaught(error, where));
  let forgetAddress = (): void => undefined;
  try {
    const { url, mcp } = await app.listen();
    forgetAddress = noteAddress(config, url);
    const notices = [...heldNotice(app.heldText()), ...(await app.noticesAt(url))];
    const ready = { url, mcp, data: config.dataDir, ownerKeyFile: app.ownerKeyFile };
    process.stdout.write(config.json ? jsonLine(ready, notices) : greeting(ready, notices, config));
    await signals.asked;
  } finally {
    forgetAddress();
    // Whatever went wrong after the port was open must not leave it open.
    await app.close(() => process.exit(1));
    endSoon();
  }
  await signals.echoed();
  return 0;
};

/** A server that holds its work back says so where its user looks first. */
function heldNotice(held: string | undefined): StartNotice[] {
  if (held === undefined) return [];
  return [{ json: { held }, line: { label: 'Held', text: held } }];
}

interface Ready {
  readonly url: string;
  readonly mcp: string;
  readonly data: string;
  readonly ownerKeyFile: string;
}

function jsonLine(ready: Ready, notices: readonly StartNotice[]): string {
  return `${JSON.stringify(Object.assign({}, ready, ...notices.map(({ json }) => json)))}\n`;
}

/** Tells people what they need next; a command that finds the folder only with a flag is shown with it. */
export function greeting(ready: Ready, notices: readonly StartNotice[], config: Config): string {
  const isUsual = config.databaseUrl !== undefined || config.dataDir === resolve('.parley');
  const flag = isUsual ? '' : ` --data ${word(config.dataDir)}`;
  const lines = [
    { label: 'MCP', text: ready.mcp },
    { label: 'Owner key', text: ready.ownerKeyFile },
    { label: 'Data', text: config.databaseUrl === undefined ? ready.data : 'PostgreSQL' },
    ...notices.flatMap(({ line = [] }) => line),
  ];
  const leads = notices.flatMap(({ lead }) => (lead === undefined ? [] : [`${lead}\n\n`]));
  const paragraphs = notices.flatMap(({ paragraph = [] }) => paragraph);
  return `
Parley is ready.

${lines.map(({ label, text }) => `  ${label.padEnd(11)}${text}`).join('\n')}

${leads.join('')}Make a key for your client, in the checkout, and put it into the variable PARLEY_KEY where the client starts:

  npm run -s parley -- keys create "My client"${flag}

Connect Claude Code:

  claude mcp add --transport http parley ${ready.mcp} --header "Authorization: Bearer $PARLEY_KEY"

or in the .mcp.json of a project (docs/clients.md has Cursor, VS Code, Codex and others):

${clientConfiguration(ready.mcp, 'Claude Code')}

${[...paragraphs, ...(isUsual ? [] : [`All commands here need${flag}, or PARLEY_DATA.`]), 'Ctrl-C stops it.'].join('\n\n')}
`;
}
