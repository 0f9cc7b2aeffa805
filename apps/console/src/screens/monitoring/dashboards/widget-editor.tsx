/** Owns writing one widget: what it takes from calls, what it makes of it, and how that looks now. */
import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { IconButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import type { Option } from '../../../ui/select.tsx';
import { Select } from '../../../ui/select.tsx';
import { Skeleton } from '../../../ui/states.tsx';
import { WidgetFigure } from './figure.tsx';
import type { Fn, Widget } from './queries.ts';
import { usePreview } from './queries.ts';
import { listText, textList } from './text-list.ts';

const TYPES: readonly Option<Widget['type']>[] = [
  { value: 'metric', label: 'One figure' },
  { value: 'timeseries', label: 'A chart over the time' },
  { value: 'table', label: 'A table of groups' },
];
const FNS: readonly Option<Fn>[] = [
  { value: 'count', label: 'How many' },
  { value: 'sum', label: 'Sum' },
  { value: 'avg', label: 'Mean' },
  { value: 'min', label: 'Least' },
  { value: 'max', label: 'Most' },
  { value: 'last', label: 'The newest' },
];
const SOURCES: readonly Option<'input' | 'output'>[] = [
  { value: 'input', label: 'Arguments' },
  { value: 'output', label: 'Result' },
];
const RESTS_MS = 500;

interface WidgetEditorProps {
  readonly widget: Widget;
  readonly time: string | undefined;
  readonly onChange: (widget: Widget) => void;
  readonly onRemove: (() => void) | undefined;
  readonly onUp: (() => void) | undefined;
  readonly onDown: (() => void) | undefined;
}

/** One widget as it is written. */
export function WidgetEditor({ widget, time, onChange, onRemove, onUp, onDown }: WidgetEditorProps) {
  const { source, aggregation, filter } = widget;
  const aggregate = (change: Partial<Widget['aggregation']>) => {
    const { groupBy, interval, fn } = { ...aggregation, ...change };
    onChange({ ...widget, aggregation: { fn, ...(groupBy && { groupBy }), ...(interval && { interval }) } });
  };
  const narrow = (toolNames: string[] | undefined) => {
    const { filter: _filter, ...rest } = widget;
    const kept = { ...filter, toolNames };
    onChange(kept.toolNames || kept.connectionIds ? { ...rest, filter: kept } : rest);
  };
  return (
    <Card
      title={widget.name || 'Widget'}
      actions={
        <>
          <IconButton label="Move up" icon={<ArrowUp />} disabled={!onUp} onClick={onUp} />
          <IconButton label="Move down" icon={<ArrowDown />} disabled={!onDown} onClick={onDown} />
          <IconButton label="Remove the widget" icon={<Trash2 />} disabled={!onRemove} onClick={onRemove} />
        </>
      }
    >
      <div className="dashboard-edit">
        <div className="dashboard-form">
          <Field label="Name" isRequired>
            <Input value={widget.name} onText={(name) => onChange({ ...widget, name })} maxLength={255} />
          </Field>
          <Field label="Shown as">
            <Select value={widget.type} options={TYPES} onChange={(type) => onChange({ ...widget, type })} />
          </Field>
          <Field label="From">
            <Select
              value={source.from}
              options={SOURCES}
              onChange={(from) => onChange({ ...widget, source: { ...source, from } })}
            />
          </Field>
          <Field label="Value" hint="JSONPath, such as $.total" isRequired>
            <Input
              className="mono"
              value={source.path}
              onText={(path) => onChange({ ...widget, source: { ...source, path } })}
              maxLength={500}
            />
          </Field>
          <Field label="Made into">
            <Select value={aggregation.fn} options={FNS} onChange={(fn) => aggregate({ fn })} />
          </Field>
          <Field label="By group" hint="JSONPath, such as $.country; empty: none">
            <Input
              className="mono"
              value={aggregation.groupBy ?? ''}
              onText={(groupBy) => aggregate({ groupBy })}
              maxLength={500}
            />
          </Field>
          <Field label="Per" hint="Minutes, hours or days, such as 15m; empty: 1h for charts">
            <Input
              className="mono"
              value={aggregation.interval ?? ''}
              onText={(interval) => aggregate({ interval })}
              maxLength={6}
            />
          </Field>
          <Field label="Only these tools" hint="Instead of the dashboard's">
            <Input defaultValue={listText(filter?.toolNames)} onText={(text) => narrow(textList(text))} />
          </Field>
        </div>
        <Preview widget={widget} time={time} />
      </div>
    </Card>
  );
}

/** What the widget would show, once nobody types. */
function Preview({ widget, time }: { readonly widget: Widget; readonly time: string | undefined }) {
  const rested = useRested(widget);
  const isReady = rested.name !== '' && rested.source.path !== '';
  const query = usePreview(rested, time, isReady);
  return (
    <section className="dashboard-preview stack" aria-label={`Preview of ${widget.name}`} aria-live="polite">
      <h3 className="small muted">Now</h3>
      {query.error ? (
        <p className="monitoring-error">{query.error.message}</p>
      ) : query.data ? (
        <>
          <WidgetFigure widget={rested} result={query.data} />
          <p className="small faint number">
            {query.data.matchedRecords.toLocaleString('en')} calls looked at
          </p>
        </>
      ) : isReady ? (
        <Skeleton rows={3} />
      ) : (
        <p className="muted">Give it a name and a value.</p>
      )}
    </section>
  );
}

function useRested(widget: Widget): Widget {
  const [rested, setRested] = useState(widget);
  useEffect(() => {
    const timer = setTimeout(() => setRested(widget), RESTS_MS);
    return () => clearTimeout(timer);
  }, [widget]);
  return rested;
}
