/** Owns the list of keys. */
import { SCREENS } from '../screens.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Kbd } from '../ui/kbd.tsx';
import './help-overlay.css';

const EVERYWHERE = [
  ['mod+k', 'Search or jump to'],
  ['?', 'This list'],
  ['z', 'Undo the last act'],
  ['Escape', 'Close what is open'],
] as const;

const IN_LISTS = [
  ['j', 'Next row'],
  ['k', 'Row before'],
  ['Enter', 'Open the row'],
  ['x', 'Select the row'],
  ['/', 'Filter by text'],
] as const;

const IN_TRIAGE = [
  ['s', 'Status'],
  ['b', 'Board'],
  ['t', 'Tags'],
  ['o', 'Assign to somebody'],
  ['m', 'Merge'],
  ['a', 'Official answer'],
  ['c', 'Comment'],
  ['e', 'Approve'],
  ['!', 'Spam'],
  ['u', 'Read or unread'],
  ['#', 'Delete'],
  ['n', 'New post'],
] as const;

/** The keys, in a dialog. */
export function HelpOverlay({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const places = SCREENS.flatMap(({ keys, title }) => (keys === undefined ? [] : [[keys, title] as const]));
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Keyboard" size="l">
      <div className="help">
        <Keys title="Everywhere" keys={EVERYWHERE} />
        <Keys title="In lists" keys={IN_LISTS} />
        <Keys title="Go to" keys={places} />
        <Keys title="In the inbox of feedback" keys={IN_TRIAGE} />
      </div>
      <p className="muted small">Screens have more keys; their buttons show them on hover.</p>
    </Dialog>
  );
}

function Keys({
  title,
  keys,
}: {
  readonly title: string;
  readonly keys: readonly (readonly [string, string])[];
}) {
  return (
    <section>
      <h3>{title}</h3>
      <dl className="help-keys">
        {keys.map(([key, meaning]) => (
          <div key={key} className="row">
            <dt>
              <Kbd keys={key} />
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
