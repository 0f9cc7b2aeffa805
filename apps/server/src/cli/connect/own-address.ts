/** Which addresses and programs are Parley itself, so that it is not connected to itself. */
import type { Wanted } from '@parley/connections';
import { isThisMachine } from '@parley/kit/egress';
import type { Config } from '../../config.ts';
import { notedAddress } from '../../served-address.ts';
import { isThisServer } from '../doctor/client-http.ts';
import { startsParley } from '../doctor/client-stdio.ts';

/** True for the server of this data folder, wherever it answers, and for a program that is Parley. */
export function isParleyItself({ to }: Pick<Wanted, 'to'>, config: Config): boolean {
  if ('program' in to) return startsParley([to.program.command, ...to.program.args]);
  const url = URL.parse(to.url);
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
