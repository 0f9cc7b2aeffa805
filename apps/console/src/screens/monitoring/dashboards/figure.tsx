/** Owns how the result of a widget looks: a figure, a chart over the time, or a table of groups. */
import { useMemo } from 'react';
import { Chart } from '../../../ui/chart.tsx';
import type { Figure, Widget, WidgetResult } from './queries.ts';

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const MOST_ROWS = 10;

/** A figure in words. */
export function figureText(value: Figure | undefined): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'number' ? number.format(value) : String(value);
}

/** What a widget shows. */
export function WidgetFigure({ widget, result }: { readonly widget: Widget; readonly result: WidgetResult }) {
  if (result.error !== undefined) return <p className="monitoring-error">{result.error}</p>;
  if (widget.type === 'timeseries') return <Series widget={widget} result={result} />;
  if (widget.type === 'table') return <Groups result={result} />;
  return (
    <div className="dashboard-figure number" dir="auto">
      {figureText(result.value)}
    </div>
  );
}

function Series({ widget, result }: { readonly widget: Widget; readonly result: WidgetResult }) {
  const { times, series } = useMemo(() => {
    const points = result.timeseries ?? [];
    return {
      times: points.map(({ timestamp }) => new Date(timestamp).getTime()),
      series: [
        {
          label: widget.name,
          values: points.map(({ value }) => (typeof value === 'number' ? value : null)),
          tone: 'accent',
          kind: 'bars',
        },
      ] as const,
    };
  }, [result, widget.name]);
  if (times.length === 0) return <p className="muted">No calls in this time.</p>;
  return (
    <>
      <Chart label={widget.name} times={times} series={series} heightPx={160} format={figureText} />
      {result.groups !== undefined && <Groups result={result} />}
    </>
  );
}

function Groups({ result }: { readonly result: WidgetResult }) {
  const groups = useMemo(
    () => (result.groups ?? []).toSorted((a, b) => Number(b.value) - Number(a.value) || 0),
    [result],
  );
  if (result.groups === undefined)
    return (
      <div className="dashboard-figure number" dir="auto">
        {figureText(result.value)}
      </div>
    );
  if (groups.length === 0) return <p className="muted">No calls in this time.</p>;
  const most = Math.max(...groups.map(({ value }) => (typeof value === 'number' ? value : 0)), 0);
  return (
    <table className="dashboard-groups">
      <tbody>
        {groups.slice(0, MOST_ROWS).map(({ key, value }) => (
          <tr key={key}>
            <th scope="row" dir="auto">
              {key}
            </th>
            <td aria-hidden>
              <span className="dashboard-share" style={{ width: shareOf(value, most) }} />
            </td>
            <td className="number">{figureText(value)}</td>
          </tr>
        ))}
      </tbody>
      {groups.length > MOST_ROWS && (
        <caption className="small faint">and {groups.length - MOST_ROWS} more</caption>
      )}
    </table>
  );
}

function shareOf(value: Figure, most: number): string {
  const share = typeof value === 'number' && most > 0 ? Math.max(0, value / most) : 0;
  return `${share * 100}%`;
}
