/** Owns a choice between shapes: oneOf, anyOf, several types. */
import { useState } from 'react';
import { Field } from '../field.tsx';
import { Select } from '../select.tsx';
import { hintOf, useSchemaForm } from './context.ts';
import type { ControlProps } from './context.ts';
import { initialOf, kindOf, variantName, variantOf, variantsOf } from './read-schema.ts';

const UNSET = 'unset';

/** Which shape, and then its fields. */
export function ChoiceField(props: ControlProps) {
  const { schema, label, path, value, onChange, isRequired, isLabelHidden } = props;
  const { FieldNode, root, problems } = useSchemaForm();
  const variants = variantsOf(schema, root).filter((variant) => variant['type'] !== 'null');
  const [chosen, setChosen] = useState<number>();
  const found = value === undefined ? -1 : variantOf(value, variants);
  const index = chosen ?? (found >= 0 ? found : isRequired ? 0 : -1);
  const variant = variants[index];
  const names = variants.map((one, at) => ({ value: String(at), label: variantName(one, at) }));
  const choose = (next: string) => {
    setChosen(next === UNSET ? undefined : Number(next));
    onChange(next === UNSET ? undefined : initialOf(variants[Number(next)], root));
  };
  const isFixed = variant !== undefined && kindOf(variant, root) === 'const';
  return (
    <fieldset className="schema-group">
      <legend className={isLabelHidden ? 'visually-hidden' : 'schema-legend'}>{label}</legend>
      <Field label={`Shape of ${label}`} isLabelHidden hint={hintOf(schema)} error={problems.get(path)}>
        <Select
          value={variant === undefined ? UNSET : String(index)}
          options={isRequired ? names : [{ value: UNSET, label: 'Not set' }, ...names]}
          onChange={choose}
        />
      </Field>
      {variant !== undefined && !isFixed && (
        <FieldNode
          key={index}
          schema={variant}
          label={variantName(variant, index)}
          path={path}
          value={value}
          onChange={onChange}
          isRequired
          isLabelHidden
        />
      )}
    </fieldset>
  );
}
