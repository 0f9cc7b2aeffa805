/** `parley connect authorise` and `token`: what somebody brings along themselves for a server that wants it. */
import { hiddenReason, ToolError } from '@parley/kit';
import { MANAGEMENT } from '@parley/mesh/name';
import { commandWord, UsageError } from '../../config.ts';
import { printable } from '../../printable.ts';
import type { Acting, Outcome } from '../actions.ts';
import { servedAt } from '../address.ts';
import { foundConnection } from './found.ts';
import type { Given } from './given.ts';
import { secretFromStdin } from './stdin.ts';

const USAGE = 'Usage: parley connect token NAME --stdin | token NAME --remove';

/** Begins an authorization, which ends in the browser of whoever asked, at a server that runs. */
export async function authorise(acting: Acting, name: string): Promise<Outcome> {
  requireOwnCredentials(acting);
  const { id, title } = await foundConnection(acting, name);
  // The browser comes back to the server that runs, since this process has no port.
  acting.host.servedAt(servedAt(acting.config));
  const { url } = await acting.host.connectionAuth.authorize(acting.caller, id);
  const lines = [
    `Open this address in a browser, while "${commandWord()} start" runs, to let Parley use ${printable(title)} for you.`,
    'It works for 10 minutes:',
    '',
    url,
  ];
  return { json: { id, name: title, url }, text: lines.join('\n') };
}

/** Keeps or forgets the token with which this person alone uses a connection. */
export async function token(
  acting: Acting,
  [name, ...rest]: readonly string[],
  given: Given,
): Promise<Outcome> {
  const isRemoved = given.isOn('remove');
  if (name === undefined || rest.length > 0 || isRemoved === given.isOn('stdin')) throw new UsageError(USAGE);
  requireOwnCredentials(acting);
  const { caller, host } = acting;
  const { id, title } = await foundConnection(acting, name);
  if (isRemoved) await host.connectionAuth.removeToken(caller, id);
  else await host.connectionAuth.setToken(caller, id, await secretFromStdin('the token'));
  const what = isRemoved ? 'is forgotten' : 'is kept, and goes with your calls alone';
  return {
    json: { id, name: title, hasToken: !isRemoved },
    text: `Your token for ${printable(title)} ${what}.`,
  };
}

/** Throws unless the caller has the right that the routes for the same ask for. */
function requireOwnCredentials({ caller }: Pick<Acting, 'caller'>): void {
  const right = { toolset: MANAGEMENT, name: 'connection_auth' };
  if (hiddenReason(right, caller) === undefined) return;
  throw new ToolError(
    'forbidden',
    `This key may not do that. It would need the grant ${right.toolset}:${right.name}.`,
  );
}
