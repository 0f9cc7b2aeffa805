/** The names that content is shown under. */

/** An agent's content shows the agent's name and whom it acted for. */
export function shownName(userName: string | null, agentName: string | null): string | null {
  if (agentName === null) return userName;
  return userName === null ? agentName : `${agentName} for ${userName}`;
}
