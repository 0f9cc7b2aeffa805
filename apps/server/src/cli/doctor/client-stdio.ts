/** Checks an entry that starts Parley itself: is the program there, the data folder, and the key valid in it. */
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { AGENT } from '@parley/agent/name';
import type { ClientName } from '../client-configuration.ts';
import { hasInstallation } from '../installation.ts';
import type { Check } from '../../health/check.ts';
import type { ClientEntry } from './client-files.ts';
import type { Surroundings } from './clients.ts';
import { checkKey, keyMaker } from './keys.ts';
import { word } from './shell-word.ts';
import { fillVariables } from './variables.ts';

// npm has an unrelated package of the same name.
const STRANGER = '"parley" by npx outside of the checkout';

/** True when the entry starts Parley, by its own name or as a script of Node. */
export function startsParley(command: readonly string[]): boolean {
  return command.some((part) =>
    /^(?:parley|parley\.js|parley\.cmd)$/.test(basename(part.replaceAll('\\', '/'))),
  );
}

/** One finding about the entry. */
export async function checkStdio(
  name: string,
  client: ClientName,
  entry: ClientEntry,
  around: Surroundings,
): Promise<Check> {
  const { config, project } = around;
  const fail = (found: string, fix: string): Check => ({ name, state: 'fail', found, fix });
  const command = (entry.command ?? []).map((part) => filledOr(client, part, around));
  const missing = missingProgram(command, project);
  if (missing !== undefined) {
    const words = ['node', around.launcher, 'mcp', ...servedBy(command), '--data', config.dataDir];
    return fail(
      missing === STRANGER
        ? `starts ${missing}, which is another program`
        : `starts ${missing}, which is not there`,
      `Start it with: ${words.map(word).join(' ')}`,
    );
  }
  const env = (variable: string): string | undefined => entry.env[variable];
  const flags = command.slice(1);
  const isRemote =
    ['--url', '--remote', '--api-key'].some((flag) => flagIn(flags, flag) !== undefined) ||
    env('QUACKBACK_URL') !== undefined;
  if (isRemote)
    return {
      name,
      state: 'ok',
      found: 'serves the feedback of another server over stdio; its key is not tried',
    };
  const dataDir = resolve(project, flagIn(flags, '--data') ?? env('PARLEY_DATA') ?? '.parley');
  const databaseUrl = flagIn(flags, '--database-url') ?? env('PARLEY_DATABASE_URL');
  const place = { dataDir, databaseUrl, secretKey: env('PARLEY_SECRET_KEY') };
  if (!hasInstallation(place)) {
    if (flagIn(flags, '--init') !== undefined)
      return {
        name,
        state: 'ok',
        found: `starts Parley over stdio, and makes an installation in ${dataDir}`,
      };
    return fail(
      `uses the data folder ${dataDir}, which holds no installation`,
      `Add "--data", "${config.dataDir}" to its args, or start Parley once in that folder.`,
    );
  }
  if (around.vite?.hasPlugin === true && databaseUrl === undefined && dataDir !== around.pageDataDir)
    return {
      name,
      state: 'warn',
      found: `uses the data folder ${dataDir}, but the pages of this project use ${around.pageDataDir}`,
      fix: `Put "--data", "${around.pageDataDir}" into its args, so that the agent sees the notes of these pages.`,
    };
  const key = flagIn(flags, '--key') ?? env('PARLEY_KEY');
  const agent = flagIn(flags, '--agent');
  const actor = agent === undefined ? 'its owner' : `the agent ${agent.slice(0, 128)}`;
  if (key === undefined)
    return { name, state: 'ok', found: `starts Parley over stdio on ${dataDir}, as ${actor}` };
  const filled = fillVariables(client, key, around.lookup);
  if ('isAsked' in filled)
    return { name, state: 'ok', found: 'starts Parley over stdio and asks for its key' };
  if ('unset' in filled) {
    const isAgents = agent === undefined && servedBy(command)[0] === AGENT;
    const maker = keyMaker(isAgents ? 'NAME' : undefined);
    const fix = `Set ${filled.unset} where the client starts, to a key of ${maker}.`;
    return { name, state: 'warn', found: `takes its key from ${filled.unset}, which is not set here`, fix };
  }
  return checkKey({ ...config, ...place }, { name, key: filled.text, words: 'its key' });
}

/** What the entry serves, and as whom: the toolsets after `mcp`, and the agent that it acts as. */
function servedBy(command: readonly string[]): string[] {
  const words = command.slice(command.indexOf('mcp') + 1);
  const flags = words.findIndex((each) => each.startsWith('-'));
  const agent = flagIn(words, '--agent');
  return [
    ...(command.includes('mcp') ? words.slice(0, flags === -1 ? words.length : flags) : []),
    ...(agent === undefined ? [] : ['--agent', agent]),
  ];
}

/** The first part of a command line that has to be a file and is none. */
function missingProgram([program = '', ...args]: readonly string[], project: string): string | undefined {
  const isPath = /[/\\]/.test(program);
  if (isPath && !existsSync(resolve(project, program))) return program;
  const script = args.find((arg) => /(?:^|[/\\])parley\.js$/.test(arg));
  if (script !== undefined) return existsSync(resolve(project, script)) ? undefined : script;
  // In another folder npx would fetch whatever the registry has under this name.
  const isStranger = asksNpx([program, ...args]) && !existsSync(join(project, 'node_modules/.bin/parley'));
  return isStranger ? STRANGER : undefined;
}

/** True when npx is asked for Parley, by itself or through a shell. */
function asksNpx(words: readonly string[]): boolean {
  const npx = words.findIndex((word) => /^npx(?:\.cmd)?$/.test(basename(word.replaceAll('\\', '/'))));
  return npx >= 0 && words.slice(npx + 1).find((word) => !word.startsWith('-')) === 'parley';
}

function flagIn(args: readonly string[], flag: string): string | undefined {
  const at = args.findIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
  if (at === -1) return undefined;
  return args[at] === flag ? (args[at + 1] ?? '') : args[at]?.slice(flag.length + 1);
}

function filledOr(client: ClientName, text: string, { lookup }: Surroundings): string {
  const filled = fillVariables(client, text, lookup);
  return 'text' in filled ? filled.text : text;
}
