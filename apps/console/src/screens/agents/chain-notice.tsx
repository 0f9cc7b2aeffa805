/** Owns saying whether everything that an agent signed still holds. */
import { get } from '../../api/client.ts';
import { Notice } from '../../ui/notice.tsx';
import { pathOf } from './queries.ts';

/** How a check of the chain came out. */
export interface ChainCheck {
  readonly chain_ok: boolean;
  readonly entries: number | null;
  readonly broken_at: number | null;
  readonly level: string;
  readonly days: number;
  readonly attestations: readonly {
    readonly hash: string;
    readonly computed_at: string;
    readonly overall: number;
    readonly valid: boolean;
  }[];
}

export const checkChain = (id: string) => get<ChainCheck>(`${pathOf(id)}/chain`);

export function ChainNotice({ check }: { readonly check: ChainCheck }) {
  if (!check.chain_ok)
    return (
      <Notice tone="red">
        The chain is broken at entry {check.broken_at}: something was changed in the database besides the
        agent. What it attested counts for nothing until then.
      </Notice>
    );
  return (
    <Notice tone="green">
      The chain holds: {check.entries} {check.entries === 1 ? 'entry' : 'entries'}, each hash, link and
      signature computed again.
    </Notice>
  );
}
