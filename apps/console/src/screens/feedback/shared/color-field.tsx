/** Owns choosing a colour: a few that go well together, the picker of the system, or its number. */
import { Check } from 'lucide-react';
import { classes } from '../../../ui/classes.ts';
import { Input, useFieldLink } from '../../../ui/field.tsx';
import './color-field.css';

const OFFERED = [
  ['#3b82f6', 'blue'],
  ['#6366f1', 'indigo'],
  ['#a855f7', 'purple'],
  ['#ec4899', 'pink'],
  ['#ef4444', 'red'],
  ['#f97316', 'orange'],
  ['#eab308', 'yellow'],
  ['#22c55e', 'green'],
  ['#14b8a6', 'teal'],
  ['#6b7280', 'grey'],
] as const;

const IS_COLOR = /^#[0-9a-f]{6}$/i;

/** A colour as `#rrggbb`; inside a `Field`. */
export function ColorField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (color: string) => void;
}) {
  const { 'aria-describedby': describedBy } = useFieldLink();
  const known = value.toLowerCase();
  return (
    <div className="colors" aria-describedby={describedBy}>
      <div className="colors-offered" role="radiogroup" aria-label="Colours">
        {OFFERED.map(([color, name]) => (
          <button
            key={color}
            type="button"
            role="radio"
            aria-checked={known === color}
            aria-label={name}
            title={name}
            className={classes('colors-one', known === color && 'colors-chosen')}
            style={{ background: color }}
            onClick={() => onChange(color)}
          >
            {known === color && <Check aria-hidden />}
          </button>
        ))}
      </div>
      <div className="row">
        <input
          type="color"
          className="colors-picker"
          aria-label="Another colour"
          value={IS_COLOR.test(value) ? value : '#6b7280'}
          onChange={(event) => onChange(event.target.value)}
        />
        <Input
          value={value}
          onText={onChange}
          maxLength={7}
          className="colors-text mono"
          spellCheck={false}
        />
      </div>
    </div>
  );
}
