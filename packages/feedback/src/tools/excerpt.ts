/** The beginning of a long text, for lists that an agent skims. */
import type { ShownExcerpt, ShownFound, ShownItem } from './shapes.ts';

const EXCERPT_LENGTH = 200;

/** The item with an excerpt in place of its content. */
export function excerptOf({
  content,
  ...item
}: Readonly<Record<string, unknown>> & { id: string | null; title: string | null }): ShownExcerpt {
  const text = typeof content === 'string' ? content : '';
  // A character outside the basic plane is two units; half of one is no text.
  return { ...item, excerpt: text.slice(0, EXCERPT_LENGTH).replace(/[\uD800-\uDBFF]$/, '') };
}

/** The most characters of whole texts in one answer. */
const MAX_FULL_TEXT = 100_000;

/** The items of a search; whole texts only while there is room for them. */
export function searchedOf(items: readonly ShownItem[], isFull: boolean): ShownFound[] {
  let left = isFull ? MAX_FULL_TEXT : -1;
  return items.map((item) => {
    left -= item.content?.length ?? 0;
    // With the excerpt in place of the text, all other fields stay.
    return left >= 0 ? { ...item, content: item.content ?? '' } : (excerptOf(item) as ShownFound);
  });
}
