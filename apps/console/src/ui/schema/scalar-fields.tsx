/** Owns fields that hold one thing: text, a number, yes or no, one of a list, a constant. */
import { useState } from 'react';
import { Badge } from '../badge.tsx';
import { Field, Input, TextArea } from '../field.tsx';
import { Select } from '../select.tsx';
import { hintOf, placeholderOf, useSchemaForm } from './context.ts';
import type { ControlProps } from './context.ts';

const UNSET = 'unset';
const LONG_NAMES =
  /(text|body|description|content|prompt|message|comment|code|query|sql|instructions|markdown|details|notes?|summary|html)$/i;
const INPUT_TYPES = new Map([
  ['email', 'email'],
  ['uri', 'url'],
  ['url', 'url'],
  ['date', 'date'],
  ['time', 'time'],
  ['password', 'password'],
]);

function useFieldProps({ schema, label, path, isRequired, isLabelHidden }: ControlProps) {
  const { problems } = useSchemaForm();
  return { label, hint: hintOf(schema), error: problems.get(path), isRequired, isLabelHidden };
}

/** Text: one line, or several where the name or the limit says so. An empty field is not sent, unless it must be. */
export function TextField(props: ControlProps) {
  const { schema, label, value, onChange, isRequired } = props;
  const field = useFieldProps(props);
  const text =
    typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
  const { maxLength, format, contentMediaType } = schema;
  const isShort = typeof maxLength === 'number' && maxLength <= 120;
  const isLong =
    !isShort && (LONG_NAMES.test(label) || contentMediaType !== undefined || text.includes('\n'));
  const change = (next: string) => onChange(next === '' && !isRequired ? undefined : next);
  return (
    <Field {...field}>
      {isLong ? (
        <TextArea value={text} onText={change} placeholder={placeholderOf(schema)} rows={3} />
      ) : (
        <Input
          type={(typeof format === 'string' && INPUT_TYPES.get(format)) || 'text'}
          value={text}
          onText={change}
          placeholder={format === 'date-time' ? '2026-01-31T09:00:00Z' : placeholderOf(schema)}
        />
      )}
    </Field>
  );
}

/** A number; what is typed stays as it is typed until it is one. */
export function NumberField(props: ControlProps) {
  const { schema, value, onChange } = props;
  const field = useFieldProps(props);
  const [typed, setTyped] = useState<string>();
  const shown =
    typed !== undefined && toNumber(typed) === value
      ? typed
      : typeof value === 'number' || typeof value === 'string'
        ? String(value)
        : '';
  const { minimum, maximum } = schema;
  const limits = [minimum, maximum].some((limit) => typeof limit === 'number')
    ? `${typeof minimum === 'number' ? minimum : '…'} to ${typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER ? maximum : '…'}`
    : undefined;
  return (
    <Field {...field}>
      <Input
        inputMode={schema['type'] === 'integer' ? 'numeric' : 'decimal'}
        value={shown}
        placeholder={placeholderOf(schema) ?? limits}
        onText={(text) => {
          setTyped(text);
          onChange(toNumber(text));
        }}
      />
    </Field>
  );
}

/** Nothing for an empty field; what is no number stays text, so that the fault is shown and not swallowed. */
function toNumber(text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const number = Number(trimmed);
  return Number.isNaN(number) ? trimmed : number;
}

/** Yes, no, or left to the tool. */
export function BooleanField(props: ControlProps) {
  const { schema, value, onChange, isRequired } = props;
  const field = useFieldProps(props);
  const options = [
    ...(isRequired ? [] : [{ value: UNSET, label: unsetText(schema['default']) }]),
    { value: 'true', label: 'Yes' },
    { value: 'false', label: 'No' },
  ];
  return (
    <Field {...field}>
      <Select
        value={typeof value === 'boolean' ? String(value) : isRequired ? undefined : UNSET}
        options={options}
        onChange={(next) => onChange(next === UNSET ? undefined : next === 'true')}
      />
    </Field>
  );
}

function unsetText(byDefault: unknown): string {
  if (byDefault === undefined) return 'Not set';
  return `Not set (${byDefault === true ? 'yes' : byDefault === false ? 'no' : JSON.stringify(byDefault)} by default)`;
}

/** One of a list; values that are no texts are found again by their JSON. */
export function EnumField(props: ControlProps) {
  const { schema, value, onChange, isRequired } = props;
  const field = useFieldProps(props);
  const values: readonly unknown[] = Array.isArray(schema['enum']) ? schema['enum'] : [];
  const options = values.map((one) => ({ value: JSON.stringify(one), label: String(one) }));
  const unset = { value: UNSET, label: unsetText(schema['default']) };
  const current = value === undefined ? (isRequired ? undefined : UNSET) : JSON.stringify(value);
  return (
    <Field {...field}>
      <Select
        value={current}
        options={isRequired ? options : [unset, ...options]}
        onChange={(next) => onChange(values.find((one) => JSON.stringify(one) === next))}
      />
    </Field>
  );
}

/** A value that cannot be another. */
export function ConstField(props: ControlProps) {
  const { schema, label, isLabelHidden } = props;
  return (
    <div className="row">
      {!isLabelHidden && <span className="field-label">{label}</span>}
      <Badge>{JSON.stringify(schema['const'])}</Badge>
    </div>
  );
}
