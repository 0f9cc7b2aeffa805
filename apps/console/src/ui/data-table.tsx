/** Owns tables: columns, sort, selection, keyboard, and rows that exist only while they are seen. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { CSSProperties } from 'react';
import { classes } from './classes.ts';
import './data-table.css';
import { useHeldRows } from './held-rows.ts';
import { useSortedRows } from './sorted-rows.ts';
import { Head } from './table-head.tsx';
import { Row, isOnControl } from './table-row.tsx';
import { useSelection } from './table-selection.ts';
import type { Column, DataTableProps } from './table-types.ts';
import { useKeys } from './use-keys.ts';
import { useIsPhone } from './use-media.ts';

export type { Column, DataTableProps } from './table-types.ts';

const VIRTUAL_FROM = 200;
const ROW_PX = 36;
const PHONE_ROW_PX = 72;

/** A table that a hand and a keyboard can use: j and k move, enter opens, x selects. */
export function DataTable<T>(props: DataTableProps<T>) {
  const { columns, keyOf, label, onOpen, openKey, sort, bulk, onEnd, isInline, footer } = props;
  const scroll = useRef<HTMLDivElement>(null);
  const held = useHeldRows(props.rows, keyOf, scroll);
  const isPhone = useIsPhone();
  const rows = useSortedRows({ ...props, rows: held.rows });
  const [activeKey, setActiveKey] = useState<string>();
  const selection = useSelection(rows, keyOf);
  const isVirtual = rows.length > VIRTUAL_FROM && !isInline;
  const rowPx = isPhone ? PHONE_ROW_PX : ROW_PX;
  const virtualizer = useVirtualizer({
    count: rows.length,
    enabled: isVirtual,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowPx,
    overscan: 12,
  });
  useEffect(() => virtualizer.measure(), [rowPx, virtualizer]);

  // What is open is what the keyboard is on: it may have been opened from elsewhere.
  const currentKey = openKey ?? activeKey;
  // Looked for once, and not with every frame of a long list that scrolls.
  const activeIndex = useMemo(
    () => (currentKey === undefined ? -1 : rows.findIndex((row) => keyOf(row) === currentKey)),
    [rows, keyOf, currentKey],
  );
  const moveTo = (index: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (row === undefined) return;
    const key = keyOf(row);
    setActiveKey(key);
    if (isVirtual) virtualizer.scrollToIndex(Math.max(0, Math.min(rows.length - 1, index)));
    else
      scroll.current?.querySelector(`[data-key="${CSS.escape(key)}"]`)?.scrollIntoView({ block: 'nearest' });
    if (openKey !== undefined) onOpen?.(row);
  };
  const active = rows[activeIndex];
  const rowKeys = Object.fromEntries(
    Object.entries(props.rowKeys ?? {}).map(([key, act]) => [key, () => active !== undefined && act(active)]),
  );
  useKeys({
    j: () => moveTo(activeIndex + 1),
    k: () => moveTo(activeIndex < 0 ? 0 : activeIndex - 1),
    Enter: (event) => {
      if (isOnControl(event)) return clickControl(event);
      if (active !== undefined) onOpen?.(active);
    },
    ...(bulk ? { x: () => active !== undefined && selection.toggle(keyOf(active)) } : {}),
    ...(selection.rows.length > 0 ? { Escape: selection.clear } : {}),
    ...rowKeys,
  });

  const items = isVirtual ? virtualizer.getVirtualItems() : undefined;
  const lastSeen = items?.at(-1)?.index ?? rows.length - 1;
  useEffect(() => {
    if (onEnd && rows.length > 0 && lastSeen >= rows.length - 20) onEnd();
  }, [lastSeen, onEnd, rows.length]);

  const renderRow = (row: T, index: number, top?: number) => {
    const key = keyOf(row);
    return (
      <Row
        key={key}
        row={row}
        rowKey={key}
        index={index}
        top={top}
        columns={columns}
        onOpen={onOpen}
        isOpen={key === openKey}
        isActive={key === currentKey}
        isSelected={selection.keys.has(key)}
        onToggle={bulk && selection.toggle}
        onTouch={setActiveKey}
      />
    );
  };
  const style = { '--columns': tracksOf(columns, bulk !== undefined) } as CSSProperties; // A custom property
  return (
    <div className={classes('table-box', isInline && 'table-inline')} style={style}>
      {held.waiting > 0 && (
        <button type="button" className="table-new" onClick={held.show}>
          {held.waiting} new: show
        </button>
      )}
      <div className="table-scroll" ref={scroll}>
        <div role="table" aria-label={label} aria-rowcount={rows.length + 1} className="table">
          <Head {...props} sort={sort} selection={selection} />
          <div
            role="rowgroup"
            className="table-body"
            style={isVirtual ? { height: virtualizer.getTotalSize() } : undefined}
          >
            {items
              ? items.map((item) => {
                  const row = rows[item.index];
                  return row === undefined ? null : renderRow(row, item.index, item.start);
                })
              : rows.map((row, index) => renderRow(row, index))}
          </div>
        </div>
        {props.isLoadingMore && <div className="table-more faint">Loading more …</div>}
        {footer}
      </div>
      {bulk && selection.rows.length > 0 && (
        <div className="table-bulk" role="toolbar" aria-label="Selected rows">
          <span className="number strong">{selection.rows.length} selected</span>
          {bulk(selection.rows, selection.clear)}
          <button type="button" className="table-clear" onClick={selection.clear}>
            Clear
          </button>
        </div>
      )}
    </div>
  );
}

function tracksOf<T>(columns: readonly Column<T>[], hasChecks: boolean): string {
  const tracks = columns.map((column, index) => column.width ?? `minmax(0, ${index === 0 ? 2 : 1}fr)`);
  return [...(hasChecks ? ['32px'] : []), ...tracks].join(' ');
}

function clickControl(event: Event): void {
  if (event.target instanceof HTMLElement) event.target.click();
}
