/** Owns choosing by keyboard: a list over the page that narrows while one types; one choice, or several. */
import { Dialog } from '@base-ui/react/dialog';
import { Check, Plus } from 'lucide-react';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { useAct } from '../../../api/use-act.ts';
import { classes } from '../../../ui/classes.ts';
import '../../../ui/dialog.css';
import './picker.css';

/** One thing to choose. */
export interface Choice {
  readonly id: string;
  readonly label: string;
  readonly hint?: ReactNode;
  readonly icon?: ReactNode;
}

/** What a picker takes. With `isMultiple` Enter marks, and Ctrl or Cmd with Enter is done. */
export interface PickerProps {
  readonly title: string;
  readonly choices: readonly Choice[];
  readonly chosen: readonly string[];
  readonly isMultiple?: boolean;
  /** True: the choices come narrowed; `onText` is told what is typed. */
  readonly isNarrowedElsewhere?: boolean;
  readonly onText?: (text: string) => void;
  readonly onClose: () => void;
  /** What was chosen; with `isMultiple` all of it, when it is done. */
  readonly onChoose: (ids: readonly string[]) => void;
  /** Given: what is typed and not there can be made; the answer is its id. */
  readonly onCreate?: (name: string) => Promise<string>;
  readonly placeholder?: string;
  readonly empty?: ReactNode;
}

/** The list, with the keyboard in its field. */
export function Picker(props: PickerProps) {
  const { title, isMultiple, onClose, onChoose, placeholder = 'Type to find' } = props;
  const [text, setText] = useState('');
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set(props.chosen));
  const [at, setAt] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const { rows, canCreate } = useRows(props, text);
  const count = rows.length + (canCreate ? 1 : 0);
  const active = Math.min(at, Math.max(0, count - 1));
  useEffect(() => {
    list.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest' });
  }, [active, text]);

  const finish = (ids: ReadonlySet<string>) => {
    onChoose([...ids]);
    onClose();
  };
  const choose = (row: Choice) => {
    if (!isMultiple) return finish(new Set([row.id]));
    const next = new Set(marked);
    if (!next.delete(row.id)) next.add(row.id);
    setMarked(next);
    return undefined;
  };
  const { run: create, isBusy: isCreating } = useAct(async () => props.onCreate?.(text.trim()), {
    onDone(made) {
      if (made === undefined) return;
      if (!isMultiple) return finish(new Set([made]));
      setMarked((before) => new Set([...before, made]));
      setLastMade(made);
      setText('');
    },
  });
  const [lastMade, setLastMade] = useState<string>();
  const [isLeaving, setLeaving] = useState(false);
  const isMaking =
    isCreating || (lastMade !== undefined && !props.choices.some((one) => one.id === lastMade));
  // Whoever is done before what they made is there does not lose it; asked a second time, it goes as it is.
  const leave = () => (isMaking && !isLeaving ? setLeaving(true) : finish(marked));
  useEffect(() => {
    if (isLeaving && !isMaking) finish(marked);
  });
  const act = () => {
    const row = rows[active];
    if (row) choose(row);
    else if (canCreate) create();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Readonly<Record<string, () => void>> = {
      ArrowDown: () => setAt((active + 1) % Math.max(1, count)),
      ArrowUp: () => setAt((active - 1 + count) % Math.max(1, count)),
      Enter: () => (isMultiple && (event.ctrlKey || event.metaKey) ? leave() : act()),
    };
    const move = moves[event.key];
    if (!move || event.nativeEvent.isComposing) return;
    event.preventDefault();
    move();
  };
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && (isMultiple ? leave() : onClose())}>
      <Dialog.Portal>
        <Dialog.Backdrop className="dialog-scrim" />
        <Dialog.Popup className="picker" initialFocus={input} aria-label={title}>
          <Dialog.Title className="picker-title">{title}</Dialog.Title>
          <input
            ref={input}
            className="picker-input"
            value={text}
            placeholder={placeholder}
            aria-label={placeholder}
            role="combobox"
            aria-expanded
            aria-controls={`${id}-list`}
            aria-activedescendant={count > 0 ? `${id}-${active}` : undefined}
            autoComplete="off"
            onChange={(event) => {
              setText(event.target.value);
              setAt(0);
              props.onText?.(event.target.value);
            }}
            onKeyDown={onKeyDown}
          />
          <div
            ref={list}
            id={`${id}-list`}
            role="listbox"
            aria-label={title}
            aria-multiselectable={isMultiple || undefined}
            className="picker-list"
            tabIndex={-1}
          >
            {rows.map((row, index) => (
              <div
                key={row.id}
                id={`${id}-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={marked.has(row.id)}
                data-active={index === active || undefined}
                className={classes('picker-row', index === active && 'picker-active')}
                onPointerMove={() => setAt(index)}
                onClick={() => choose(row)}
              >
                <span className="picker-check">{marked.has(row.id) && <Check aria-hidden />}</span>
                {row.icon}
                <bdi className="truncate">{row.label}</bdi>
                {row.hint !== undefined && <span className="picker-hint">{row.hint}</span>}
              </div>
            ))}
            {canCreate && (
              <div
                id={`${id}-${rows.length}`}
                role="option"
                tabIndex={-1}
                aria-selected={false}
                data-active={active === rows.length || undefined}
                className={classes('picker-row', active === rows.length && 'picker-active')}
                onPointerMove={() => setAt(rows.length)}
                onClick={() => create()}
              >
                <span className="picker-check">
                  <Plus aria-hidden />
                </span>
                <span className="truncate">
                  Make “<bdi>{text.trim()}</bdi>”
                </span>
              </div>
            )}
            {count === 0 && <p className="picker-empty muted">{props.empty ?? 'Nothing matches.'}</p>}
          </div>
          {isMultiple && (
            <footer className="picker-foot small muted">
              <span className="grow">Enter marks, Escape is done</span>
              <button type="button" className="button button-primary button-s" onClick={leave}>
                <span className="button-text">Done</span>
              </button>
            </footer>
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function useRows(
  { choices, isNarrowedElsewhere, onCreate }: PickerProps,
  text: string,
): { rows: readonly Choice[]; canCreate: boolean } {
  return useMemo(() => {
    const wanted = text.trim().toLowerCase();
    const fits = ({ label }: Choice) => label.toLowerCase().includes(wanted);
    const found = wanted === '' || isNarrowedElsewhere ? choices : choices.filter(fits);
    // Whoever types the beginning of a name means that one first.
    const rank = ({ label }: Choice) => (label.toLowerCase().startsWith(wanted) ? 0 : 1);
    const rows = isNarrowedElsewhere ? found : found.toSorted((one, other) => rank(one) - rank(other));
    const isThere = choices.some(({ label }) => label.toLowerCase() === wanted);
    return { rows, canCreate: onCreate !== undefined && wanted !== '' && !isThere };
  }, [choices, text, isNarrowedElsewhere, onCreate]);
}
