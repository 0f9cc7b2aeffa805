/** Ids that callers give: bounded, and never empty. */
import * as z from 'zod';

/** An id in an input; the names of the field and of the tool tell of what. */
export const GivenId = z.string().min(1).max(128);
