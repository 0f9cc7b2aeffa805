/** Owns opening the palette: its field is there at once and keeps what is typed while the rest loads. */
import { lazy, Suspense, useState } from 'react';
import './palette.css';
import { loadCode } from '../api/load-code.ts';

const Palette = lazy(async () => ({ default: (await loadCode(() => import('./palette.tsx'))).Palette }));

/** The palette, from the key press on. */
export function PaletteDoor({
  onClose,
  onHelp,
}: {
  readonly onClose: () => void;
  readonly onHelp: () => void;
}) {
  const [typed, setTyped] = useState('');
  return (
    <Suspense fallback={<Field typed={typed} onType={setTyped} onClose={onClose} />}>
      <Palette typed={typed} onClose={onClose} onHelp={onHelp} />
    </Suspense>
  );
}

function Field({
  typed,
  onType,
  onClose,
}: {
  readonly typed: string;
  readonly onType: (text: string) => void;
  readonly onClose: () => void;
}) {
  return (
    <div className="palette" role="dialog" aria-label="Search or jump to" aria-busy>
      <input
        // The key that opened it asked for this field.
        autoFocus
        className="palette-input"
        aria-label="Search or jump to"
        placeholder="Search screens, tools, posts, people and acts"
        maxLength={100}
        value={typed}
        onChange={(event) => onType(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onClose()}
      />
    </div>
  );
}
