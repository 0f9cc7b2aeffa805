/** Owns drawing charts with uPlot in the colours of the theme. */
import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ChartProps, ChartSeries } from './chart.tsx';
import './chart.css';

const hourWords = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const dayWords = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });

/** Draws, and draws anew when the width or the theme changes. */
export function LoadedChart({ times, series, heightPx = 160, format = String, onRange }: ChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef({ format, onRange });
  latest.current = { format, onRange };
  const plot = useRef<uPlot>(undefined);
  const themeCount = useThemeCount();
  const shape = series.map(({ label, tone, kind }) => `${label} ${tone} ${kind}`).join();
  const data = dataOf(times, series);
  const latestData = useRef(data);
  latestData.current = data;

  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    const colour = (name: string) => colourOf(element, name);
    const axis: uPlot.Axis = {
      stroke: colour('text-muted'),
      grid: { stroke: colour('border'), width: 1 },
      ticks: { show: false },
      font: `11px ${getComputedStyle(element).fontFamily}`,
    };
    const made = new uPlot(
      {
        width: element.clientWidth,
        height: heightPx,
        ms: 1,
        legend: { show: false },
        cursor: { y: false, drag: { x: latest.current.onRange !== undefined, y: false, setScale: false } },
        scales: { y: { range: (_plot, _min, max) => [0, Math.max(max, 1)] } },
        axes: [
          { ...axis, grid: { show: false }, size: 24, values: timeWords },
          { ...axis, size: 44, values: (_plot, ticks) => ticks.map((tick) => latest.current.format(tick)) },
        ],
        series: [{}, ...series.map((one) => styleOf(one, colour))],
        plugins: [tipPlugin(() => latest.current.format)],
        hooks: {
          setSelect: [
            (chart) => {
              const { left, width } = chart.select;
              if (width < 4) return;
              latest.current.onRange?.(chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x'));
              chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            },
          ],
        },
      },
      latestData.current,
      element,
    );
    plot.current = made;
    const sizes = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: heightPx }));
    sizes.observe(element);
    return () => {
      sizes.disconnect();
      made.destroy();
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- series are compared by what they look like: their values come in below
  }, [shape, heightPx, themeCount]);
  useEffect(() => plot.current?.setData(dataOf(times, series)), [times, series]);
  return <div className="chart" ref={host} />;
}

/** One line under the chart: hours inside of two days, else days. */
function timeWords(_plot: uPlot, ticks: number[]): string[] {
  const isLong = (ticks.at(-1) ?? 0) - (ticks[0] ?? 0) > 2 * 86_400_000;
  return ticks.map((tick) => (isLong ? dayWords : hourWords).format(tick));
}

function dataOf(times: readonly number[], series: readonly ChartSeries[]): uPlot.AlignedData {
  return [[...times], ...series.map((one) => [...one.values])];
}

function styleOf(one: ChartSeries, colour: (name: string) => string): uPlot.Series {
  const stroke = colour(one.tone === 'neutral' ? 'border-strong' : one.tone);
  const bars = uPlot.paths.bars?.({ size: [0.7, 24] });
  const kind = one.kind ?? 'line';
  return {
    label: one.label,
    stroke,
    width: kind === 'bars' ? 0 : 1.5,
    fill: kind === 'bars' ? stroke : kind === 'area' ? `${stroke}22` : undefined,
    paths: kind === 'bars' ? bars : undefined,
    points: { show: false },
  };
}

/** Shows the values under the pointer. */
function tipPlugin(formatOf: () => (value: number) => string): uPlot.Plugin {
  const tip = document.createElement('div');
  tip.className = 'chart-tip';
  return {
    hooks: {
      init: (chart) => {
        chart.over.append(tip);
        chart.over.addEventListener('mouseleave', () => tip.classList.remove('chart-tip-shown'));
      },
      setCursor: (chart) => {
        const index = chart.cursor.idx;
        if (index === null || index === undefined) return tip.classList.remove('chart-tip-shown');
        const at = chart.data[0][index];
        const lines = chart.series.slice(1).map((one, place) => {
          const value = chart.data[place + 1]?.[index];
          return `${typeof one.label === 'string' ? one.label : ''}: ${typeof value === 'number' ? formatOf()(value) : '–'}`;
        });
        tip.textContent = [at === undefined ? '' : new Date(at).toLocaleString(), ...lines].join('\n');
        tip.classList.add('chart-tip-shown');
        const left = chart.cursor.left ?? 0;
        const isRight = left > chart.over.clientWidth / 2;
        tip.style.left = isRight ? 'auto' : `${left + 12}px`;
        tip.style.right = isRight ? `${chart.over.clientWidth - left + 12}px` : 'auto';
      },
    },
  };
}

function useThemeCount(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const next = () => setCount((before) => before + 1);
    const watch = new MutationObserver(next);
    watch.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'style'] });
    const query = matchMedia('(prefers-color-scheme: dark)');
    query.addEventListener('change', next);
    return () => {
      watch.disconnect();
      query.removeEventListener('change', next);
    };
  }, []);
  return count;
}

/** The colour behind a token as the theme has it; a canvas does not know `light-dark()`. */
function colourOf(element: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
