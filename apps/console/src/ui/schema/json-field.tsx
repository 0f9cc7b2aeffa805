/** Owns a field for anything: JSON as text, checked while it is typed. */
import { useState } from 'react';
import { Field, TextArea } from '../field.tsx';
import { BrokenJson } from './broken-json.ts';
import { hintOf, useSchemaForm } from './context.ts';
import type { ControlProps } from './context.ts';

/** JSON as text; what does not parse yet is handed on as that, so that it stays and is not sent. */
export function JsonField({ schema, label, path, value, onChange, isRequired, isLabelHidden }: ControlProps) {
  const { problems } = useSchemaForm();
  const isBroken = value instanceof BrokenJson;
  const [typed, setTyped] = useState<string | undefined>(isBroken ? value.text : undefined);
  // What was typed stays as it was typed, until the value is another one. Tidying it up when the field is left would
  // move the button that is about to be clicked.
  const isOwn = typed !== undefined && !isBroken && isJson(typed) && JSON.stringify(value) === compact(typed);
  const shown = isBroken
    ? value.text
    : isOwn
      ? typed
      : value === undefined
        ? ''
        : JSON.stringify(value, null, 2);
  return (
    <Field
      label={label}
      hint={hintOf(schema) ?? 'Any JSON'}
      error={isBroken ? 'This is no JSON yet.' : problems.get(path)}
      isRequired={isRequired}
      isLabelHidden={isLabelHidden}
    >
      <TextArea
        isCode
        spellCheck={false}
        value={shown}
        placeholder={schema['type'] === 'object' ? '{ }' : 'null'}
        onText={(text) => {
          setTyped(text);
          if (text.trim() === '') onChange(undefined);
          else onChange(isJson(text) ? JSON.parse(text) : new BrokenJson(text));
        }}
      />
    </Field>
  );
}

/** The same value in the same words; nothing for an empty text. */
function compact(text: string): string | undefined {
  return text.trim() === '' ? undefined : JSON.stringify(JSON.parse(text));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
