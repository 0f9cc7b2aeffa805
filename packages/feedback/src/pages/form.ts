/** Texts in forms that a browser sent. */
import { visiblePart } from '../services/people/name-look.ts';
import { plainText } from './plain-text.ts';

/** One text of a form: without blanks around it, line breaks as they are everywhere else. */
export function textOf(form: URLSearchParams, name: string): string {
  return plainText(form.get(name) ?? '').trim();
}

/** A name on one line, without signs that are not seen. */
export function nameOf(form: URLSearchParams): string {
  return visiblePart(textOf(form, 'name'))
    .replace(/\p{C}+/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}
