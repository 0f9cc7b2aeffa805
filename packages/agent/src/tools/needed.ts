/** Fields that one action of a tool needs and another does not. */
import { ToolError } from '@parley/kit';

/** The field of an input; `invalid` says which action needs it. */
export function needed<Input extends { readonly action: string }, Field extends keyof Input & string>(
  input: Input,
  field: Field,
): NonNullable<Input[Field]> {
  const value = input[field];
  if (value === undefined || value === null)
    throw new ToolError('invalid', `${field}: ${input.action} needs it`);
  return value;
}
