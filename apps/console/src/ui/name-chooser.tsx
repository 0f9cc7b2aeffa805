/** Owns choosing some of many names: filter, all that are shown, a pattern; with what they cost together. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { Search, Wand2 } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Checkbox } from './checkbox.tsx';
import { Input } from './field.tsx';
import './name-chooser.css';
import { namePattern } from './name-pattern.ts';

/** One of the names. */
export interface Choice {
  readonly name: string;
  /** What stands under the name. */
  readonly description?: string | null;
  /** What it costs a model. */
  readonly tokens?: number;
  /** Marks at the end of the line. */
  readonly marks?: ReactNode;
}

export interface NameChooserProps {
  /** What is chosen, as screen readers say it. */
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
  /** Opens one of them. */
  readonly onOpen?: (name: string) => void;
  /** Acts with what is chosen, beside the numbers. */
  readonly actions?: ReactNode;
  /** More to filter by, beside the text. */
  readonly filters?: ReactNode;
  readonly isReadOnly?: boolean;
}

const ROW_PX = 52;
const VIRTUAL_FROM = 100;

/** A list of names with boxes. */
export function NameChooser(props: NameChooserProps) {
  const { label, choices, chosen, onChange, actions, filters, isReadOnly } = props;
  const [filter, setFilter] = useState('');
  const [pattern, setPattern] = useState('');
  const shown = useMemo(() => choices.filter((choice) => fits(choice, filter)), [choices, filter]);
  const among = useMemo(() => choices.filter(({ name }) => chosen.has(name)), [choices, chosen]);
  const tokens = among.reduce((sum, choice) => sum + (choice.tokens ?? 0), 0);
  const isAll = shown.length > 0 && shown.every(({ name }) => chosen.has(name));
  const isSome = shown.some(({ name }) => chosen.has(name));
  const toggleShown = () => {
    const next = new Set(chosen);
    for (const { name } of shown)
      if (isAll) next.delete(name);
      else next.add(name);
    onChange(next);
  };
  const matching = useMemo(
    () => choices.filter(({ name }) => namePattern(pattern)(name)),
    [choices, pattern],
  );
  const choose = () => {
    if (matching.length > 0) onChange(new Set(matching.map(({ name }) => name)));
  };
  return (
    <div className="chooser">
      <div className="chooser-tools">
        <div className="chooser-filter">
          <Input
            type="search"
            value={filter}
            onText={setFilter}
            placeholder="Filter"
            aria-label={`Filter ${label}`}
            icon={<Search />}
          />
        </div>
        {filters}
        {!isReadOnly && (
          // No form of its own: it may stand in one.
          <div className="chooser-pattern">
            <Input
              value={pattern}
              onText={setPattern}
              placeholder="get_*, -*_admin"
              aria-label="Pattern; a minus takes away"
              icon={<Wand2 />}
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return;
                event.preventDefault();
                choose();
              }}
            />
            <Button disabled={matching.length === 0} onClick={choose}>
              Choose {pattern === '' ? '' : matching.length.toLocaleString('en')}
            </Button>
          </div>
        )}
      </div>
      <div className="chooser-head">
        {!isReadOnly && (
          <Checkbox
            label={isAll ? 'Choose none of those shown' : 'Choose all that are shown'}
            isChecked={isAll}
            isMixed={isSome && !isAll}
            onChange={toggleShown}
          />
        )}
        <span className="number small muted grow">
          {among.length.toLocaleString('en')} of {choices.length.toLocaleString('en')} chosen
          {tokens > 0 && `, about ${tokens.toLocaleString('en')} tokens`}
          {filter !== '' && `; ${shown.length.toLocaleString('en')} shown`}
        </span>
        {actions}
      </div>
      {shown.length === 0 ? (
        <p className="chooser-none muted">{choices.length === 0 ? 'There are none.' : 'Nothing matches.'}</p>
      ) : (
        <Names {...props} choices={shown} />
      )}
    </div>
  );
}

function fits({ name, description }: Choice, filter: string): boolean {
  const words = filter.toLowerCase().split(/\s+/);
  const text = `${name} ${description ?? ''}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function Names({ label, choices, chosen, onChange, onOpen, isReadOnly }: NameChooserProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const isVirtual = choices.length > VIRTUAL_FROM;
  const virtualizer = useVirtualizer({
    count: choices.length,
    enabled: isVirtual,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  });
  const toggle = (name: string) => {
    const next = new Set(chosen);
    if (!next.delete(name)) next.add(name);
    onChange(next);
  };
  const renderOne = (choice: Choice, top?: number) => (
    <li
      key={choice.name}
      className={top === undefined ? 'chooser-row' : 'chooser-row chooser-placed'}
      style={top === undefined ? undefined : { transform: `translateY(${top}px)` }}
    >
      {!isReadOnly && (
        <Checkbox
          label={`Choose ${choice.name}`}
          isChecked={chosen.has(choice.name)}
          onChange={() => toggle(choice.name)}
        />
      )}
      <div className="grow">
        {onOpen ? (
          <button type="button" className="chooser-name mono truncate" onClick={() => onOpen(choice.name)}>
            {choice.name}
          </button>
        ) : (
          <div className="chooser-name mono truncate">{choice.name}</div>
        )}
        {choice.description !== undefined && choice.description !== null && choice.description !== '' && (
          <div className="chooser-text small muted truncate">{choice.description}</div>
        )}
      </div>
      <div className="chooser-marks">
        {choice.marks}
        {choice.tokens !== undefined && (
          <span className="number small faint chooser-tokens" title="Tokens that its definition takes, about">
            {choice.tokens.toLocaleString('en')}
          </span>
        )}
      </div>
    </li>
  );
  return (
    <div className="chooser-scroll" ref={scroll} tabIndex={0} role="region" aria-label={label}>
      <ul className="chooser-list" style={isVirtual ? { height: virtualizer.getTotalSize() } : undefined}>
        {isVirtual
          ? virtualizer.getVirtualItems().map((item) => {
              const choice = choices[item.index];
              return choice === undefined ? null : renderOne(choice, item.start);
            })
          : choices.map((choice) => renderOne(choice))}
      </ul>
    </div>
  );
}
