/** Checks an entry that calls a server by its address: is it this one, is the path served, is the key valid. */
import { commandWord } from '../../config.ts';
import { AGENT } from '@parley/agent/name';
import { addressOf } from '../address.ts';
import type { ClientName, EntryNames } from '../client-configuration.ts';
import { clientConfiguration, OWN_NAMES } from '../client-configuration.ts';
import { hasInstallation } from '../installation.ts';
import { askServer } from './ask.ts';
import type { Check } from '../../health/check.ts';
import type { ClientEntry } from './client-files.ts';
import type { Surroundings } from './clients.ts';
import { agentOfKey, checkKey, keyMaker } from './keys.ts';
import { isParley } from './port.ts';
import { fillVariables, inputIn, variableIn } from './variables.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** One finding about the entry; a key goes to this server alone. */
export async function checkHttp(
  name: string,
  client: ClientName,
  entry: ClientEntry,
  around: Surroundings,
): Promise<Check> {
  const { config } = around;
  const url = URL.parse(entry.url ?? '');
  const filled = fillVariables(client, entry.authorization ?? '', around.lookup);
  const [, sent] = ('text' in filled && /^Bearer ([^\s<>]+)$/i.exec(filled.text)) || [];
  const toolset = url === null ? undefined : toolsetAt(url, around);
  const path = url?.pathname.replace(/\/$/, '') ?? '';
  const isConnection = around.paths.includes(path);
  const place = isConnection ? `${path}${url?.search ?? ''}` : `/mcp${toolset === AGENT ? `/${AGENT}` : ''}`;
  const mcpUrl = `${addressOf(config)}${place}`;
  const finding = async (state: Check['state'], found: string): Promise<Check> => {
    if (state === 'ok') return { name, state, found };
    const known = sent === undefined ? undefined : await agentOfKey(config, sent);
    const agent = known ?? (toolset === AGENT ? 'NAME' : undefined);
    // An agent's entry stays one, beside that of a person.
    const named = agent === undefined ? OWN_NAMES : namesOf(client, entry);
    const names = { ...named, input: inputIn(client, entry.authorization ?? '') };
    // VS Code asks a person for the key; the others take it from a variable.
    const where = client === 'VS Code' ? 'where it asks for it' : `in ${names.variable}`;
    const how = `with a key of ${keyMaker(agent)} ${where}`;
    return { name, state, found, fix: `Use this, ${how}:\n${clientConfiguration(mcpUrl, client, names)}` };
  };
  const isRunning = await isParley(config.host, config.port);
  if (url === null || !isThisServer(url, around)) {
    // On this machine the server that runs is the one that is meant.
    const isWrong = url === null || (isRunning && isOnThisMachine(url));
    return finding(isWrong ? 'fail' : 'warn', `points at ${shown(entry.url)}, not at ${mcpUrl}`);
  }
  if (toolset === undefined && !isConnection && path !== '/mcp') {
    const served = around.toolsets.map((served) => `/mcp/${served}`).join(', ');
    const found = `points at ${url.pathname}, where nothing is served; there are /mcp, ${served}, and /mcp/ID for each connection of "${commandWord()} connect list"`;
    return finding('fail', found);
  }
  if ('isAsked' in filled) return finding('ok', `points at ${url.href} and asks for its key`);
  if ('unset' in filled)
    return finding(
      'warn',
      `takes its key from ${filled.unset}, which is not set here; set it where the client starts`,
    );
  if (sent === undefined) return finding('fail', 'sends no API key');
  if (isRunning) return byAnswer(await askServer(url, sent), url, finding);
  if (!hasInstallation(config)) return finding('ok', `points at ${url.href}`);
  const checked = await checkKey(config, { name, key: sent, words: 'its key' });
  return checked.state === 'ok'
    ? finding('ok', `points at ${url.href} with a valid key; the server does not run`)
    : finding(checked.state, checked.found);
}

/** The toolset that an address names; undefined for all of them, and for what is not served. */
export function toolsetAt(
  { pathname }: URL,
  { toolsets }: Pick<Surroundings, 'toolsets'>,
): string | undefined {
  const [, first, toolset = '', ...rest] = pathname.replace(/\/$/, '').split('/');
  return first === 'mcp' && rest.length === 0 && toolsets.includes(toolset) ? toolset : undefined;
}

/** What the entry is called and where its key is, as far as that can be said again. */
function namesOf(client: ClientName, { name, authorization = '' }: ClientEntry): EntryNames {
  return {
    name: /^[\w-]{1,64}$/.test(name) ? name : OWN_NAMES.name,
    variable: variableIn(client, authorization) ?? OWN_NAMES.variable,
  };
}

function byAnswer(
  answer: Awaited<ReturnType<typeof askServer>>,
  { href, pathname }: URL,
  finding: (state: Check['state'], found: string) => Promise<Check>,
): Promise<Check> {
  if ('tools' in answer) {
    const found = `points at ${href}; its key sees ${answer.tools} tools`;
    return finding(answer.tools === 0 ? 'warn' : 'ok', found);
  }
  if (answer.problem === 'key')
    return finding('fail', 'its key is not valid at the running server: wrong, expired or revoked');
  if (answer.problem === 'path') return finding('fail', `points at ${pathname}, where nothing is served`);
  const what = answer.problem === 'status' ? `answered with status ${answer.status}` : 'gave no answer';
  return finding('warn', `points at ${href}, which ${what}`);
}

/** True for an address by which only this machine is reached. */
export function isOnThisMachine({ hostname }: URL): boolean {
  return LOOPBACK.includes(hostname);
}

/** True for an address of the server that is checked. */
export function isThisServer(url: URL, { config }: Pick<Surroundings, 'config'>): boolean {
  if (url.origin === config.web.publicUrl) return true;
  const names = [...LOOPBACK, config.host, `[${config.host}]`, ...config.allowHosts];
  return Number(url.port || '80') === config.port && names.includes(url.hostname);
}

/** An address without what may be secret in it. */
function shown(text: string | undefined): string {
  const url = URL.parse(text ?? '');
  return url === null ? 'no address' : `${url.origin}${url.pathname}`;
}
