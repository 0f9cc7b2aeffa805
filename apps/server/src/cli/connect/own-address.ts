/** Which addresses and programs are Parley itself, so that it is not connected to itself. */
import type { Wanted } from '@parley/connections';
import { isThisMachine } from '@parley/kit/egress';
import type { Config } from '../../config.ts';
import { notedAddress } from '../../served-address.ts';
import { isThisServer } from '../doctor/client-http.ts';
import { startsParley } from '../doctor/client-stdio.ts';

/** True for the server of this data folder, wherever it answers, for a program that is Parley, and for one that leads here. */
export function isParleyItself({ to }: Pick<Wanted, 'to'>, config: Config): boolean {
  if (!('program' in to)) return isOwn(URL.parse(to.url), config);
  const { command, args } = to.program;
  if (startsParley([command, ...args])) return true;
  // What is given an address of our MCP, such as mcp-remote, carries calls to it.
  return args.map(addressIn).some((url) => isOwn(url, config) && /^\/mcp(?:\/|$)/.test(url?.pathname ?? ''));
}

/** The address in an argument, alone or as the value of a flag. */
function addressIn(arg: string): URL | null {
  const last = arg.trim().split(/\s/).at(-1) ?? '';
  const at = last.search(/https?:\/\//i);
  return at === -1 ? null : URL.parse(last.slice(at));
}

function isOwn(url: URL | null, config: Config): boolean {
  if (url === null) return false;
  const served = { ...config, ...notedAddress(config) };
  return [config, served].some(
    (each) =>
      isThisServer(url, { config: each }) || (portOf(url) === each.port && isThisMachine(url.hostname)),
  );
}

function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}
