/** Owns lists of any depth, and objects whose names are free. */
import { ArrowUp, Plus, X } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../button.tsx';
import { Checkbox } from '../checkbox.tsx';
import { Input } from '../field.tsx';
import { hintOf, useSchemaForm } from './context.ts';
import type { ControlProps } from './context.ts';
import { asSchema, initialOf, kindOf, resolve, withoutNull } from './read-schema.ts';

const MOST_SHOWN = 100;

/** A list: each item a field, with add, remove and move; of few fixed values, boxes to tick. */
export function ArrayField({
  schema,
  label,
  path,
  value,
  onChange,
  isRequired,
  isLabelHidden,
}: ControlProps) {
  const { FieldNode, root, problems } = useSchemaForm();
  const items = Array.isArray(value) ? (value as unknown[]) : []; // Items are of any kind
  const itemSchema = withoutNull(resolve(schema['items'], root), root);
  const hint = hintOf(schema);
  const error = problems.get(path);
  const choices =
    kindOf(itemSchema, root) === 'enum' && schema['uniqueItems'] === true ? itemSchema['enum'] : undefined;
  const set = (next: readonly unknown[]) => onChange(next.length === 0 && !isRequired ? undefined : next);
  const empty = () => initialOf(schema['items'], root) ?? emptyItem(kindOf(itemSchema, root));
  return (
    <fieldset className="schema-group">
      <legend className={isLabelHidden ? 'visually-hidden' : 'schema-legend'}>
        {label}
        {isRequired && <span className="field-required"> *</span>}
      </legend>
      {hint !== undefined && <div className="field-hint">{hint}</div>}
      {error !== undefined && <div className="field-error">{error}</div>}
      {Array.isArray(choices) ? (
        <Choices choices={choices} items={items} onChange={set} />
      ) : (
        <>
          {items.slice(0, MOST_SHOWN).map((item, index) => (
            <div key={index} className="schema-item">
              <div className="grow">
                <FieldNode
                  schema={schema['items']}
                  label={`${label} ${index + 1}`}
                  path={`${path}.${index}`}
                  value={item}
                  onChange={(next) => set(items.with(index, next ?? ''))}
                  isRequired
                  isLabelHidden
                />
              </div>
              {index > 0 && (
                <IconButton
                  size="s"
                  label="Move up"
                  icon={<ArrowUp />}
                  onClick={() => set(items.with(index, items[index - 1]).with(index - 1, item))}
                />
              )}
              <IconButton
                size="s"
                label={`Remove ${label} ${index + 1}`}
                icon={<X />}
                onClick={() => set(items.toSpliced(index, 1))}
              />
            </div>
          ))}
          {items.length > MOST_SHOWN && (
            <div className="muted small">{items.length - MOST_SHOWN} more: edit them as JSON.</div>
          )}
          <Button size="s" icon={<Plus />} onClick={() => set([...items, empty()])}>
            Add to {label}
          </Button>
        </>
      )}
    </fieldset>
  );
}

function emptyItem(kind: string): unknown {
  return kind === 'number' || kind === 'json' ? null : kind === 'boolean' ? false : '';
}

function Choices({
  choices,
  items,
  onChange,
}: {
  readonly choices: readonly unknown[];
  readonly items: readonly unknown[];
  readonly onChange: (items: readonly unknown[]) => void;
}) {
  return (
    <div className="row-wrap">
      {choices.map((choice) => (
        <Checkbox
          key={JSON.stringify(choice)}
          isChecked={items.includes(choice)}
          onChange={(isChecked) =>
            onChange(choices.filter((one) => (one === choice ? isChecked : items.includes(one))))
          }
        >
          {String(choice)}
        </Checkbox>
      ))}
    </div>
  );
}

/** Names and values, both free. */
export function MapField({ schema, label, path, value, onChange, isRequired }: ControlProps) {
  const { FieldNode, root, problems } = useSchemaForm();
  const [name, setName] = useState('');
  const held = asSchema(value);
  const entries = Object.entries(held);
  const hint = hintOf(schema);
  const error = problems.get(path);
  const set = (next: Record<string, unknown>) =>
    onChange(Object.keys(next).length === 0 && !isRequired ? undefined : next);
  const part = schema['additionalProperties'];
  const trimmed = name.trim();
  const canAdd = trimmed !== '' && !Object.hasOwn(held, trimmed);
  const add = () => {
    if (!canAdd) return;
    set({ ...held, [trimmed]: initialOf(part, root) ?? emptyItem(kindOf(resolve(part, root), root)) });
    setName('');
  };
  return (
    <fieldset className="schema-group">
      <legend className="schema-legend">{label}</legend>
      {hint !== undefined && <div className="field-hint">{hint}</div>}
      {error !== undefined && <div className="field-error">{error}</div>}
      {entries.map(([key, item]) => (
        <div key={key} className="schema-item">
          <div className="grow">
            <FieldNode
              schema={part}
              label={key}
              path={`${path}.${key}`}
              value={item}
              onChange={(next) => set({ ...held, [key]: next ?? '' })}
              isRequired
            />
          </div>
          <IconButton
            size="s"
            label={`Remove ${key}`}
            icon={<X />}
            onClick={() => set(Object.fromEntries(entries.filter(([one]) => one !== key)))}
          />
        </div>
      ))}
      <div className="row">
        <Input
          value={name}
          onText={setName}
          placeholder="Name"
          aria-label={`Name to add to ${label}`}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            add();
          }}
        />
        <Button size="s" icon={<Plus />} disabled={!canAdd} onClick={add}>
          Add
        </Button>
      </div>
    </fieldset>
  );
}
