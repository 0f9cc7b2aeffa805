/** Owns saying whether everything that an agent signed still holds. */
import { request } from '../../api/request.ts';
import type { ChainCheck } from '../../api/schema.ts';
import { Notice } from '../../ui/notice.tsx';

export const checkChain = (id: string) => request('GET /api/agents/{id}/chain', { path: { id } });

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
