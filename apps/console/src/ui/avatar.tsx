/** Owns the picture of a person or an organization: its first letters on a colour that follows from the name. */
import './avatar.css';

/** Letters on a colour. */
export function Avatar({
  name,
  size = 'm',
  isSquare,
}: {
  readonly name: string;
  readonly size?: 's' | 'm' | 'l';
  readonly isSquare?: boolean;
}) {
  const letters = name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => String.fromCodePoint(word.codePointAt(0) ?? 32))
    .join('')
    .toUpperCase();
  let sum = 0;
  for (const letter of name.slice(0, 64)) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 6;
  // A picture, not a text: a button that shows it is called by the whole name.
  return (
    <span
      className={`avatar avatar-${size} avatar-${sum}${isSquare ? ' avatar-square' : ''}`}
      data-letters={letters || '?'}
      aria-hidden
    />
  );
}
