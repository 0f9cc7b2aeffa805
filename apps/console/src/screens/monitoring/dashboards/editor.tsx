/** Owns writing a dashboard: its words, which calls it looks at, and its widgets with a preview each. */
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useAct } from '../../../api/use-act.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Field, Input, TextArea } from '../../../ui/field.tsx';
import { Page } from '../../../ui/page.tsx';
import { useKeys } from '../../../ui/use-keys.ts';
import type { ScreenState } from '../../../ui/use-screen.ts';
import './dashboards.css';
import type { Dashboard, Filters, Widget } from './queries.ts';
import { saveDashboard } from './queries.ts';
import { listText, textList } from './text-list.ts';
import { WidgetEditor } from './widget-editor.tsx';

const MOST_WIDGETS = 50;

function newWidget(): Widget {
  return {
    id: `w${Math.random().toString(36).slice(2, 10)}`,
    name: 'Calls',
    type: 'metric',
    source: { path: '$', from: 'input' },
    aggregation: { fn: 'count' },
  };
}

/** A dashboard as it is written; without one, a new one. */
export function DashboardEditor({
  screen,
  dashboard,
}: {
  readonly screen: ScreenState;
  readonly dashboard: Dashboard | undefined;
}) {
  const [name, setName] = useState(dashboard?.name ?? '');
  const [description, setDescription] = useState(dashboard?.description ?? '');
  const [filters, setFilters] = useState<Filters>(dashboard?.filters ?? {});
  const [widgets, setWidgets] = useState<readonly Widget[]>(dashboard?.widgets ?? [newWidget()]);
  const leave = (id: string | undefined) => {
    screen.setSearch({ edit: undefined });
    screen.open(id);
  };
  const save = useAct(
    () =>
      saveDashboard(dashboard?.id, {
        name: name.trim(),
        description: description.trim() === '' ? null : description.trim(),
        filters,
        widgets,
      }),
    { onDone: ({ id }) => leave(id), isQuiet: true },
  );
  const canSave = name.trim() !== '' && widgets.length > 0;
  useKeys({ 'mod+Enter': () => canSave && save.run() });
  const change = (at: number, widget: Widget) => setWidgets(widgets.with(at, widget));
  const move = (at: number, step: number) => {
    const moved = widgets[at];
    if (!moved || at + step < 0 || at + step >= widgets.length) return;
    setWidgets(widgets.toSpliced(at, 1).toSpliced(at + step, 0, moved));
  };
  return (
    <Page
      size="l"
      title={dashboard === undefined ? 'New dashboard' : `Edit “${dashboard.name}”`}
      actions={
        <>
          <Button onClick={() => leave(dashboard?.id)}>Cancel</Button>
          <Button kind="primary" disabled={!canSave} isBusy={save.isBusy} onClick={() => save.run()}>
            Save
          </Button>
        </>
      }
    >
      {save.error && (
        <p className="monitoring-error" role="alert">
          {save.error.message}
        </p>
      )}
      <Card>
        <div className="dashboard-form">
          <Field label="Name" isRequired>
            <Input value={name} onText={setName} maxLength={255} autoFocus={dashboard === undefined} />
          </Field>
          <Field label="Description">
            <TextArea value={description} onText={setDescription} maxLength={2000} rows={1} />
          </Field>
          <Field
            label="Only these tools"
            hint="Names with commas between; empty: all. A widget may say otherwise."
          >
            <Input
              defaultValue={listText(filters.toolNames)}
              onText={(text) => setFilters({ ...filters, toolNames: textList(text) })}
            />
          </Field>
          <Field label="Only these connections" hint="Ids with commas between; empty: all.">
            <Input
              defaultValue={listText(filters.connectionIds)}
              onText={(text) => setFilters({ ...filters, connectionIds: textList(text) })}
            />
          </Field>
        </div>
      </Card>
      {widgets.map((widget, at) => (
        <WidgetEditor
          key={widget.id}
          widget={widget}
          time={screen.search['time']}
          onChange={(next) => change(at, next)}
          onRemove={widgets.length > 1 ? () => setWidgets(widgets.toSpliced(at, 1)) : undefined}
          onUp={at > 0 ? () => move(at, -1) : undefined}
          onDown={at < widgets.length - 1 ? () => move(at, 1) : undefined}
        />
      ))}
      <div>
        <Button
          icon={<Plus />}
          disabled={widgets.length >= MOST_WIDGETS}
          onClick={() => setWidgets([...widgets, newWidget()])}
        >
          Add a widget
        </Button>
      </div>
    </Page>
  );
}
