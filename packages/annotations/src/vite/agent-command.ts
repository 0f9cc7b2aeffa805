/** Owns how an agent reaches what a dev server shows: a command on its data folder, or the running Parley behind it. */
import { existsSync } from 'node:fs';
import { posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DevSettings } from '../overlay/config.ts';
import type { ParleyOptions, Project } from './options.ts';

// The plugin is installed as a link into a checkout, where the program stands beside it.
const LAUNCHER = fileURLToPath(new URL('../../../../apps/server/bin/parley.js', import.meta.url));

/** What the overlay of this project's pages is told. */
export function devSettings(
  { server }: ParleyOptions,
  { dataDir, base, root, served }: Project,
): DevSettings {
  const below = relative(root, served).split(sep).join(posix.sep);
  const paths = { base, prefix: below === '' ? '' : `${below}/` };
  if (server !== undefined) return { ...paths, server: server.replace(/\/$/, '') };
  if (!existsSync(LAUNCHER)) return { ...paths, data: dataDir };
  const args = [LAUNCHER, 'mcp', 'annotations', '--data', dataDir];
  return { ...paths, data: dataDir, command: { command: 'node', args } };
}

/** What the dev server says when the overlay is on. */
export function successLine({ server, data, command }: DevSettings): string {
  const parts = command === undefined ? undefined : [command.command, ...command.args];
  const how =
    server !== undefined
      ? `${server}/mcp/annotations`
      : (parts?.map(quoted).join(' ') ?? `parley mcp annotations --data ${data}`);
  return `Parley: overlay on (Alt+Shift+A). Agents connect with: ${how}`;
}

function quoted(part: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(part) ? part : JSON.stringify(part);
}
