/** Owns menus of acts that open from a button. */
import { Menu as Base } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { classes } from './classes.ts';
import { Kbd } from './kbd.tsx';
import './select.css';

/** One line of a menu: an act, a link, a heading or a line between. */
export type MenuEntry =
  | {
      readonly label: string;
      readonly onSelect: () => void;
      readonly icon?: ReactNode;
      readonly hint?: string;
      readonly shortcut?: string;
      readonly isDanger?: boolean;
      readonly isDisabled?: boolean;
      /** Given: the line shows whether it is chosen. */
      readonly isChecked?: boolean;
    }
  | { readonly label: string; readonly href: string; readonly icon?: ReactNode; readonly hint?: string }
  | { readonly heading: string }
  | 'separator';

/** What a menu takes; the trigger is one button. */
export interface MenuProps {
  readonly trigger: ReactElement<Record<string, unknown>>;
  readonly items: readonly MenuEntry[];
  readonly align?: 'start' | 'end' | 'center';
  /** True: it is open from the beginning. */
  readonly isOpenAtOnce?: boolean;
}

/** A list of acts that opens from its trigger. */
export function Menu({ trigger, items, align = 'end', isOpenAtOnce }: MenuProps) {
  return (
    <Base.Root modal={false} defaultOpen={isOpenAtOnce}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className="popup-position" sideOffset={4} align={align}>
          <Base.Popup className="popup">{items.map(renderEntry)}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function renderEntry(entry: MenuEntry, index: number) {
  if (entry === 'separator') return <Base.Separator key={index} className="popup-separator" />;
  if ('heading' in entry) {
    return (
      <div key={index} className="popup-label">
        {entry.heading}
      </div>
    );
  }
  const inside = (
    <>
      {entry.icon}
      <span className="grow">
        {entry.label}
        {entry.hint !== undefined && <span className="popup-hint">{entry.hint}</span>}
      </span>
      {'shortcut' in entry && entry.shortcut !== undefined && <Kbd keys={entry.shortcut} />}
      {'isChecked' in entry && <span className="popup-check">{entry.isChecked && <Check />}</span>}
    </>
  );
  if ('href' in entry) {
    return <Base.Item key={index} className="popup-item" render={<a href={entry.href}>{inside}</a>} />;
  }
  return (
    <Base.Item
      key={index}
      className={classes('popup-item', entry.isDanger && 'popup-item-danger')}
      disabled={entry.isDisabled}
      onClick={entry.onSelect}
    >
      {inside}
    </Base.Item>
  );
}
