/** Owns the keys: whose each is, what it may, when it was used last; making and revoking them. */
import { Ban, KeyRound, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { request } from '../../../api/request.ts';
import { makeOld } from '../../../api/make-old.ts';
import { useAct } from '../../../api/use-act.ts';
import { Button } from '../../../ui/button.tsx';
import type { Column } from '../../../ui/data-table.tsx';
import { ConfirmDelete } from '../../../ui/dialog.tsx';
import { ListScreen } from '../../../ui/list-screen.tsx';
import { useSection } from '../../../ui/sections.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast-store.ts';
import { useKeys } from '../../../ui/use-keys.ts';
import { useOpened } from '../../../ui/use-opened.ts';
import type { ScreenState } from '../../../ui/use-screen.ts';
import { When } from '../../../ui/when.tsx';
import { TrustedName } from '../../../ui/trusted-name.tsx';
import { grantsText } from '../grants/grants.ts';
import { useTitles } from '../grants/titles.ts';
import type { Key } from '../../../api/schema.ts';
import { MOST_KEYS, useKeysOfOrganization, useOrganizationId, useReadKey } from '../queries.ts';
import { KeyBadge } from './key-badge.tsx';
import { KeyDetail } from './key-detail.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';

const keyOf = ({ id }: Key) => id;
const NO_KEYS: readonly Key[] = [];

/** The part of the screen. */
export function Keys({ screen: whole }: { readonly screen: ScreenState }) {
  const screen = useSection(whole, 'keys');
  const { q, state = 'active', whose } = screen.search;
  const query = useKeysOfOrganization(q);
  const orgId = useOrganizationId();
  const titleOf = useTitles();
  const [isMaking, setMaking] = useState(false);
  const [asked, setAsked] = useState<readonly Key[]>([]);
  useKeys({ c: () => setMaking(true) });
  const revoke = useAct(
    async (gone: readonly Key[]) => {
      for (const { id } of gone)
        await request('DELETE /api/organizations/{orgId}/keys/{keyId}', { path: { orgId, keyId: id } });
      return gone.length;
    },
    {
      onDone: (count) => {
        setAsked([]);
        makeOld('keys');
        toast({ text: count === 1 ? 'The key is revoked.' : `${count} keys are revoked.` });
      },
    },
  );
  const rows = useMemo(
    () =>
      (query.data ?? []).filter(
        (key) =>
          (state === 'any' || key.state === state) &&
          (whose === undefined || key.isMine === (whose === 'mine')),
      ),
    [query.data, state, whose],
  );
  const columns = useMemo(() => columnsOf(titleOf, screen.id !== undefined), [titleOf, screen.id]);
  const opened = useOpened({
    id: screen.id,
    rows: query.data ?? NO_KEYS,
    keyOf,
    list: query,
    queryKey: ['keys'],
    read: useReadKey(),
  });
  const button = (
    <Button size="s" kind="primary" icon={<Plus />} onClick={() => setMaking(true)}>
      New key
    </Button>
  );
  const bulk = (chosen: readonly Key[], clear: () => void) => (
    <Button
      size="s"
      icon={<Ban />}
      onClick={() => {
        setAsked(chosen.filter((key) => key.state !== 'revoked'));
        clear();
      }}
    >
      Revoke
    </Button>
  );
  return (
    <>
      <ListScreen
        title="Keys"
        viewsOf="keys"
        screen={screen}
        query={query}
        rows={rows}
        columns={columns}
        keyOf={keyOf}
        defaultSort="-used"
        filterPlaceholder="Name or owner"
        filters={[
          {
            id: 'state',
            label: 'State',
            options: [
              { value: 'active', label: 'Active' },
              { value: 'expired', label: 'Expired' },
              { value: 'revoked', label: 'Revoked' },
              { value: 'any', label: 'Any' },
            ],
          },
          {
            id: 'whose',
            label: 'Whose',
            options: [
              { value: 'mine', label: 'Mine' },
              { value: 'others', label: 'Of others' },
            ],
          },
        ]}
        actions={button}
        notice={
          (query.data?.length ?? 0) >= MOST_KEYS && (
            <p className="small muted organization-note">
              These are the {MOST_KEYS.toLocaleString('en')} newest; type a part of a name to find others.
            </p>
          )
        }
        rowKeys={{ d: (key) => key.state !== 'revoked' && setAsked([key]) }}
        bulk={bulk}
        empty={
          <EmptyState icon={<KeyRound />} title="No active keys" action={button}>
            A key lets a client or a program call tools in your name, with what you give it and never more
            than you may.
          </EmptyState>
        }
        detail={
          screen.id !== undefined && (
            <KeyDetail
              key={screen.id}
              keyInfo={opened.row}
              query={opened.query}
              onClose={() => screen.open(undefined)}
              onRevoke={(key) => setAsked([key])}
            />
          )
        }
      />
      {isMaking && <NewKeyDialog onClose={() => setMaking(false)} />}
      <ConfirmDelete
        isOpen={asked.length > 0}
        onClose={() => setAsked([])}
        onConfirm={() => revoke.run(asked)}
        isBusy={revoke.isBusy}
        confirmText="Revoke"
        title={
          asked.length === 1 ? `Revoke the key “${asked[0]?.name ?? ''}”?` : `Revoke ${asked.length} keys?`
        }
        gone={asked.slice(0, 8).map((key) => (
          <span key={key.id}>
            {key.name}: whatever uses it is refused from its next request on
            {key.lastUsedAt !== null && (
              <>
                , last used <When at={key.lastUsedAt} />
              </>
            )}
          </span>
        ))}
      />
    </>
  );
}

function columnsOf(titleOf: (resource: string) => string, isNarrow: boolean): readonly Column<Key>[] {
  const all: Column<Key>[] = [
    {
      id: 'name',
      header: 'Name',
      width: isNarrow ? 'minmax(0, 1fr)' : 'minmax(140px, 1.4fr)',
      cell: (key) => <TrustedName name={key.name} />,
      sortValue: (key) => key.name,
    },
    {
      id: 'owner',
      header: 'Belongs to',
      cell: (key) => <TrustedName name={key.owner.name} isGone="left" />,
      sortValue: (key) => key.owner.name ?? '',
    },
    {
      id: 'start',
      header: 'Begins with',
      width: '176px',
      isWideOnly: true,
      cell: (key) => <code className="truncate">{key.start}</code>,
    },
    {
      id: 'may',
      header: 'May use',
      width: 'minmax(100px, 1.4fr)',
      isWideOnly: true,
      cell: (key) => (
        <span className="truncate muted" title={grantsText(key.permissions, titleOf)}>
          {grantsText(key.permissions, titleOf)}
        </span>
      ),
    },
    {
      id: 'state',
      header: 'State',
      width: '96px',
      cell: (key) => <KeyBadge state={key.state} />,
      sortValue: (key) => key.state,
    },
    {
      id: 'expires',
      header: 'Ends',
      width: '96px',
      align: 'end',
      isWideOnly: true,
      cell: (key) =>
        key.expiresAt === null ? <span className="faint">never</span> : <When at={key.expiresAt} />,
      sortValue: (key) => key.expiresAt ?? 'z',
    },
    {
      id: 'used',
      header: 'Last used',
      width: '104px',
      align: 'end',
      cell: (key) => <When at={key.lastUsedAt} />,
      sortValue: (key) => key.lastUsedAt ?? '',
    },
  ];
  return isNarrow ? all.filter(({ id }) => ['name', 'state', 'used'].includes(id)) : all;
}
