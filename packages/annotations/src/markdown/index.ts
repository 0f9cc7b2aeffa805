/** Annotations as markdown, in four levels of detail; pure functions that run in the browser too. */
import type { Captured, Wish } from '../shapes.ts';
import { fenced, inline, shortened, styleText } from './text.ts';

/** How much each note says. */
export type MarkdownLevel = 'compact' | 'standard' | 'detailed' | 'forensic';

/** The levels, from little to much. */
export const MARKDOWN_LEVELS = ['compact', 'standard', 'detailed', 'forensic'] as const;

/** What a note must have to be written; an annotation has it, and so has a draft in the browser. */
export type MarkdownNote = Captured & Wish & { readonly number: number; readonly createdAt: string };

/** What stands around the notes. */
export interface MarkdownOptions {
  readonly level?: MarkdownLevel;
  /** Written by the level `forensic`. */
  readonly userAgent?: string;
}

const SELECTION_LENGTH = 30;
const NEARBY_LENGTH = 100;

/** The notes of one page under a heading with its path name. */
export function toMarkdown(notes: readonly MarkdownNote[], options: MarkdownOptions = {}): string {
  const level = options.level ?? 'standard';
  const heading = `# Annotations: ${inline(pathNameOf(notes[0]?.url ?? '/'))}`;
  if (notes.length === 0) return `${heading}\n\nNo annotations.\n`;
  if (level === 'compact') return `${heading}\n\n${notes.map(compactLine).join('\n')}\n`;
  const depth = MARKDOWN_LEVELS.indexOf(level);
  const sections = notes.map((note) => {
    const lines = [
      ...standardLines(note),
      ...(depth >= 2 ? detailedLines(note) : []),
      ...(depth >= 3 ? forensicLines(note, options.userAgent) : []),
    ];
    return [`## ${note.number}. ${inline(note.element)}`, '', note.annotationText.trim(), '', ...lines].join(
      '\n',
    );
  });
  return `${heading}\n\n${sections.join('\n\n')}\n`;
}

function compactLine(note: MarkdownNote): string {
  const selection =
    note.selectionText === undefined ? '' : ` ("${shortened(note.selectionText, SELECTION_LENGTH)}")`;
  return `${note.number}. **${inline(note.element)}**: ${inline(note.annotationText)}${selection}`;
}

function standardLines(note: MarkdownNote): string[] {
  return [
    `- Intent: ${note.intent}, ${note.severity}`,
    `- Viewport: ${note.viewport.width} x ${note.viewport.height}`,
    ...field('Source', note.sourceFile),
    ...field('Template', note.templateFile),
    ...field('Element path', note.elementPath),
    ...(note.selectionText === undefined ? [] : [`- Selection: "${inline(note.selectionText)}"`]),
  ];
}

function detailedLines(note: MarkdownNote): string[] {
  const { boundingBox: box, cssClasses = [], componentTreePath = [], nearbyText } = note;
  const isNearbyShown = note.selectionText === undefined && nearbyText !== undefined;
  return [
    ...(cssClasses.length === 0 ? [] : [`- Classes: ${cssClasses.map(code).join(' ')}`]),
    `- Position: ${round(box.x)}, ${round(box.y)}${box.fixed ? ' (fixed)' : ''}; size ${round(box.width)} x ${round(box.height)}`,
    ...(componentTreePath.length === 0
      ? []
      : [`- Components: ${componentTreePath.map((name) => inline(name)).join(' > ')}`]),
    ...(isNearbyShown ? [`- Nearby text: "${shortened(nearbyText, NEARBY_LENGTH)}"`] : []),
  ];
}

function forensicLines(note: MarkdownNote, userAgent: string | undefined): string[] {
  const { accessibility, computedStyles = {}, targets = [] } = note;
  return [
    ...field('URL', note.url),
    ...(userAgent === undefined ? [] : field('User agent', userAgent)),
    `- Pixel ratio: ${note.viewport.pixelRatio}`,
    `- Time: ${note.createdAt}`,
    ...field('DOM path', note.selector),
    ...(Object.keys(computedStyles).length === 0
      ? []
      : [`- Computed styles: ${code(styleText(computedStyles))}`]),
    ...(accessibility === undefined ? [] : [`- Accessibility: ${accessibilityText(accessibility)}`]),
    ...targets.map((target, index) => {
      const { x, y, width, height } = target.boundingBox;
      const source = target.sourceFile === undefined ? '' : `, ${code(target.sourceFile)}`;
      const box = `${round(x)}, ${round(y)}; ${round(width)} x ${round(height)}`;
      return `- Element ${index + 1}: ${code(target.selector)} at ${box}${source}`;
    }),
    '- DOM snapshot:',
    '',
    fenced(note.domSnapshot, 'html'),
  ];
}

function accessibilityText(given: NonNullable<MarkdownNote['accessibility']>): string {
  const { role, name, description, states, focusable, tabIndex } = given;
  return [
    ...(role === undefined ? [] : [`role ${inline(role)}`]),
    ...(name === undefined ? [] : [`name "${inline(name)}"`]),
    ...(description === undefined ? [] : [`description "${inline(description)}"`]),
    ...states.map((state) => inline(state)),
    focusable ? 'focusable' : 'not focusable',
    ...(tabIndex === undefined ? [] : [`tab index ${tabIndex}`]),
  ].join(', ');
}

function field(name: string, value: string | undefined): string[] {
  return value === undefined || value === '' ? [] : [`- ${name}: ${code(value)}`];
}

function code(value: string): string {
  const text = inline(value);
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

function round(value: number): number {
  return Math.round(value);
}

function pathNameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : url;
}
