/** Owns small marks of feedback: a status with its colour, tags, votes. Never colour alone. */
import { ChevronUp } from 'lucide-react';
import './marks.css';
import type { Status, Tag } from './types.ts';

/** A dot of a colour that somebody chose. */
export function Dot({ color }: { readonly color: string }) {
  return <span className="fb-dot" style={{ background: color }} aria-hidden />;
}

/** A status by colour and word. */
export function StatusMark({ status }: { readonly status: Status | undefined }) {
  if (!status) return <span className="faint">no status</span>;
  return (
    <span className="fb-status">
      <Dot color={status.color} />
      <span className="truncate">{status.name}</span>
    </span>
  );
}

/** Tags by colour and word. */
export function TagMarks({ tags }: { readonly tags: readonly Tag[] }) {
  return (
    <span className="fb-tags">
      {tags.map((tag) => (
        <span key={tag.id} className="fb-tag">
          <Dot color={tag.color} />
          <bdi>{tag.name}</bdi>
        </span>
      ))}
    </span>
  );
}

/** A number of votes. */
export function Votes({ count }: { readonly count: number }) {
  return (
    <span className="fb-votes number" title={`${count} ${count === 1 ? 'vote' : 'votes'}`}>
      <ChevronUp aria-hidden />
      {count.toLocaleString('en')}
    </span>
  );
}

const MOST = 999;

/** A number as a badge says it; the server counts no further than 1,000. */
export function countText(count: number): string {
  return count > MOST ? `${MOST}+` : String(count);
}
