/** Why somebody does or does not have a tool: what `parley_explain` says of keys and agents, and the same of people. */
import { HttpRefusal } from '@parley/http';
import type { Caller } from '@parley/kit';
import { parleyToolset } from '../parley/index.ts';
import { explanationOf } from '../parley/explain.ts';
import { engineNamed } from './engine-named.ts';
import type { ConsoleParts } from './index.ts';
import { missingAt, SWITCHED_OFF } from './missing.ts';

/** What is asked. */
export interface Asked {
  readonly caller: string;
  readonly tool: string;
  readonly endpoint?: string | undefined;
}

export async function explained(
  { host, gateway, caller: by }: Pick<ConsoleParts, 'host' | 'gateway'> & { readonly caller: Caller },
  { caller: named, tool, endpoint }: Asked,
) {
  const { identity } = host;
  const { organizationId } = by;
  const caller =
    (await identity.callerOfMember(organizationId, named)) ??
    (await identity.callerNamed(organizationId, named));
  if (caller === undefined)
    throw new HttpRefusal(
      'NOT_FOUND',
      'No member, API key or agent of your organization has this id or name.',
    );
  const services = host.servicesOf(parleyToolset);
  const missing = await missingAt({ host, gateway }, { caller, asker: by, tool, endpoint });
  const explain = endpoint === undefined ? services.explain : await explainAt(gateway, by, endpoint);
  const found = await explanationOf({ ...services, explain }, caller, tool);
  const grants = Object.fromEntries(Object.entries(caller.grants).map(([name, tools]) => [name, [...tools]]));
  return { ...found, missing, grants };
}

/** What decides at one endpoint; nobody has anything at one that is switched off. */
async function explainAt(gateway: ConsoleParts['gateway'], by: Caller, endpoint: string) {
  const engine = await engineNamed(gateway, by, { endpoint }).catch((error: unknown) => {
    if (error instanceof HttpRefusal && error.status === SWITCHED_OFF) return undefined;
    throw error;
  });
  return (who: Caller, name: string) => ({
    kind: 'tool' as const,
    reason: engine === undefined ? ('not_available' as const) : engine.explain(who, name),
  });
}
