/** Owns the tools of a connection: which wait and why, choosing many at once, approving, and giving them to a virtual MCP. */
import { Boxes, CircleCheck, ShieldAlert } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { Badge, EffectBadge, StateBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { NameChooser } from '../../ui/name-chooser.tsx';
import type { Choice } from '../../ui/name-chooser.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Select } from '../../ui/select.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast-store.ts';
import { effectOf, tokensOf } from './effect-of.ts';
import { ExposeDialog } from './expose-dialog.tsx';
import { approveDefinitions, readAgain, useDefinitions } from './queries.ts';
import { REASONS, ToolDialog } from './tool-dialog.tsx';
import type { ConnectionGlance, Definitions } from '../../api/schema.ts';
import type { Definition } from './types.ts';

type Shown = 'all' | 'held' | 'changed' | 'approved' | 'removed';

const STATES: readonly { readonly value: Shown; readonly label: string }[] = [
  { value: 'all', label: 'All states' },
  { value: 'held', label: 'Held' },
  { value: 'changed', label: 'New or changed' },
  { value: 'approved', label: 'Approved' },
  { value: 'removed', label: 'Removed' },
];

export interface ToolsTabProps {
  readonly glance: ConnectionGlance;
  readonly isAdministrator: boolean;
  readonly has: (tool: string) => boolean;
}

export function ToolsTab(props: ToolsTabProps) {
  const query = useDefinitions(props.glance.id);
  if (query.isPending) return <Skeleton rows={10} />;
  if (query.error) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  return <Tools {...props} {...query.data} />;
}

function Tools({ glance, isAdministrator, has, definitions, leftOut }: ToolsTabProps & Definitions) {
  const [shown, setShown] = useState<Shown>('all');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [openTool, setOpenTool] = useState<string>();
  const [isExposing, setExposing] = useState(false);
  // Skills are pinned beside the tools, under their addresses.
  const tools = useMemo(
    () => definitions.filter(({ definition }) => definition.inputSchema !== undefined),
    [definitions],
  );
  const byName = useMemo(() => new Map(definitions.map((each) => [each.tool, each])), [definitions]);
  // What waits stands first.
  const meant = useMemo(
    () =>
      tools
        .filter((each) => isShown(each, shown))
        .toSorted((a, b) => Number(isWaiting(b)) - Number(isWaiting(a))),
    [tools, shown],
  );
  const choices = useMemo(() => meant.map(choiceOf), [meant]);
  const waiting = [...chosen].flatMap((name) => {
    const found = byName.get(name);
    return found && isWaiting(found) ? [found] : [];
  });
  const here = [...chosen].filter((name) => byName.get(name)?.state !== 'removed');
  const approve = useAct(
    (some: readonly Definition[]) =>
      approveDefinitions(
        glance.id,
        some.map(({ tool, hash }) => ({ tool, hash })),
      ).then(async (done) => {
        await readAgain();
        return done;
      }),
    {
      onDone: ({ approved }) => {
        setChosen(new Set());
        setShown('all');
        setOpenTool(undefined);
        toast({
          text: `${approved} ${approved === 1 ? 'definition is' : 'definitions are'} approved.`,
          tone: 'green',
        });
      },
    },
  );
  const held = tools.filter(({ state }) => state === 'held');
  const opened = openTool === undefined ? undefined : byName.get(openTool);
  if (tools.length === 0)
    return (
      <EmptyState title="No tools are known">
        {glance.reason === null
          ? 'Its server has none, or was never read.'
          : `Its server could not be read: ${glance.reason}`}
      </EmptyState>
    );
  return (
    <div className="stack">
      {held.length > 0 && (
        <Notice
          tone="amber"
          actions={
            <>
              <Button
                size="s"
                icon={<ShieldAlert />}
                onClick={() => {
                  setShown('held');
                  setChosen(new Set(held.map(({ tool }) => tool)));
                }}
              >
                Choose {held.length === 1 ? 'it' : 'them'}
              </Button>
              <Button size="s" onClick={() => setOpenTool(held[0]?.tool)}>
                See what is different
              </Button>
            </>
          }
        >
          <span className="strong">Quarantine:</span>{' '}
          {held.length === 1
            ? 'one tool is in no list and not callable, since nobody has agreed to it as it is now.'
            : `${held.length} tools are in no list and not callable, since nobody has agreed to them as they are now.`}
        </Notice>
      )}
      <NameChooser
        label="Tools"
        choices={choices}
        chosen={chosen}
        onChange={setChosen}
        onOpen={setOpenTool}
        filters={<Select value={shown} onChange={setShown} options={STATES} label="State" />}
        actions={
          chosen.size > 0 && (
            <span className="row-wrap">
              {isAdministrator && waiting.length > 0 && (
                <Button
                  size="s"
                  kind="primary"
                  icon={<CircleCheck />}
                  isBusy={approve.isBusy}
                  onClick={() => approve.run(waiting)}
                >
                  Approve {waiting.length}
                </Button>
              )}
              {has('COLLECTION_VIRTUAL_MCP_UPDATE') && here.length > 0 && (
                <Button size="s" icon={<Boxes />} onClick={() => setExposing(true)}>
                  Give to a virtual MCP
                </Button>
              )}
              <CopyButton text={() => `${glance.id}:${here.join(',')}`}>Copy as a grant</CopyButton>
            </span>
          )
        }
      />
      {leftOut.length > 0 && <LeftOut leftOut={leftOut} />}
      {opened && (
        <ToolDialog
          definition={opened}
          canApprove={isAdministrator && isWaiting(opened)}
          isBusy={approve.isBusy}
          onApprove={() => approve.run([opened])}
          onClose={() => setOpenTool(undefined)}
        />
      )}
      {isExposing && (
        <ExposeDialog
          glance={glance}
          tools={here}
          onClose={() => setExposing(false)}
          onDone={() => setChosen(new Set())}
        />
      )}
    </div>
  );
}

function isWaiting({ state }: Definition): boolean {
  return state === 'held' || state === 'new' || state === 'changed';
}

function isShown(definition: Definition, shown: Shown): boolean {
  if (shown === 'all') return definition.state !== 'removed';
  if (shown === 'changed') return isWaiting(definition);
  return definition.state === shown;
}

function choiceOf({ tool, state, reason, definition }: Definition): Choice {
  return {
    name: tool,
    description: definition.title ?? definition.description ?? '',
    tokens: tokensOf(definition),
    marks: (
      <>
        {state !== 'approved' && <StateBadge state={state} />}
        {reason !== null && <Badge tone="amber">{REASONS[reason]}</Badge>}
        <span className="connections-wide">
          <EffectBadge effect={effectOf(definition.annotations)} />
        </span>
      </>
    ),
  };
}

function LeftOut({ leftOut }: Pick<Definitions, 'leftOut'>) {
  return (
    <Card title="Left out" description="What its server has and nobody is shown, with the reason.">
      <ul className="stack">
        {leftOut.slice(0, 100).map((each, index) => (
          <li key={index}>
            <span className="mono">{each.name ?? each.kind}</span>{' '}
            <span className="muted">{each.reason}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
