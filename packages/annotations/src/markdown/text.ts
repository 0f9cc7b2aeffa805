/** Page text made safe to stand inside markdown. */

/** The text on one line. */
export function inline(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** The text on one line, cut with an ellipsis. */
export function shortened(text: string, length: number): string {
  const line = inline(text);
  return line.length <= length ? line : `${line.slice(0, length).trimEnd()}...`;
}

/** The text in a fence that nothing inside it can close. */
export function fenced(text: string, language: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Styles as one line of CSS. */
export function styleText(styles: Readonly<Record<string, string>>): string {
  return Object.entries(styles)
    .map(([name, value]) => `${name}: ${value};`)
    .join(' ');
}
