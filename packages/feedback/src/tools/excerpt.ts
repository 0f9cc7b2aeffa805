/** The beginning of a long text, for lists that an agent skims. */
import type { ShownExcerpt } from './shapes.ts';

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
