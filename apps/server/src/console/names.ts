/** The names of members, keys and agents by their ids, for screens that show who did something. */
import type { Host } from '../start/host.ts';

/** The names of these ids; one that nobody has any more stands for itself. */
export async function namesOfCallers(
  { identity }: Pick<Host, 'identity'>,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const id of new Set(ids)) {
    const found =
      (await identity.getMember(organizationId, id)) ?? (await identity.callerNamed(organizationId, id));
    names.set(id, found?.name ?? id);
  }
  return names;
}
