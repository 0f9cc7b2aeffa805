/** Ids that callers give: bounded, and never empty. */
import * as z from 'zod';

/** An id in an input; the names of the field and of the tool tell of what. A model is not told that it must not be empty. */
export const GivenId = z
  .string()
  .max(128)
  .refine((id) => id !== '', 'must have at least 1 characters');
