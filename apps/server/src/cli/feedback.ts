/** `parley feedback`: publishing the pages, importing and exporting. */
import { readFileSync } from 'node:fs';
import { publishPages } from '@parley/feedback';
import type { Config } from '../config.ts';
import { commandWord, loadConfig, UsageError } from '../config.ts';
import { addressOf } from './address.ts';
import { askServer } from './doctor/ask.ts';
import { requireAll } from './feedback-access.ts';
import { EXPORT_FLAGS, exportFeedback, IMPORT_FLAGS, importFeedback } from './feedback-transfer.ts';
import type { Command } from './main.ts';
import { withCaller } from './session.ts';

const USAGE = `Usage: parley feedback publish on|off
       parley feedback import FILE [--board SLUG] [--create-boards] [--dry-run]
       parley feedback export [FILE] [--posts-csv]`;

const publish: Command = async (args, toolsets) => {
  const { config, positionals } = loadConfig(args, { toolsets });
  const [, wanted, ...rest] = positionals;
  if ((wanted !== 'on' && wanted !== 'off') || rest.length > 0)
    throw new UsageError('Usage: parley feedback publish on|off');
  return withCaller(config, toolsets, async (host, caller) => {
    requireAll(caller);
    const { isPublished } = await publishPages(host, caller, wanted === 'on');
    const isFirst = caller.organizationId === (await host.identity.firstOrganizationId());
    const url = isFirst ? await pagesOf(config, host.ownerKeyFile) : null;
    const where =
      url ??
      (isFirst
        ? `/feedback at the address that "${commandWord()} start" printed`
        : `/feedback at the host name that "${commandWord()} start --organization-host SLUG=HOST" gives this organization`);
    const text = isPublished
      ? `Everybody who reaches this server can read public boards now: ${where}`
      : 'The public pages are off.';
    process.stdout.write(`${config.json ? JSON.stringify({ isPublished, url }) : text}\n`);
    return 0;
  });
};

const ACTIONS: Readonly<Record<string, Command>> = {
  publish,
  import: importFeedback,
  export: exportFeedback,
};

/** Runs one of the feedback commands. */
export const feedback: Command = async (args, toolsets) => {
  const [action = ''] = loadConfig(args, {
    extra: { ...IMPORT_FLAGS, ...EXPORT_FLAGS },
    toolsets,
  }).positionals;
  const run = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (run === undefined) throw new UsageError(USAGE);
  return run(args, toolsets);
};

/** Where the pages are; null when no server of this data folder answers at the configured address. */
async function pagesOf(config: Config, ownerKeyFile: string): Promise<string | null> {
  if (config.web.publicUrl !== undefined) return `${config.web.publicUrl}/feedback`;
  const url = addressOf(config);
  const key = config.key ?? readFileSync(ownerKeyFile, 'utf8').trim();
  const answer = await askServer(new URL('/mcp', url), key);
  return 'tools' in answer ? `${url}/feedback` : null;
}
