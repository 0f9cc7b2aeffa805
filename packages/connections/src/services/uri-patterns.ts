/** Patterns of URIs: exact ones, `*` within a segment, `**` across them; matched in one pass over the URI. */

/** True for a URI that is meant. */
export type SelectsUri = (uri: string) => boolean;

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
  return (uri) => uri.startsWith(head) && matchesSteps(steps, uri, head.length);
}

/**
 * All ways to read the pattern are followed together, so that no text makes it go back: each character is looked at
 * once, for as many places in the pattern as are still possible.
 */
function matchesSteps(steps: readonly Step[], text: string, from: number): boolean {
  let places = new Set<number>();
  const enter = (into: Set<number>, place: number) => {
    // A star may stand for nothing.
    for (let at = place; ; at += 1) {
      into.add(at);
      if (typeof steps[at] !== 'object') return;
    }
  };
  enter(places, 0);
  for (let index = from; index < text.length && places.size > 0; index += 1) {
    const character = text[index];
    const next = new Set<number>();
    for (const place of places) {
      const step = steps[place];
      if (typeof step === 'object') {
        if (step.isWide || character !== '/') enter(next, place);
      } else if (step !== undefined && step === character) {
        enter(next, place + 1);
      }
    }
    places = next;
  }
  return places.has(steps.length);
}
