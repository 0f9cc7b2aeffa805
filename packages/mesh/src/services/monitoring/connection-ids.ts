/** The ids that records show for where a tool came from: the management tools belong to the organization's own connection. */
import { MANAGEMENT } from '../../name.ts';

export function connectionIdOf(organizationId: string, toolset: string): string {
  return toolset === MANAGEMENT ? `${organizationId}_${MANAGEMENT}` : toolset;
}

/** The toolset that a connection id stands for. */
export function toolsetOf(organizationId: string, connectionId: string): string {
  return connectionId === `${organizationId}_${MANAGEMENT}` ? MANAGEMENT : connectionId;
}
