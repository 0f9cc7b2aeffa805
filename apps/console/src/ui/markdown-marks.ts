/** Owns reading the marks inside a line of markdown: code, links, bold, italic, struck. Each letter is looked at a bounded number of times. */

/** A piece of text, and what it is. */
export type Mark =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'break' }
  | { readonly kind: 'strong' | 'emphasis' | 'struck'; readonly marks: readonly Mark[] }
  | { readonly kind: 'link'; readonly href: string; readonly marks: readonly Mark[] }
  | { readonly kind: 'image'; readonly href: string; readonly alt: string };

const DEEPEST = 6;
const LONGEST_SPAN = 4_000;
const ADDRESS = /^https?:\/\/[^\s<>"'`]{1,2000}/;
const SPECIAL = /[\\`*_~[!\n]|https?:\/\//g;

const SPANS = [
  { mark: '**', kind: 'strong' },
  { mark: '__', kind: 'strong' },
  { mark: '~~', kind: 'struck' },
  { mark: '*', kind: 'emphasis' },
  { mark: '_', kind: 'emphasis' },
] as const;

/** Reads a text into marks; what is no mark stays as it is written. */
export function readMarks(text: string, depth = 0): Mark[] {
  const marks: Mark[] = [];
  let plain = '';
  let at = 0;
  const push = (mark: Mark) => {
    if (plain !== '') marks.push({ kind: 'text', text: plain });
    plain = '';
    marks.push(mark);
  };
  SPECIAL.lastIndex = 0;
  while (at < text.length) {
    SPECIAL.lastIndex = at;
    const next = SPECIAL.exec(text)?.index ?? text.length;
    plain += text.slice(at, next);
    at = next;
    if (at >= text.length) break;
    const found = depth < DEEPEST ? readAt(text, at, depth) : undefined;
    if (!found) {
      plain += text[at];
      at += 1;
    } else if (found.mark.kind === 'text') {
      plain += found.mark.text;
      at += found.used;
    } else {
      push(found.mark);
      at += found.used;
    }
  }
  if (plain !== '') marks.push({ kind: 'text', text: plain });
  return marks;
}

interface Found {
  readonly mark: Mark;
  readonly used: number;
}

function readAt(text: string, at: number, depth: number): Found | undefined {
  const letter = text[at];
  if (letter === '\n') return { mark: { kind: 'break' }, used: 1 };
  if (letter === '\\') return readEscape(text, at);
  if (letter === '`') return readCode(text, at);
  if (letter === '[') return readLink(text, at, depth);
  if (letter === '!') return text[at + 1] === '[' ? readImage(text, at) : undefined;
  if (letter === 'h') return readAddress(text, at);
  return readSpan(text, at, depth);
}

function readEscape(text: string, at: number): Found | undefined {
  const next = text[at + 1] ?? '';
  return /[\\`*_~[\]!#()>+.-]/.test(next) ? { mark: { kind: 'text', text: next }, used: 2 } : undefined;
}

function readCode(text: string, at: number): Found | undefined {
  let ticks = 1;
  while (text[at + ticks] === '`') ticks += 1;
  const mark = '`'.repeat(ticks);
  const end = indexWithin(text, mark, at + ticks);
  if (end < 0) return { mark: { kind: 'text', text: mark }, used: ticks };
  return { mark: { kind: 'code', text: text.slice(at + ticks, end) }, used: end + ticks - at };
}

function readLink(text: string, at: number, depth: number): Found | undefined {
  const target = readTarget(text, at);
  if (!target) return undefined;
  const marks = withoutLinks(readMarks(target.label, depth + 1));
  return { mark: { kind: 'link', href: target.href, marks }, used: target.used };
}

/** A link in a link would lead elsewhere than the one around it says: its words stay. */
function withoutLinks(marks: readonly Mark[]): Mark[] {
  return marks.flatMap((mark): readonly Mark[] => {
    if (mark.kind === 'link') return mark.marks;
    if (mark.kind === 'image') return [{ kind: 'text', text: mark.alt || 'picture' }];
    return 'marks' in mark ? [{ ...mark, marks: withoutLinks(mark.marks) }] : [mark];
  });
}

function readImage(text: string, at: number): Found | undefined {
  const target = readTarget(text, at + 1);
  return target && { mark: { kind: 'image', href: target.href, alt: target.label }, used: target.used + 1 };
}

function readTarget(text: string, at: number): { label: string; href: string; used: number } | undefined {
  const close = indexWithin(text, '](', at);
  if (close < 0) return undefined;
  const end = closingParenthesis(text, close + 2);
  if (end < 0) return undefined;
  const href =
    text
      .slice(close + 2, end)
      .trim()
      .split(/\s/)[0] ?? '';
  return { label: text.slice(at + 1, close), href, used: end + 1 - at };
}

/** An address may hold parentheses of its own, in pairs. */
function closingParenthesis(text: string, from: number): number {
  let open = 0;
  for (let at = from; at < Math.min(text.length, from + LONGEST_SPAN); at += 1) {
    if (text[at] === '(') open += 1;
    else if (text[at] === ')' && open === 0) return at;
    else if (text[at] === ')') open -= 1;
  }
  return -1;
}

function readAddress(text: string, at: number): Found | undefined {
  const found = ADDRESS.exec(text.slice(at, at + 2_048))?.[0].replace(/[.,;:!?)\]]{1,9}$/, '');
  if (found === undefined) return undefined;
  return { mark: { kind: 'link', href: found, marks: [{ kind: 'text', text: found }] }, used: found.length };
}

function readSpan(text: string, at: number, depth: number): Found | undefined {
  const span = SPANS.find(({ mark }) => text.startsWith(mark, at));
  if (!span) return undefined;
  const { mark, kind } = span;
  const from = at + mark.length;
  const isInWord = mark.startsWith('_') && /\w/.test(text[at - 1] ?? ' ');
  if (/\s|^$/.test(text[from] ?? '') || isInWord) return undefined;
  const end = indexWithin(text, mark, from + 1);
  if (end < 0 || /\s/.test(text[end - 1] ?? '')) return undefined;
  return { mark: { kind, marks: readMarks(text.slice(from, end), depth + 1) }, used: end + mark.length - at };
}

/** A mark that does not close soon is none: without a limit, many that open would each look through the whole text. */
function indexWithin(text: string, mark: string, from: number): number {
  const found = text.slice(from, from + LONGEST_SPAN).indexOf(mark);
  return found < 0 ? -1 : found + from;
}
