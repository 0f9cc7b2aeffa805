/** Owns names by which people decide whom to trust: one whose letters only look like others is marked. */
import { Badge } from './badge.tsx';
import { oddLetters } from './odd-letters.ts';

/** The name, with a mark where it may be mistaken for another. */
export function TrustedName({
  name,
  isGone = '',
}: {
  readonly name: string | null;
  /** What stands where there is no name. */
  readonly isGone?: string;
}) {
  if (name === null) return <span className="faint">{isGone}</span>;
  const odd = oddLetters(name);
  return (
    <>
      <bdi className="truncate">{name}</bdi>
      {odd !== undefined && (
        <span title={`${odd} Make sure that this is who you think.`}>
          <Badge tone="amber">look-alike letters</Badge>
          <span className="visually-hidden">{odd}</span>
        </span>
      )}
    </>
  );
}
