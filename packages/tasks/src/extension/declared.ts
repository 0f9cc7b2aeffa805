/** Who may be given a task: a modern client that declared the extension on this very request. */
import type { Exchange } from '@parley/kit';
import { ProtocolFault, RPC } from '@parley/kit';
import { TASKS_EXTENSION } from './wire.ts';

/** True when the request itself declares the extension; an earlier declaration does not count. */
export function declaresTasks({ info, capabilities }: Exchange): boolean {
  const extensions = capabilities?.extensions;
  return info.era === 'modern' && extensions !== undefined && Object.hasOwn(extensions, TASKS_EXTENSION);
}

/** The answer to a request that needs the extension and does not declare it. */
export function missingExtension(): ProtocolFault {
  return new ProtocolFault(
    RPC.missingCapability,
    'This request needs the tasks extension, which it does not declare',
    {
      requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
    },
  );
}
