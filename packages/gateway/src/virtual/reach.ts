/** Which connections a virtual MCP reaches, itself and through others that stand in it. */
import type { ServedVirtualMcps } from '@parley/connections';

export interface VirtualReach {
  /** By the id of the connection. Active: it is switched on, as is all on one way there. */
  readonly members: ReadonlyMap<string, { readonly isActive: boolean }>;
}

/** Undefined: there is none. One that stands in itself is looked at once. */
export function reachOf({ byId }: Pick<ServedVirtualMcps, 'byId'>, id: string): VirtualReach | undefined {
  if (!byId.has(id)) return undefined;
  const members = new Map<string, { readonly isActive: boolean }>();
  const walked = new Set<string>();
  const walk = (virtualId: string, isOn: boolean) => {
    const key = `${virtualId} ${isOn}`;
    const virtual = byId.get(virtualId);
    if (virtual === undefined || walked.has(key)) return;
    walked.add(key);
    for (const member of virtual.members) {
      const isActive = isOn && member.status !== 'inactive';
      if (member.virtualId !== null) {
        walk(member.virtualId, isActive && byId.get(member.virtualId)?.status !== 'inactive');
        continue;
      }
      const known = members.get(member.connectionId);
      members.set(member.connectionId, { isActive: isActive || known?.isActive === true });
    }
  };
  walk(id, true);
  return { members };
}
