/** Owns form fields: a label, a control, a hint and what is wrong, tied together for screen readers. */
import { createContext, useContext, useId, useMemo } from 'react';
import type { InputHTMLAttributes, ReactNode, Ref, TextareaHTMLAttributes } from 'react';
import { classes } from './classes.ts';
import './field.css';

interface FieldLink {
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly isInvalid: boolean;
  readonly isRequired: boolean;
}

const FieldContext = createContext<FieldLink | undefined>(undefined);

/** What a control puts on its element to belong to the field around it. */
export function useFieldLink(): {
  id?: string;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
  'aria-required'?: true;
} {
  const link = useContext(FieldContext);
  if (!link) return {};
  return {
    id: link.id,
    'aria-describedby': link.describedBy,
    'aria-invalid': link.isInvalid || undefined,
    'aria-required': link.isRequired || undefined,
  };
}

/** What a field takes; the child is one control: `Input`, `TextArea`, `Select`, `CodeEditor`. */
export interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: ReactNode;
  readonly isRequired?: boolean;
  /** True: the label is only said, not shown. */
  readonly isLabelHidden?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A labelled control. */
export function Field({
  label,
  hint,
  error,
  isRequired = false,
  isLabelHidden,
  className,
  children,
}: FieldProps) {
  const id = useId();
  const isInvalid = error !== undefined && error !== '' && error !== null && error !== false;
  const describedBy = [isInvalid && `${id}-error`, hint !== undefined && `${id}-hint`]
    .filter(Boolean)
    .join(' ');
  const link = useMemo(
    () => ({ id, describedBy: describedBy || undefined, isInvalid, isRequired }),
    [id, describedBy, isInvalid, isRequired],
  );
  return (
    <div className={classes('field', className)}>
      <label className={isLabelHidden ? 'visually-hidden' : 'field-label'} htmlFor={id} id={`${id}-label`}>
        {label}
        {isRequired && (
          <span className="field-required" aria-hidden>
            {' '}
            *
          </span>
        )}
      </label>
      <FieldContext value={link}>{children}</FieldContext>
      {hint !== undefined && (
        <div className="field-hint" id={`${id}-hint`}>
          {hint}
        </div>
      )}
      {isInvalid && (
        <div className="field-error" id={`${id}-error`} role="alert">
          {sentence(error)}
        </div>
      )}
    </div>
  );
}

/** What the server says of a field goes on after its name; below the field it begins a line. */
function sentence(error: ReactNode): ReactNode {
  if (typeof error !== 'string' || !/^[a-z]+ /.test(error)) return error;
  return `${error.charAt(0).toUpperCase()}${error.slice(1)}`;
}

/** What an input takes besides what any input takes; `onText` gets the text. */
export interface InputProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly onText?: (text: string) => void;
  readonly icon?: ReactNode;
  readonly ref?: Ref<HTMLInputElement>;
}

/** One line of text. */
export function Input({ onText, icon, className, ...rest }: InputProps) {
  const link = useFieldLink();
  const input = (
    <input
      type="text"
      autoComplete="off"
      {...link}
      {...rest}
      onChange={(event) => {
        rest.onChange?.(event);
        onText?.(event.target.value);
      }}
      className={classes('input', icon !== undefined && 'input-with-icon', className)}
    />
  );
  if (icon === undefined) return input;
  return (
    <span className="input-box">
      {icon}
      {input}
    </span>
  );
}

/** What a text area takes besides what any takes; `onText` gets the text. */
export interface TextAreaProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  readonly onText?: (text: string) => void;
  readonly isCode?: boolean;
  readonly ref?: Ref<HTMLTextAreaElement>;
}

/** Several lines of text; it grows with them. */
export function TextArea({ onText, isCode, className, ...rest }: TextAreaProps) {
  const link = useFieldLink();
  return (
    <textarea
      rows={3}
      {...link}
      {...rest}
      onChange={(event) => {
        rest.onChange?.(event);
        onText?.(event.target.value);
      }}
      className={classes('input', 'textarea', isCode && 'mono', className)}
    />
  );
}
