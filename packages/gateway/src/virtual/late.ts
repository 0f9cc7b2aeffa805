/** Virtual MCPs whose code is loaded with the first request for one. */
import { late } from '../late.ts';
import type { VirtualMcpEngines, VirtualOptions } from './registry.ts';

/** Those of `registry.ts`. */
export function createLateVirtualMcps(options: VirtualOptions): VirtualMcpEngines {
  const engines = late(async () => (await import('./registry.ts')).createVirtualMcpEngines(options));
  return {
    find: (caller, id, mode) =>
      engines.now === undefined
        ? engines.load().then((part) => part.find(caller, id, mode))
        : engines.now.find(caller, id, mode),
    standIn: async (caller, id) => (await engines.load()).standIn(caller, id),
    forget: (organizationId) => engines.now?.forget(organizationId),
    // Most callers are bound to nothing, which needs no code.
    boundTo: async (caller) =>
      caller.connectionId === undefined ? undefined : (await engines.load()).boundTo(caller),
    describe: async (...given) => (await engines.load()).describe(...given),
    tryTool: async (...given) => (await engines.load()).tryTool(...given),
    close: () => engines.now?.close(),
  };
}
