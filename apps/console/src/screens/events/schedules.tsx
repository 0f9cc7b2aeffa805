/** Owns what is still to be published: by cron, or once at a time. */
import { CalendarClock, CalendarX } from 'lucide-react';
import { useMemo, useState } from 'react';
import { callTool } from '../../api/call-tool.ts';
import { queryClient } from '../../api/query.ts';
import { useAct } from '../../api/use-act.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { ConfirmDelete } from '../../ui/dialog.tsx';
import { ListScreen } from '../../ui/list-screen.tsx';
import type { Filter } from '../../ui/list-screen.tsx';
import { isAmong, rowOptions } from '../../ui/row-options.ts';
import { useSection } from '../../ui/sections.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useKeys } from '../../ui/use-keys.ts';
import type { ScreenState } from '../../ui/use-screen.ts';
import { useCronText } from '../../ui/cron-text.ts';
import { When } from '../../ui/when.tsx';
import { useNames } from './names.tsx';
import { PublishDialog } from './publish-dialog.tsx';
import type { Schedule } from './queries.ts';
import { useSchedules } from './queries.ts';

const keyOf = ({ id }: Schedule) => id;

/** The part of the screen. */
export function Schedules({ screen: whole }: { readonly screen: ScreenState }) {
  const screen = useSection(whole, 'schedules');
  const query = useSchedules();
  const nameOf = useNames();
  const [isPublishing, setPublishing] = useState(false);
  const [asked, setAsked] = useState<readonly Schedule[]>([]);
  useKeys({ c: () => setPublishing(true) });
  const cancel = useAct(
    async (gone: readonly Schedule[]) => {
      for (const { id } of gone) await callTool('self', 'EVENT_CANCEL', { eventId: id });
      await queryClient.invalidateQueries({ queryKey: ['schedules'] });
    },
    { onDone: () => setAsked([]) },
  );
  const text = (screen.search['q'] ?? '').toLowerCase();
  const { plan, by } = screen.search;
  const rows = useMemo(
    () =>
      (query.data ?? []).filter(
        ({ type, cron, publisher }) =>
          type.toLowerCase().includes(text) &&
          isAmong(plan, [cron === undefined ? 'once' : 'cron']) &&
          isAmong(by, [publisher]),
      ),
    [query.data, text, plan, by],
  );
  const filters = useMemo(() => filtersOf(query.data ?? [], nameOf), [query.data, nameOf]);
  const cronText = useCronText();
  const columns = useMemo(() => columnsOf(nameOf, cronText), [nameOf, cronText]);
  const button = (
    <Button size="s" kind="primary" icon={<CalendarClock />} onClick={() => setPublishing(true)}>
      Schedule an event
    </Button>
  );
  const bulk = (chosen: readonly Schedule[], clear: () => void) => (
    <Button
      size="s"
      icon={<CalendarX />}
      onClick={() => {
        setAsked(chosen);
        clear();
      }}
    >
      Cancel
    </Button>
  );
  return (
    <>
      <ListScreen
        title="Schedules"
        viewsOf="event-schedules"
        screen={screen}
        query={query}
        rows={rows}
        columns={columns}
        keyOf={keyOf}
        canOpen={false}
        filters={filters}
        defaultSort="next"
        actions={button}
        bulk={bulk}
        empty={
          <EmptyState icon={<CalendarClock />} title="Nothing is planned" action={button}>
            An event can be published at a time, or again and again by cron; what is still to come stands
            here.
          </EmptyState>
        }
      />
      <PublishDialog isOpen={isPublishing} onClose={() => setPublishing(false)} />
      <ConfirmDelete
        isOpen={asked.length > 0}
        onClose={() => setAsked([])}
        onConfirm={() => cancel.run(asked)}
        isBusy={cancel.isBusy}
        confirmText="Cancel them"
        title={asked.length === 1 ? 'Cancel this schedule?' : `Cancel ${asked.length} schedules?`}
        gone={asked.slice(0, 8).map(({ id, type, cron }) => (
          <span key={id}>
            <code>{type}</code> {cron === undefined ? 'once' : (cronText(cron) ?? cron)}: nothing more is
            published.
          </span>
        ))}
      />
    </>
  );
}

function filtersOf(all: readonly Schedule[], nameOf: (id: string) => string): readonly Filter[] {
  return [
    {
      id: 'plan',
      label: 'When',
      options: [
        { value: 'once', label: 'Once' },
        { value: 'cron', label: 'Again and again' },
      ],
    },
    {
      id: 'by',
      label: 'Published by',
      options: rowOptions(
        all.map(({ publisher }) => publisher),
        nameOf,
      ),
    },
  ];
}

function columnsOf(
  nameOf: (id: string) => string,
  cronText: ReturnType<typeof useCronText>,
): readonly Column<Schedule>[] {
  return [
    {
      id: 'type',
      header: 'Type',
      cell: ({ type }) => <span className="mono truncate">{type}</span>,
      sortValue: ({ type }) => type,
    },
    {
      id: 'plan',
      header: 'When',
      cell: ({ cron, timezone }) =>
        cron === undefined ? (
          <Badge>once</Badge>
        ) : (
          <span className="row">
            <span className="truncate" title={cron}>
              {cronText(cron) ?? cron}
            </span>
            <span className="small muted truncate">{timezone}</span>
          </span>
        ),
    },
    {
      id: 'subject',
      header: 'Subject',
      isWideOnly: true,
      cell: ({ subject }) => <span className="truncate muted">{subject ?? ''}</span>,
    },
    {
      id: 'publisher',
      header: 'Published by',
      isWideOnly: true,
      cell: ({ publisher }) => <span className="truncate">{nameOf(publisher)}</span>,
    },
    {
      id: 'next',
      header: 'Next',
      width: '120px',
      align: 'end',
      cell: ({ next }) => <When at={next} />,
      sortValue: ({ next }) => next,
    },
  ];
}
