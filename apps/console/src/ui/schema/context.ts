/** Owns what every field of a form shares, so that fields can hold fields without knowing each other's files. */
import { createContext, useContext } from 'react';
import type { ComponentType } from 'react';
import type { Problems } from './problems.ts';
import type { Schema } from './read-schema.ts';

/** What a field gets. */
export interface FieldNodeProps {
  /** As it stands in its parent: references are still to be followed. */
  readonly schema: unknown;
  readonly label: string;
  readonly path: string;
  readonly value: unknown;
  /** undefined takes the value away. */
  readonly onChange: (value: unknown) => void;
  readonly isRequired: boolean;
  /** True: the label is only said, as in lists. */
  readonly isLabelHidden?: boolean;
}

/** What a control of one kind gets: the same with the schema resolved. */
export interface ControlProps extends Omit<FieldNodeProps, 'schema'> {
  readonly schema: Schema;
}

interface FormContext {
  readonly root: Schema;
  readonly problems: Problems;
  readonly FieldNode: ComponentType<FieldNodeProps>;
}

/** How many fields a field stands in: a schema may name itself without end. */
export const DepthContext = createContext(0);

/** The form around a field. */
export const SchemaFormContext = createContext<FormContext | undefined>(undefined);

/** The form around a field. */
export function useSchemaForm(): FormContext {
  const form = useContext(SchemaFormContext);
  if (!form) throw new Error('Fields of a schema stand inside a SchemaForm.');
  return form;
}

/** The text under a field. */
export function hintOf(schema: Schema): string | undefined {
  const { description } = schema;
  return typeof description === 'string' && description !== '' ? description : undefined;
}

/** What stands in an empty field. */
export function placeholderOf(schema: Schema): string | undefined {
  if ('default' in schema) return `${JSON.stringify(schema['default'])} by default`;
  const [example] = Array.isArray(schema['examples']) ? schema['examples'] : [];
  return typeof example === 'string' || typeof example === 'number' ? `for example ${example}` : undefined;
}
