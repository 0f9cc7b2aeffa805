/** HTML as text that was escaped on the way in; the only way in which these pages are put together. */

/** Markup that may be sent as it is. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a template; text is escaped, nothing means nothing. */
export type Part = Html | string | number | null | undefined | false | readonly Part[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text that is safe between tags and in quoted attributes. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

/** Puts markup together: html`<p>${text}</p>`. Attributes with parts in them are always quoted. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(
    compact(strings)
      .map((text, index) => text + show(parts[index]))
      .join(''),
  );
}

const compacted = new WeakMap<TemplateStringsArray, readonly string[]>();

/** The indents of templates cost bytes and mean nothing; what stands in the parts is left alone. */
function compact(strings: TemplateStringsArray): readonly string[] {
  const known = compacted.get(strings);
  if (known !== undefined) return known;
  const made = strings.map((text) => text.replace(/\n\s*/g, '\n'));
  compacted.set(strings, made);
  return made;
}

function show(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'string') return escapeText(part);
  return typeof part === 'number' ? String(part) : part.map(show).join('');
}
