/**
 * Texts that tools take: trimmed and bounded. The bounds are checked and not published: a model pays for reading each of
 * them and counts no characters; whoever goes too far is told so.
 */
import * as z from 'zod';

/** A text with something in it. */
export const text = (most: number) => z.string().check(z.trim(), bounded(1, most));

/** A text that may be empty. */
export const anyText = (most: number) => z.string().check(z.trim(), bounded(0, most));

/** A text of a form that a word or two describe better than a pattern. */
export const formed = (form: RegExp, rule: string) =>
  z.string().check(
    z.trim(),
    z.refine((value) => form.test(value), rule),
  );

/** Says what Zod's own bounds say. */
function bounded(least: number, most: number) {
  return z.check<string>(({ value, issues }) => {
    const about = { origin: 'string', inclusive: true, input: value } as const;
    if (value.length < least) issues.push({ ...about, code: 'too_small', minimum: least });
    if (value.length > most) issues.push({ ...about, code: 'too_big', maximum: most });
  });
}
