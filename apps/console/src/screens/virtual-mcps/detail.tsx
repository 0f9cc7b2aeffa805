/** Owns one virtual MCP beside the list, and its tabs. */
import { MoreHorizontal, Power, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { IconButton } from '../../ui/button.tsx';
import { ShortId } from '../../ui/copy-button.tsx';
import { DetailPane } from '../../ui/detail-pane.tsx';
import { ConfirmDelete } from '../../ui/dialog.tsx';
import type { ListQuery } from '../../ui/list-screen.tsx';
import { Menu } from '../../ui/menu.tsx';
import type { MenuEntry } from '../../ui/menu.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { toast } from '../../ui/toast-store.ts';
import type { ScreenState } from '../../ui/use-screen.ts';
import { When } from '../../ui/when.tsx';
import { ClientTab } from './client-tab.tsx';
import { CodeTab } from './code-tab.tsx';
import { MembersTab } from './members-tab.tsx';
import { NamesTab } from './names-tab.tsx';
import { deleteVirtualMcp, readAgain, updateVirtualMcp, useDescribed, useVirtualMcp } from './queries.ts';
import { SettingsTab } from './settings-tab.tsx';
import type { DescribedVirtualMcp, VirtualMcpGlance } from '../../api/schema.ts';
import type { VirtualMcp } from './types.ts';

export interface VirtualDetailProps {
  readonly glance: VirtualMcpGlance | undefined;
  readonly list: ListQuery;
  readonly screen: ScreenState;
  readonly has: (tool: string) => boolean;
}

export function VirtualDetail({ glance, list, screen, has }: VirtualDetailProps) {
  const close = () => screen.open(undefined);
  if (glance === undefined)
    return (
      <DetailPane title="Virtual MCP" onClose={close} query={list}>
        <EmptyState title="There is no such virtual MCP">
          It was deleted, or it belongs to another organization.
        </EmptyState>
      </DetailPane>
    );
  return <Loading glance={glance} screen={screen} has={has} />;
}

function Loading({
  glance,
  screen,
  has,
}: { readonly glance: VirtualMcpGlance } & Pick<VirtualDetailProps, 'screen' | 'has'>) {
  const item = useVirtualMcp(glance.id);
  const described = useDescribed(glance.id);
  const query = {
    isPending: item.isPending || described.isPending,
    error: item.error ?? described.error,
    data: item.data && described.data,
    refetch: async () => Promise.all([item.refetch(), described.refetch()]),
  };
  const virtual = item.data?.item ?? undefined;
  return (
    <DetailPane
      title={glance.title}
      size="l"
      onClose={() => screen.open(undefined)}
      query={query}
      about={
        <>
          <StateBadge state={glance.status === 'inactive' ? 'off' : 'active'} />
          <ShortId id={glance.id} />
          <span>
            changed <When at={glance.updatedAt} />
          </span>
        </>
      }
      actions={<Acts glance={glance} has={has} onGone={() => screen.open(undefined)} />}
    >
      {virtual && described.data && (
        <Parts virtual={virtual} described={described.data} screen={screen} has={has} />
      )}
    </DetailPane>
  );
}

/** What every tab gets. */
export interface PartProps {
  readonly virtual: VirtualMcp;
  readonly described: DescribedVirtualMcp;
  readonly has: (tool: string) => boolean;
}

function Parts({ screen, ...props }: PartProps & Pick<VirtualDetailProps, 'screen'>) {
  const { virtual, described, has } = props;
  const tabs = [
    {
      id: 'members',
      label: 'Members',
      count: virtual.connections.length,
      content: <MembersTab {...props} />,
    },
    { id: 'names', label: 'Names', count: described.shown.length, content: <NamesTab {...props} /> },
    ...(has('COLLECTION_VIRTUAL_TOOLS_LIST')
      ? [{ id: 'code', label: 'Tools in code', content: <CodeTab {...props} screen={screen} /> }]
      : []),
    { id: 'client', label: 'Connect a client', content: <ClientTab {...props} /> },
    ...(has('COLLECTION_VIRTUAL_MCP_UPDATE')
      ? [{ id: 'settings', label: 'Settings', content: <SettingsTab virtual={virtual} /> }]
      : []),
  ];
  const tab = tabs.some(({ id }) => id === screen.tab) ? (screen.tab ?? 'members') : 'members';
  return (
    <Tabs
      value={tab}
      onChange={(next) => screen.open(virtual.id, next === 'members' ? undefined : next)}
      tabs={tabs}
      label="Parts of the virtual MCP"
    />
  );
}

function Acts({
  glance,
  has,
  onGone,
}: {
  readonly glance: VirtualMcpGlance;
  readonly has: (tool: string) => boolean;
  readonly onGone: () => void;
}) {
  const { id, title, status } = glance;
  const [isAsking, setAsking] = useState(false);
  const turn = useAct(
    (next: 'active' | 'inactive') =>
      updateVirtualMcp(id, { status: next })
        .then(readAgain)
        .then(() => next),
    {
      onDone: (next) => {
        const back = next === 'active' ? 'inactive' : 'active';
        toast({
          text: `“${title}” is switched ${next === 'active' ? 'on' : 'off'}.`,
          onUndo: () => updateVirtualMcp(id, { status: back }).then(readAgain),
        });
      },
    },
  );
  const remove = useAct(() => deleteVirtualMcp(id).then(readAgain), {
    onDone: () => {
      setAsking(false);
      onGone();
      toast({ text: `“${title}” is deleted.` });
    },
  });
  const entries: MenuEntry[] = [
    ...(has('COLLECTION_VIRTUAL_MCP_UPDATE')
      ? [
          {
            label: status === 'inactive' ? 'Switch on' : 'Switch off',
            icon: <Power />,
            onSelect: () => turn.run(status === 'inactive' ? 'active' : 'inactive'),
          },
        ]
      : []),
    ...(has('COLLECTION_VIRTUAL_MCP_DELETE')
      ? ([
          'separator',
          { label: 'Delete', icon: <Trash2 />, isDanger: true, onSelect: () => setAsking(true) },
        ] as const)
      : []),
  ];
  if (entries.length === 0) return null;
  return (
    <>
      <Menu
        trigger={<IconButton label="More acts" icon={<MoreHorizontal />} isBusy={turn.isBusy} />}
        items={entries}
      />
      <ConfirmDelete
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => remove.run()}
        isBusy={remove.isBusy}
        title={`Delete the virtual MCP “${title}”?`}
        gone={[
          'Its address: clients that use it get nothing any more',
          `${glance.ownTools} ${glance.ownTools === 1 ? 'tool' : 'tools'} in code`,
          'The names, choices and overrides of its members; the connections themselves stay',
        ]}
      />
    </>
  );
}
