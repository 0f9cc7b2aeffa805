/** Owns one row of a table. */
import { memo } from 'react';
import type { ReactNode } from 'react';
import { RowCheckbox } from './checkbox.tsx';
import { classes } from './classes.ts';
import type { Column } from './table-types.ts';

interface RowProps<T> {
  readonly row: T;
  readonly rowKey: string;
  readonly index: number;
  readonly top: number | undefined;
  readonly columns: readonly Column<T>[];
  readonly onOpen: ((row: T) => void) | undefined;
  readonly isOpen: boolean;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly onToggle: ((key: string) => void) | undefined;
  readonly onTouch: (key: string) => void;
}

/** A row: its first cell opens it, and so does a click anywhere on it that hits no control. */
function PlainRow<T>(props: RowProps<T>) {
  const { row, rowKey, index, top, columns, onOpen, isOpen, isActive, isSelected, onToggle, onTouch } = props;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected || undefined}
      data-key={rowKey}
      className={classes(
        'table-row',
        'table-data',
        onOpen && 'table-opens',
        isOpen && 'table-open',
        isActive && 'table-active',
        isSelected && 'table-selected',
        top !== undefined && 'table-placed',
      )}
      style={top === undefined ? undefined : { transform: `translateY(${top}px)` }}
      onClick={(event) => {
        if (event.defaultPrevented || isOnControl(event.nativeEvent) || hasTextSelected()) return;
        onTouch(rowKey);
        onOpen?.(row);
      }}
    >
      {onToggle && (
        <div role="cell" className="table-check">
          <RowCheckbox label="Select the row" isChecked={isSelected} onToggle={() => onToggle(rowKey)} />
        </div>
      )}
      {columns.map((column, at) => (
        <div
          key={column.id}
          role="cell"
          className={classes(
            'table-cell',
            at === 0 && 'table-main',
            column.align === 'end' && 'table-end',
            column.isWideOnly && 'table-wide-only',
          )}
        >
          {at === 0 && onOpen ? (
            <button
              type="button"
              className="table-link truncate"
              onClick={(event) => {
                event.preventDefault();
                onTouch(rowKey);
                onOpen(row);
              }}
            >
              {cutAtTheEnd(column.cell(row))}
            </button>
          ) : (
            cutAtTheEnd(column.cell(row))
          )}
        </div>
      ))}
    </div>
  );
}

/** A text that does not fit ends with an ellipsis, which only an element of its own can have. */
function cutAtTheEnd(content: ReactNode): ReactNode {
  return typeof content === 'string' ? <span className="truncate">{content}</span> : content;
}

/** The same row again costs nothing while the table scrolls. */
export const Row = memo(PlainRow) as typeof PlainRow; // memo forgets the type of the row

/** Whether an event came from something that has an act of its own. */
export function isOnControl(event: Event): boolean {
  return (
    event.target instanceof Element &&
    event.target.closest('button, a, input, select, [role="checkbox"]') !== null
  );
}

function hasTextSelected(): boolean {
  return document.getSelection()?.type === 'Range';
}
