/** Owns the screen of connections to other servers: all of them with their health, and one that is open. */
import { Activity, Cable, Plus, RefreshCw, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useHeldTools } from '../../api/held-tools.ts';
import { useAct } from '../../api/use-act.ts';
import { useMore } from '../../api/use-more.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDelete } from '../../ui/dialog.tsx';
import { eachOf } from '../../ui/each-of.ts';
import { ListScreen } from '../../ui/list-screen.tsx';
import type { Filter } from '../../ui/list-screen.tsx';
import { Progress } from '../../ui/progress.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { toast } from '../../ui/toast-store.ts';
import { useKeys } from '../../ui/use-keys.ts';
import { useOpened } from '../../ui/use-opened.ts';
import { useScreen } from '../../ui/use-screen.ts';
import { AddDialog } from './add-dialog.tsx';
import { columnsWith, narrowColumns } from './columns.tsx';
import './connections.css';
import { ConnectionDetail } from './detail.tsx';
import {
  deleteConnection,
  readAgain,
  readSoon,
  refreshConnection,
  SELF,
  updateConnection,
  useConnections,
  readGlance,
} from './queries.ts';
import type { ConnectionGlance } from '../../api/schema.ts';
import { useTests } from './use-tests.ts';

const FILTERS: readonly Filter[] = [
  {
    id: 'health',
    label: 'Health',
    options: [
      { value: 'attention', label: 'Needs attention' },
      { value: 'active', label: 'Healthy' },
      { value: 'degraded', label: 'Degraded' },
      { value: 'error', label: 'Error' },
      { value: 'needs_reauth', label: 'Needs sign-in' },
      { value: 'inactive', label: 'Off' },
    ],
  },
  {
    id: 'type',
    label: 'Type',
    options: [
      { value: 'HTTP', label: 'HTTP' },
      { value: 'SSE', label: 'SSE' },
      { value: 'STDIO', label: 'Program' },
      { value: 'OPENAPI', label: 'OpenAPI' },
    ],
  },
  {
    id: 'waits',
    label: 'Waits for',
    options: [
      { value: 'approval', label: 'Approval of tools' },
      { value: 'me', label: 'My credentials' },
    ],
  },
];

const keyOf = (row: ConnectionGlance) => row.id;

/** The screen. */
export function Screen() {
  const screen = useScreen();
  const query = useConnections(screen.search);
  const more = useMore(query);
  const has = useHeldTools(SELF);
  const tests = useTests();
  const [isAdding, setAdding] = useState(false);
  const rows = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data]);
  const isOpen = screen.id !== undefined;
  const { hasNextPage } = query;
  const columns = useMemo(() => {
    const shown = isOpen ? narrowColumns(tests.states) : columnsWith(tests.states);
    // The order of a part says nothing about the rest.
    return hasNextPage ? shown.map(({ sortValue: _whole, ...column }) => column) : shown;
  }, [isOpen, tests.states, hasNextPage]);
  const opened = useOpened({
    id: screen.id,
    rows,
    keyOf,
    list: query,
    queryKey: ['connections', 'glance'],
    read: readGlance,
  });
  const canAdd = has('COLLECTION_CONNECTIONS_CREATE');
  const canTest = has('CONNECTION_TEST');
  useKeys(canAdd ? { n: () => setAdding(true) } : {});
  const bulk = (chosen: readonly ConnectionGlance[], clear: () => void) => (
    <BulkActs chosen={chosen} onDone={clear} has={has} onTest={() => tests.run(chosen.map(keyOf))} />
  );
  const testable = rows.filter(({ status }) => status !== 'inactive').map(keyOf);
  return (
    <>
      <ListScreen
        title="Connections"
        viewsOf="connections"
        screen={screen}
        query={query}
        rows={rows}
        columns={columns}
        keyOf={keyOf}
        defaultSort="title"
        filters={FILTERS}
        filterPlaceholder="Filter by name, address or error"
        notice={
          tests.isRunning && (
            <div className="connections-testing small muted" role="status">
              Testing {tests.done} of {tests.total}
              <Progress done={tests.done} total={tests.total} label="Tests" />
            </div>
          )
        }
        actions={
          <>
            {canTest && rows.length > 0 && (
              <Button icon={<Activity />} isBusy={tests.isRunning} onClick={() => tests.run(testable)}>
                {hasNextPage ? `Test ${testable.length}` : 'Test all'}
              </Button>
            )}
            {canAdd && (
              <Button kind="primary" icon={<Plus />} onClick={() => setAdding(true)}>
                Add
              </Button>
            )}
          </>
        }
        bulk={bulk}
        onEnd={more}
        isLoadingMore={query.isFetchingNextPage}
        empty={
          <EmptyState
            icon={<Cable />}
            title="No connections yet"
            action={
              canAdd && (
                <Button kind="primary" icon={<Plus />} onClick={() => setAdding(true)}>
                  Add a connection
                </Button>
              )
            }
          >
            A connection is an MCP server, a program or an API elsewhere. Add one by its address, or paste the
            JSON of the client that knows it already.
          </EmptyState>
        }
        detail={
          screen.id !== undefined && (
            <ConnectionDetail
              key={screen.id}
              glance={opened.row}
              list={opened.query}
              screen={screen}
              has={has}
              tests={tests}
            />
          )
        }
      />
      <AddDialog isOpen={isAdding} onClose={() => setAdding(false)} onAdded={(id) => screen.open(id)} />
    </>
  );
}

interface BulkActsProps {
  readonly chosen: readonly ConnectionGlance[];
  readonly onDone: () => void;
  readonly onTest: () => void;
  readonly has: (tool: string) => boolean;
}

function BulkActs({ chosen, onDone, onTest, has }: BulkActsProps) {
  const [isAsking, setAsking] = useState(false);
  const own = chosen.filter(({ isSelf }) => !isSelf);
  const refresh = useAct(() => eachOf(own, ({ id }) => refreshConnection(id)), { onDone: readSoon });
  const turn = useAct(
    async (status: 'active' | 'inactive') => {
      const changed = own.filter((row) => (row.status === 'inactive') === (status === 'active'));
      await eachOf(changed, ({ id }) => updateConnection(id, { status }));
      return { status, changed };
    },
    {
      onDone: ({ status, changed }) => {
        const back = status === 'active' ? 'inactive' : 'active';
        toast({
          text: `${changed.length} switched ${status === 'active' ? 'on' : 'off'}.`,
          onUndo: () => eachOf(changed, ({ id }) => updateConnection(id, { status: back })).then(readAgain),
        });
        onDone();
      },
    },
  );
  const remove = useAct(() => eachOf(own, ({ id }) => deleteConnection(id)).then(readAgain), {
    onDone: () => {
      setAsking(false);
      onDone();
    },
  });
  return (
    <>
      {has('CONNECTION_TEST') && (
        <Button size="s" icon={<Activity />} onClick={onTest}>
          Test
        </Button>
      )}
      {has('COLLECTION_CONNECTIONS_UPDATE') && (
        <>
          <Button size="s" icon={<RefreshCw />} isBusy={refresh.isBusy} onClick={() => refresh.run()}>
            Read again
          </Button>
          <Button size="s" isBusy={turn.isBusy} onClick={() => turn.run('inactive')}>
            Switch off
          </Button>
          <Button size="s" isBusy={turn.isBusy} onClick={() => turn.run('active')}>
            Switch on
          </Button>
        </>
      )}
      {has('COLLECTION_CONNECTIONS_DELETE') && own.length > 0 && (
        <Button size="s" kind="danger" icon={<Trash2 />} onClick={() => setAsking(true)}>
          Delete
        </Button>
      )}
      <ConfirmDelete
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => remove.run()}
        isBusy={remove.isBusy}
        title={own.length === 1 ? 'Delete the connection?' : `Delete ${own.length} connections?`}
        gone={own
          .slice(0, 20)
          .map((row) => `“${row.title}” with ${row.tools} tools, credentials and approvals`)}
      />
    </>
  );
}
