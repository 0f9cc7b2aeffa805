/** Owns the choices of a filter over a list that was read whole: what its rows have, by name. */
import type { Option } from './select.tsx';

/** Each value once, sorted by what it is called. */
export function rowOptions(
  values: readonly (string | null | undefined)[],
  nameOf: (value: string) => string = (value) => value,
): readonly Option[] {
  const known = new Set(values.filter((value) => typeof value === 'string' && value !== ''));
  return [...known]
    .map((value) => ({ value: String(value), label: nameOf(String(value)) }))
    .toSorted((a, b) => a.label.localeCompare(b.label, 'en'));
}

/** True when nothing is asked for, or it is among what the row has. */
export function isAmong(wanted: string | undefined, has: readonly (string | null | undefined)[]): boolean {
  return wanted === undefined || wanted === '' || has.includes(wanted);
}
