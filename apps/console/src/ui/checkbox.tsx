/** Owns yes or no: a checkbox in forms and lists, a switch for what holds at once. */
import { Checkbox as BaseCheckbox } from '@base-ui/react/checkbox';
import { Switch as BaseSwitch } from '@base-ui/react/switch';
import { Check, Minus } from 'lucide-react';
import { useId } from 'react';
import type { ReactNode } from 'react';
import './checkbox.css';

/** What a checkbox takes; `label` is needed where no text stands beside it. */
export interface CheckboxProps {
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly label?: string;
  readonly isMixed?: boolean;
  readonly isDisabled?: boolean;
  /** The text beside it. */
  readonly children?: ReactNode;
  readonly hint?: ReactNode;
}

/** A box to tick. */
export function Checkbox({ isChecked, onChange, label, isMixed, isDisabled, children, hint }: CheckboxProps) {
  const id = useId();
  const box = (
    <BaseCheckbox.Root
      id={id}
      checked={isChecked}
      indeterminate={isMixed}
      disabled={isDisabled}
      onCheckedChange={onChange}
      aria-label={label}
      className="checkbox"
    >
      <BaseCheckbox.Indicator className="checkbox-mark">
        {isMixed ? <Minus /> : <Check />}
      </BaseCheckbox.Indicator>
    </BaseCheckbox.Root>
  );
  if (children === undefined) return box;
  return (
    <div className="choice">
      {box}
      <label htmlFor={id}>
        {children}
        {hint !== undefined && <span className="choice-hint">{hint}</span>}
      </label>
    </div>
  );
}

/** A box in a row: rows come by the dozen with each frame that scrolls, so it is one element and no more. */
export function RowCheckbox({
  isChecked,
  onToggle,
  label,
}: {
  readonly isChecked: boolean;
  readonly onToggle: () => void;
  readonly label: string;
}) {
  return (
    <button
      type="button"
      role="checkbox"
      aria-checked={isChecked}
      aria-label={label}
      data-checked={isChecked || undefined}
      className="checkbox"
      onClick={onToggle}
    >
      {isChecked && (
        <span className="checkbox-mark">
          <Check />
        </span>
      )}
    </button>
  );
}

/** A switch: what it says holds as soon as it is moved. */
export function Switch({
  isChecked,
  onChange,
  label,
  isDisabled,
  children,
  hint,
}: Omit<CheckboxProps, 'isMixed'>) {
  const id = useId();
  const knob = (
    <BaseSwitch.Root
      id={id}
      checked={isChecked}
      disabled={isDisabled}
      onCheckedChange={onChange}
      aria-label={label}
      className="switch"
    >
      <BaseSwitch.Thumb className="switch-thumb" />
    </BaseSwitch.Root>
  );
  if (children === undefined) return knob;
  return (
    <div className="choice">
      {knob}
      <label htmlFor={id}>
        {children}
        {hint !== undefined && <span className="choice-hint">{hint}</span>}
      </label>
    </div>
  );
}
