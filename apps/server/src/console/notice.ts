/** What the person who starts a server is told about the console. */
import { commandWord } from '../config.ts';
import type { StartNotice } from '@parley/kit';
import type { Config } from '../config.ts';
import type { Host } from '../start/host.ts';
import { consoleAddress, signInLink } from './link.ts';

/** The address, and a link while no owner has a way in of their own. */
export async function consoleNotice(
  { identity }: Pick<Host, 'identity'>,
  config: Config,
  url: string,
): Promise<StartNotice> {
  const address = consoleAddress(config, url);
  const line = { label: 'Console', text: address };
  if (await identity.web.hasOwnerSignIn()) return { json: { console: address }, line };
  const { token } = await identity.web.createLink();
  const signIn = signInLink(address, token);
  const lead = `Open the console. This link signs you in once, within 15 minutes ("${commandWord()} sign-in" prints another):\n\n  ${signIn}`;
  return { json: { console: address, signIn }, line, lead };
}
