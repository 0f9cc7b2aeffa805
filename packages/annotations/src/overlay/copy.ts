/** Owns copying notes as markdown, which works without an agent and without a server. */
import { toMarkdown } from '../markdown/index.ts';
import type { Annotation } from '../shapes.ts';
import type { Detail } from './settings.ts';

/** The notes as markdown at a level of detail. */
export function notesAsMarkdown(notes: readonly Annotation[], level: Detail): string {
  return toMarkdown(notes, { level, userAgent: navigator.userAgent });
}

/** Writes text to the clipboard; false when the page may not. */
export async function writeClipboard(text: string, place: Node): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text, place);
  }
}

// Plain http pages have no clipboard interface, but may copy what is selected.
function copyBySelection(text: string, place: Node): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  place.appendChild(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  return isCopied;
}
