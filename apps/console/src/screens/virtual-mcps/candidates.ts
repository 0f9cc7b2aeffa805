/** Owns what can be a member of a virtual MCP: connections, and other virtual MCPs. */
import { useMemo } from 'react';
import type { Choice } from '../../ui/name-chooser.tsx';
import { useConnectionChoices } from '../connections/queries.ts';
import { useVirtualChoices } from './queries.ts';

export interface Candidate {
  readonly id: string;
  readonly title: string;
  /** The title, with the id where two have the same. */
  readonly label: string;
  readonly about: string;
  readonly tokens: number | undefined;
}

export function useMemberCandidates(): { readonly all: readonly Candidate[]; readonly isPending: boolean } {
  const connections = useConnectionChoices();
  const virtual = useVirtualChoices();
  const all = useMemo(() => {
    const found = [
      ...(connections.data ?? []).map(({ id, title, tools, tokens, isSelf }) => ({
        id,
        title,
        about: isSelf ? 'the management tools of this server' : toolsText(tools),
        tokens: isSelf ? undefined : tokens,
      })),
      ...(virtual.data ?? []).map(({ id, title, tools }) => ({
        id,
        title,
        about: `a virtual MCP of ${toolsText(tools)}`,
        tokens: undefined,
      })),
    ];
    const titles = Map.groupBy(found, ({ title }) => title);
    return found.map((each) => {
      const isAlone = titles.get(each.title)?.length === 1;
      return { ...each, label: isAlone ? each.title : `${each.title} (${each.id})` };
    });
  }, [connections.data, virtual.data]);
  return { all, isPending: connections.isPending || virtual.isPending };
}

function toolsText(count: number): string {
  return count === 1 ? 'one tool' : `${count.toLocaleString('en')} tools`;
}

export function memberChoices(all: readonly Candidate[]): Choice[] {
  return all.map(({ label, about, tokens }) => ({
    name: label,
    description: about,
    ...(tokens !== undefined && { tokens }),
  }));
}
