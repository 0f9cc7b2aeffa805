/** Owns forms made from a JSON Schema: of tools, questions, settings. Start here; each kind of field has its file. */
import { useContext, useMemo } from 'react';
import { ArrayField, MapField } from './array-field.tsx';
import { ChoiceField } from './choice-field.tsx';
import { DepthContext, SchemaFormContext, useSchemaForm } from './context.ts';
import type { ControlProps, FieldNodeProps } from './context.ts';
import { JsonField } from './json-field.tsx';
import { ObjectField, ObjectFields } from './object-field.tsx';
import type { Problems } from './problems.ts';
import { asSchema, kindOf, resolve, withoutNull } from './read-schema.ts';
import { BooleanField, ConstField, EnumField, NumberField, TextField } from './scalar-fields.tsx';
import './schema-form.css';

const NO_PROBLEMS: Problems = new Map();
/** What is further in is filled in as JSON. */
const DEEPEST = 8;

/** What a form takes; `value` is the object that is sent. */
export interface SchemaFormProps {
  readonly schema: unknown;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** What is wrong, by path; see `findProblems`. */
  readonly problems?: Problems;
}

/** A form for a schema. A schema that says nothing gets a field for JSON. */
export function SchemaForm({ schema, value, onChange, problems = NO_PROBLEMS }: SchemaFormProps) {
  const root = useMemo(() => asSchema(schema), [schema]);
  const form = useMemo(() => ({ root, problems, FieldNode }), [root, problems]);
  const resolved = resolve(root, root);
  const isObject = kindOf(resolved, root) === 'object';
  return (
    <SchemaFormContext value={form}>
      <div className="schema-form">
        {isObject ? (
          <ObjectFields schema={resolved} path="" value={value} onChange={onChange} />
        ) : isEmpty(resolved) ? (
          <p className="muted">It takes no arguments.</p>
        ) : (
          <FieldNode
            schema={resolved}
            label="Arguments"
            path=""
            value={value}
            onChange={onChange}
            isRequired
          />
        )}
      </div>
    </SchemaFormContext>
  );
}

/** An object that allows nothing: there is nothing to fill in. */
function isEmpty(schema: Record<string, unknown>): boolean {
  const properties = schema['properties'];
  const hasNone =
    typeof properties === 'object' && properties !== null && Object.keys(properties).length === 0;
  return hasNone && schema['additionalProperties'] !== true;
}

function FieldNode(props: FieldNodeProps) {
  const { root } = useSchemaForm();
  const depth = useContext(DepthContext);
  const schema = withoutNull(resolve(props.schema, root), root);
  if (depth >= DEEPEST) return <JsonField {...props} schema={schema} />;
  return (
    <DepthContext value={depth + 1}>
      <Control {...props} schema={schema} />
    </DepthContext>
  );
}

function Control(control: ControlProps) {
  const { root } = useSchemaForm();
  const { schema } = control;
  const kind = kindOf(schema, root);
  switch (kind) {
    case 'const':
      return <ConstField {...control} />;
    case 'enum':
      return <EnumField {...control} />;
    case 'choice':
      return <ChoiceField {...control} />;
    case 'string':
      return <TextField {...control} />;
    case 'number':
      return <NumberField {...control} />;
    case 'boolean':
      return <BooleanField {...control} />;
    case 'array':
      return <ArrayField {...control} />;
    case 'map':
      return <MapField {...control} />;
    case 'object':
      return <ObjectField {...control} />;
    case 'null':
    case 'json':
      return <JsonField {...control} />;
    default:
      return kind satisfies never;
  }
}
