/** What callers see differently after connections have changed: new words in a list, not a new version of a row. */
import type { ServedConnection } from '@parley/connections';
import type { Change } from '@parley/kit';

const SEEN = {
  tools: ({ tools }: ServedConnection) =>
    tools.filter(({ state }) => state !== 'held').map(({ definition, hash }) => [hash, definition._meta]),
  resources: ({ resources, templates }: ServedConnection) => [resources, templates],
  prompts: ({ prompts }: ServedConnection) => prompts,
} as const;

const KINDS = ['tools', 'resources', 'prompts'] as const;

/** One change for each kind of list of each connection that is another. */
export function whatChanged(
  organizationId: string,
  before: readonly ServedConnection[],
  after: readonly ServedConnection[],
): Change[] {
  const old = new Map(before.map((connection) => [connection.id, connection]));
  const now = new Map(after.map((connection) => [connection.id, connection]));
  const ids = new Set([...old.keys(), ...now.keys()]);
  return [...ids].flatMap((toolset) => {
    const [left, right] = [old.get(toolset), now.get(toolset)];
    if (left?.version === right?.version) return [];
    return KINDS.filter((kind) => textOf(kind, left) !== textOf(kind, right)).map((kind): Change => ({
      kind,
      organizationId,
      toolset,
    }));
  });
}

/** Having nothing looks like not being there. */
function textOf(kind: (typeof KINDS)[number], connection: ServedConnection | undefined): string {
  const seen = connection === undefined ? [] : SEEN[kind](connection);
  return seen.flat().length === 0 ? '' : JSON.stringify(seen);
}
