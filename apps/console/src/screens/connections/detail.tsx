/** Owns one connection beside the list: what it is, and its tabs. */
import { Activity, MoreHorizontal, Power, RefreshCw, RotateCcw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { useSession } from '../../api/session.ts';
import { useAct } from '../../api/use-act.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ShortId } from '../../ui/copy-button.tsx';
import { DetailPane } from '../../ui/detail-pane.tsx';
import { ConfirmDelete } from '../../ui/dialog.tsx';
import type { ListQuery } from '../../ui/list-screen.tsx';
import { Menu } from '../../ui/menu.tsx';
import type { MenuEntry } from '../../ui/menu.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { toast } from '../../ui/toast-store.ts';
import { useKeys } from '../../ui/use-keys.ts';
import type { ScreenState } from '../../ui/use-screen.ts';
import { CredentialsTab } from './credentials-tab.tsx';
import { HealthBadge, TYPE_WORDS } from './health.tsx';
import { LogTab } from './log-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { deleteConnection, readAgain, refreshConnection, updateConnection } from './queries.ts';
import { SettingsTab } from './settings-tab.tsx';
import { ToolsTab } from './tools-tab.tsx';
import type { ConnectionGlance } from '../../api/schema.ts';
import type { Tests } from './use-tests.ts';

export interface ConnectionDetailProps {
  /** Undefined: it is not there, or not read yet. */
  readonly glance: ConnectionGlance | undefined;
  readonly list: ListQuery;
  readonly screen: ScreenState;
  readonly has: (tool: string) => boolean;
  readonly tests: Tests;
}

/** One connection. */
export function ConnectionDetail({ glance, list, screen, has, tests }: ConnectionDetailProps) {
  const close = () => screen.open(undefined);
  if (glance === undefined)
    return (
      <DetailPane title="Connection" onClose={close} query={list}>
        <EmptyState title="There is no such connection">
          It was deleted, or it belongs to another organization.
        </EmptyState>
      </DetailPane>
    );
  return <Opened glance={glance} screen={screen} has={has} tests={tests} list={list} />;
}

type OpenedProps = Omit<ConnectionDetailProps, 'glance'> & { readonly glance: ConnectionGlance };

function Opened({ glance, screen, has, tests }: OpenedProps) {
  const { isAdministrator } = useSession();
  const canChange = has('COLLECTION_CONNECTIONS_UPDATE') && !glance.isSelf;
  const isOwnServer = glance.type === 'VIRTUAL';
  const tabs = [
    {
      id: 'overview',
      label: 'Overview',
      content: <OverviewTab glance={glance} test={tests.states.get(glance.id)} screen={screen} />,
    },
    ...(isOwnServer
      ? []
      : [
          {
            id: 'tools',
            label: 'Tools',
            count: glance.tools,
            content: <ToolsTab glance={glance} isAdministrator={isAdministrator} has={has} />,
          },
          {
            id: 'credentials',
            label: 'Credentials',
            content: <CredentialsTab glance={glance} isAdministrator={isAdministrator} />,
          },
        ]),
    ...(canChange && !isOwnServer
      ? [
          {
            id: 'settings',
            label: 'Settings',
            content: <SettingsTab id={glance.id} isAdministrator={isAdministrator} />,
          },
        ]
      : []),
    ...(glance.type === 'STDIO' && isAdministrator
      ? [{ id: 'log', label: 'Log', content: <LogTab id={glance.id} /> }]
      : []),
  ];
  const tab = tabs.some(({ id }) => id === screen.tab) ? (screen.tab ?? 'overview') : 'overview';
  return (
    <DetailPane
      title={glance.title}
      size="l"
      onClose={() => screen.open(undefined)}
      about={
        <>
          <HealthBadge {...glance} />
          <span>{TYPE_WORDS[glance.type]}</span>
          <ShortId id={glance.id} />
        </>
      }
      actions={<Acts glance={glance} has={has} tests={tests} onGone={() => screen.open(undefined)} />}
    >
      <Tabs
        value={tab}
        onChange={(next) => screen.open(glance.id, next === 'overview' ? undefined : next)}
        tabs={tabs}
        label="Parts of the connection"
      />
    </DetailPane>
  );
}

interface ActsProps {
  readonly glance: ConnectionGlance;
  readonly has: (tool: string) => boolean;
  readonly tests: Tests;
  readonly onGone: () => void;
}

function Acts({ glance, has, tests, onGone }: ActsProps) {
  const { id, title, status, breaker, isSelf, type } = glance;
  const [isAsking, setAsking] = useState(false);
  const isTesting = tests.states.get(id) === 'running';
  const canChange = has('COLLECTION_CONNECTIONS_UPDATE') && !isSelf;
  const refresh = useAct(() => refreshConnection(id), {
    onDone: ({ tools, held }) => {
      toast({
        text: `“${title}” has ${tools} tools${held === 0 ? '' : `, of which ${held} wait for approval`}.`,
      });
    },
  });
  const turn = useAct(
    (next: 'active' | 'inactive') => updateConnection(id, { status: next }).then(() => next),
    {
      onDone: (next) => {
        toast({
          text: `“${title}” is switched ${next === 'active' ? 'on' : 'off'}.`,
          onUndo: () =>
            updateConnection(id, { status: next === 'active' ? 'inactive' : 'active' }).then(readAgain),
        });
      },
    },
  );
  const reset = useAct(() => request('POST /api/connections/{id}/reset', { path: { id } }).then(readAgain), {
    onDone: () => toast({ text: 'Calls go through again.' }),
  });
  const remove = useAct(() => deleteConnection(id).then(readAgain), {
    onDone: () => {
      setAsking(false);
      onGone();
      toast({ text: `“${title}” is deleted.` });
    },
  });
  const test = () => tests.run([id]);
  const isReadable = canChange && type !== 'VIRTUAL' && status !== 'inactive';
  useKeys({
    ...(has('CONNECTION_TEST') ? { t: test } : {}),
    ...(isReadable ? { r: () => refresh.run() } : {}),
  });
  const entries: MenuEntry[] = [
    ...(isReadable
      ? [{ label: 'Read again', icon: <RefreshCw />, shortcut: 'r', onSelect: () => refresh.run() }]
      : []),
    ...(canChange && breaker !== 'closed'
      ? [{ label: 'Let calls through again', icon: <RotateCcw />, onSelect: () => reset.run() }]
      : []),
    ...(canChange
      ? [
          {
            label: status === 'inactive' ? 'Switch on' : 'Switch off',
            icon: <Power />,
            onSelect: () => turn.run(status === 'inactive' ? 'active' : 'inactive'),
          },
        ]
      : []),
    ...(has('COLLECTION_CONNECTIONS_DELETE') && !isSelf
      ? ([
          'separator',
          { label: 'Delete', icon: <Trash2 />, isDanger: true, onSelect: () => setAsking(true) },
        ] as const)
      : []),
  ];
  return (
    <>
      {has('CONNECTION_TEST') && (
        <Button icon={<Activity />} isBusy={isTesting} onClick={test}>
          Test
        </Button>
      )}
      {entries.length > 0 && (
        <Menu
          trigger={<IconButton label="More acts" icon={<MoreHorizontal />} isBusy={refresh.isBusy} />}
          items={entries}
        />
      )}
      <ConfirmDelete
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => remove.run()}
        isBusy={remove.isBusy}
        title={`Delete the connection “${title}”?`}
        gone={[
          `${glance.tools.toLocaleString('en')} tools, and what was approved of them`,
          'Its token and headers, and the credentials that people brought for it',
          ...glance.usedBy.map((virtual) => `Its place in the virtual MCP “${virtual.title}”`),
          'Its id: grants of keys and roles that name it lead nowhere, and nothing else gets it',
        ]}
      />
    </>
  );
}
