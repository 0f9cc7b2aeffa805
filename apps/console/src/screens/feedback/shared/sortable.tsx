/** Owns putting a list into order: by dragging a handle with mouse or finger, or with the arrow keys on it. */
import { GripVertical } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { classes } from '../../../ui/classes.ts';
import './sortable.css';

/** What a list in order takes. */
export interface SortableProps<T> {
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  readonly labelOf: (item: T) => string;
  /** Told the new order, once it is settled. */
  readonly onOrder: (items: readonly T[]) => void;
  /** True: nobody may change the order. */
  readonly isFixed?: boolean;
  readonly children: (item: T) => ReactNode;
}

const SETTLE_MS = 600;

/** The list. */
export function Sortable<T>({ items, keyOf, labelOf, onOrder, isFixed, children }: SortableProps<T>) {
  const [order, setOrder] = useState<readonly T[]>();
  const [dragged, setDragged] = useState<string>();
  const list = useRef<HTMLUListElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const shown = order ?? items;
  // What the server says counts again as soon as it says something.
  useEffect(() => setOrder(undefined), [items]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const move = (key: string, to: number): readonly T[] => {
    const from = shown.findIndex((item) => keyOf(item) === key);
    const target = Math.max(0, Math.min(shown.length - 1, to));
    const item = shown[from];
    if (item === undefined || from === target) return shown;
    const next = shown.toSpliced(from, 1).toSpliced(target, 0, item);
    setOrder(next);
    return next;
  };
  const onKeyDown = (event: KeyboardEvent, key: string) => {
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const next = move(key, shown.findIndex((item) => keyOf(item) === key) + step);
    // Whoever goes three places up means one change.
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onOrder(next), SETTLE_MS);
  };
  const latest = useRef({ move, order, shown });
  latest.current = { move, order, shown };
  // On the window, since a row that changes its place loses a pointer that it holds.
  useEffect(() => {
    if (dragged === undefined) return undefined;
    const onMove = (event: PointerEvent) => {
      const rows = [...(list.current?.children ?? [])];
      const at = rows.findIndex((row) => {
        const { top, height } = row.getBoundingClientRect();
        return event.clientY < top + height / 2;
      });
      const now = latest.current;
      const from = now.shown.findIndex((item) => keyOf(item) === dragged);
      now.move(dragged, at === -1 ? now.shown.length - 1 : at > from ? at - 1 : at);
    };
    const onUp = () => {
      setDragged(undefined);
      if (latest.current.order) onOrder(latest.current.order);
    };
    const onCancel = () => {
      setDragged(undefined);
      setOrder(undefined);
    };
    window.addEventListener('pointermove', onMove);
    window.addEventListener('pointerup', onUp);
    window.addEventListener('pointercancel', onCancel);
    return () => {
      window.removeEventListener('pointermove', onMove);
      window.removeEventListener('pointerup', onUp);
      window.removeEventListener('pointercancel', onCancel);
    };
  }, [dragged, keyOf, onOrder]);
  return (
    <ul ref={list} className="sortable">
      {shown.map((item) => {
        const key = keyOf(item);
        return (
          <li key={key} className={classes('sortable-row', dragged === key && 'sortable-dragged')}>
            {!isFixed && (
              <button
                type="button"
                className="sortable-handle"
                aria-label={`Move ${labelOf(item)}: arrow keys up and down`}
                title="Drag, or use the arrow keys"
                onKeyDown={(event) => onKeyDown(event, key)}
                onPointerDown={(event) => {
                  event.preventDefault();
                  event.currentTarget.focus();
                  setDragged(key);
                }}
              >
                <GripVertical aria-hidden />
              </button>
            )}
            {children(item)}
          </li>
        );
      })}
    </ul>
  );
}
