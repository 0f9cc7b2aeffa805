/** Owns objects: their fields, needed ones first; of many only those that matter are shown until one asks for more. */
import { Plus, Search, X } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../button.tsx';
import { Input } from '../field.tsx';
import { hintOf, useSchemaForm } from './context.ts';
import type { ControlProps } from './context.ts';
import { asSchema, initialOf, ownOf, resolve, textsOf } from './read-schema.ts';
import type { Schema } from './read-schema.ts';

const MANY = 16;

/** The fields of an object. */
export function ObjectFields({
  schema,
  path,
  value,
  onChange,
}: {
  readonly schema: Schema;
  readonly path: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}) {
  const { FieldNode, root, problems } = useSchemaForm();
  const [isAll, setAll] = useState(false);
  const [text, setText] = useState('');
  const properties = asSchema(schema['properties']);
  const required = new Set(textsOf(schema['required']));
  const held = asSchema(value);
  const names = Object.keys(properties);
  const pathOf = (name: string) => (path === '' ? name : `${path}.${name}`);
  const isMany = names.length > MANY;
  const wanted = text.trim().toLowerCase();
  const matters = (name: string) => {
    if (wanted !== '') return isAbout(name, resolve(properties[name], root), wanted);
    return (
      !isMany || isAll || required.has(name) || ownOf(held, name) !== undefined || problems.has(pathOf(name))
    );
  };
  const shown = names.filter(matters).toSorted((a, b) => Number(required.has(b)) - Number(required.has(a)));
  const change = (name: string, next: unknown) => {
    const { [name]: _before, ...rest } = held;
    onChange(next === undefined ? rest : { ...held, [name]: next });
  };
  return (
    <>
      {isMany && (
        <Input
          type="search"
          icon={<Search />}
          value={text}
          onText={setText}
          placeholder={`Find one of ${names.length} fields`}
          aria-label="Find a field"
        />
      )}
      {shown.map((name) => (
        <FieldNode
          key={name}
          schema={properties[name]}
          label={name}
          path={pathOf(name)}
          value={ownOf(held, name)}
          onChange={(next) => change(name, next)}
          isRequired={required.has(name)}
        />
      ))}
      {isMany && wanted === '' && names.length > shown.length && (
        <Button kind="quiet" size="s" onClick={() => setAll(true)}>
          Show {names.length - shown.length} more that may be left out
        </Button>
      )}
    </>
  );
}

function isAbout(name: string, schema: Schema, wanted: string): boolean {
  return `${name} ${hintOf(schema) ?? ''}`.toLowerCase().includes(wanted);
}

/** An object inside a form: one that may be left out comes when it is asked for. */
export function ObjectField({
  schema,
  label,
  path,
  value,
  onChange,
  isRequired,
  isLabelHidden,
}: ControlProps) {
  const { root, problems } = useSchemaForm();
  const hint = hintOf(schema);
  const error = problems.get(path);
  if (value === undefined && !isRequired) {
    return (
      <div className="schema-group-head">
        <div className="grow">
          <div className="field-label">{label}</div>
          {hint !== undefined && <div className="field-hint">{hint}</div>}
        </div>
        <Button size="s" icon={<Plus />} onClick={() => onChange(initialOf(schema, root) ?? {})}>
          Add
        </Button>
      </div>
    );
  }
  return (
    <fieldset className="schema-group">
      <legend className={isLabelHidden ? 'visually-hidden' : 'schema-legend'}>
        {label}
        {!isRequired && (
          <IconButton
            size="s"
            label={`Leave out ${label}`}
            icon={<X />}
            onClick={() => onChange(undefined)}
          />
        )}
      </legend>
      {hint !== undefined && <div className="field-hint">{hint}</div>}
      {error !== undefined && <div className="field-error">{error}</div>}
      <ObjectFields schema={schema} path={path} value={value} onChange={onChange} />
    </fieldset>
  );
}
