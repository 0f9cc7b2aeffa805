/** Patterns of URIs: exact ones, `*` within a segment, `**` across them; matched in one pass over the URI. */

/** True for a URI that is meant. */
export type SelectsUri = (uri: string) => boolean;

const LONGEST = 8192;

/** The URIs that a selection means; null: all of them. */
export function uriSelection(patterns: readonly string[] | null): SelectsUri {
  if (patterns === null) return () => true;
  const exact = new Set(patterns.filter((pattern) => !pattern.includes('*')));
  const wild = patterns.filter((pattern) => pattern.includes('*')).map(compiled);
  return (uri) => exact.has(uri) || wild.some((matches) => matches(uri));
}

/** A character that has to be there, or a star; a wide one takes slashes too. */
type Step = string | { readonly isWide: boolean };

function compiled(pattern: string): SelectsUri {
  const steps: Step[] = [];
  const head = pattern.slice(0, pattern.indexOf('*'));
  for (const [part] of pattern.slice(head.length).matchAll(/\*+|[^*]/g)) {
    steps.push(part.startsWith('*') ? { isWide: part.length > 1 } : part);
  }
  return (uri) => uri.length <= LONGEST && uri.startsWith(head) && matchesSteps(steps, uri, head.length);
}

/**
 * All ways to read the pattern are followed together, so that no text makes it go back: each character is looked at
 * once, for as many places in the pattern as are still possible.
 */
function matchesSteps(steps: readonly Step[], text: string, from: number): boolean {
  let places: number[] = [];
  // The character for which a place was entered last, counted from 1.
  const enteredAt = new Int32Array(steps.length + 1);
  const enter = (into: number[], place: number, turn: number) => {
    // A star may stand for nothing.
    for (let at = place; enteredAt[at] !== turn; at += 1) {
      enteredAt[at] = turn;
      into.push(at);
      if (typeof steps[at] !== 'object') return;
    }
  };
  enter(places, 0, 1);
  for (let index = from, turn = 2; index < text.length && places.length > 0; index += 1, turn += 1) {
    const character = text[index];
    const next: number[] = [];
    for (const place of places) {
      const step = steps[place];
      if (typeof step === 'object') {
        if (step.isWide || character !== '/') enter(next, place, turn);
      } else if (step !== undefined && step === character) {
        enter(next, place + 1, turn);
      }
    }
    places = next;
  }
  return places.includes(steps.length);
}
