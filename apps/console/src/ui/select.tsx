/** Owns choosing one of a list. */
import { Select as Base } from '@base-ui/react/select';
import { Check, ChevronsUpDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import { useFieldLink } from './field.tsx';
import './select.css';

/** One choice. */
export interface Option<V extends string = string> {
  readonly value: V;
  readonly label: string;
  readonly hint?: string;
  readonly icon?: ReactNode;
  readonly isDisabled?: boolean;
}

/** What a select takes; `label` is needed where no `Field` is around it. */
export interface SelectProps<V extends string = string> {
  readonly value: V | undefined;
  readonly onChange: (value: V) => void;
  readonly options: readonly Option<V>[];
  readonly placeholder?: string;
  readonly label?: string;
  readonly size?: 's' | 'm';
  readonly isDisabled?: boolean;
  readonly className?: string;
}

/** Chooses one of a list that opens. */
export function Select<V extends string = string>(props: SelectProps<V>) {
  const {
    value,
    onChange,
    options,
    placeholder = 'Choose',
    label,
    size = 'm',
    isDisabled,
    className,
  } = props;
  const link = useFieldLink();
  return (
    <Base.Root
      items={options.map((option) => ({ value: option.value, label: option.label }))}
      value={value ?? null}
      onValueChange={(next) => {
        if (next !== null) onChange(next);
      }}
      disabled={isDisabled}
    >
      <Base.Trigger {...link} aria-label={label} className={classes('select', `select-${size}`, className)}>
        <Base.Value className="truncate" placeholder={placeholder} />
        <Base.Icon className="select-icon">
          <ChevronsUpDown />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="popup-position" sideOffset={4} alignItemWithTrigger={false}>
          <Base.Popup className="popup">
            <Base.List>
              {options.map((option) => (
                <Base.Item
                  key={option.value}
                  value={option.value}
                  disabled={option.isDisabled}
                  className="popup-item"
                >
                  <span className="popup-check">
                    <Base.ItemIndicator>
                      <Check />
                    </Base.ItemIndicator>
                  </span>
                  {option.icon}
                  <span className="grow">
                    <Base.ItemText>{option.label}</Base.ItemText>
                    {option.hint !== undefined && <span className="popup-hint">{option.hint}</span>}
                  </span>
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
