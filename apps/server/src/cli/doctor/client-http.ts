/** Checks an entry that calls a server by its address: is it this one, is the path served, is the key valid. */
import { addressOf } from '../address.ts';
import type { ClientName } from '../client-configuration.ts';
import { clientConfiguration } from '../client-configuration.ts';
import { hasInstallation } from '../installation.ts';
import { askServer } from './ask.ts';
import type { Check } from './check.ts';
import type { ClientEntry } from './client-files.ts';
import type { Surroundings } from './clients.ts';
import { checkKey } from './keys.ts';
import { isParley } from './port.ts';
import { fillVariables } from './variables.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** One finding about the entry; a key goes to this server alone. */
export async function checkHttp(
  name: string,
  client: ClientName,
  entry: ClientEntry,
  around: Surroundings,
): Promise<Check> {
  const { config } = around;
  const mcpUrl = `${addressOf(config)}/mcp`;
  const fix = `Use this, with a key of "parley keys create NAME" in PARLEY_KEY:\n${clientConfiguration(mcpUrl, client)}`;
  const finding = (state: Check['state'], found: string): Check => ({
    name,
    state,
    found,
    ...(state !== 'ok' && { fix }),
  });
  const url = URL.parse(entry.url ?? '');
  const isRunning = await isParley(config.host, config.port);
  if (url === null || !isThisServer(url, around)) {
    // On this machine the server that runs is the one that is meant.
    const isWrong = url === null || (isRunning && LOOPBACK.includes(url.hostname));
    return finding(isWrong ? 'fail' : 'warn', `points at ${shown(entry.url)}, not at ${mcpUrl}`);
  }
  const [, first, toolset, ...rest] = url.pathname.replace(/\/$/, '').split('/');
  const isServed = toolset === undefined || around.toolsets.includes(toolset);
  if (first !== 'mcp' || !isServed || rest.length > 0) {
    const served = around.toolsets.map((served) => `/mcp/${served}`).join(', ');
    return finding('fail', `points at ${url.pathname}, where nothing is served; there are /mcp, ${served}`);
  }
  const filled = fillVariables(client, entry.authorization ?? '', around.lookup);
  if ('isAsked' in filled) return finding('ok', `points at ${url.href} and asks for its key`);
  if ('unset' in filled)
    return finding(
      'warn',
      `takes its key from ${filled.unset}, which is not set here; set it where the client starts`,
    );
  const [, sent] = /^Bearer ([^\s<>]+)$/i.exec(filled.text) ?? [];
  if (sent === undefined) return finding('fail', 'sends no API key');
  if (isRunning) return byAnswer(await askServer(url, sent), url, finding);
  if (!hasInstallation(config)) return finding('ok', `points at ${url.href}`);
  const checked = await checkKey(config, { name, key: sent, words: 'its key' });
  return checked.state === 'ok'
    ? finding('ok', `points at ${url.href} with a valid key; the server does not run`)
    : finding(checked.state, checked.found);
}

function byAnswer(
  answer: Awaited<ReturnType<typeof askServer>>,
  { href, pathname }: URL,
  finding: (state: Check['state'], found: string) => Check,
): Check {
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

/** True for an address of the server that is checked. */
export function isThisServer(url: URL, { config }: Surroundings): boolean {
  if (url.origin === config.web.publicUrl) return true;
  const names = [...LOOPBACK, config.host, `[${config.host}]`, ...config.allowHosts];
  return Number(url.port || '80') === config.port && names.includes(url.hostname);
}

/** An address without what may be secret in it. */
function shown(text: string | undefined): string {
  const url = URL.parse(text ?? '');
  return url === null ? 'no address' : `${url.origin}${url.pathname}`;
}
