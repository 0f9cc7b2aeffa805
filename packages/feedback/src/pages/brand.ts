/** The colour of a site as both themes can bear it: readable as text, and behind text. */

interface Rgb {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

const WHITE: Rgb = { red: 255, green: 255, blue: 255 };
const BLACK: Rgb = { red: 0, green: 0, blue: 0 };
const LIGHT_PAGE = WHITE;
const DARK_PAGE: Rgb = { red: 27, green: 28, blue: 35 };
// What the web's guidelines ask of text.
const READABLE = 4.5;
const STEPS = 20;

/** The rules that a chosen colour adds to the style of the pages. */
export function brandStyle(accentColor: string): string {
  const chosen = rgbOf(accentColor);
  const light = readableOn(chosen, LIGHT_PAGE, BLACK);
  const dark = readableOn(chosen, DARK_PAGE, WHITE);
  return `:root{${rulesOf(light, LIGHT_PAGE, 0.9)}}
@media (prefers-color-scheme: dark){:root{${rulesOf(dark, DARK_PAGE, 0.8)}}}
`;
}

function rulesOf(accent: Rgb, page: Rgb, share: number): string {
  const onAccent = contrast(accent, WHITE) >= contrast(accent, BLACK) ? WHITE : BLACK;
  // The tint stands behind the accent itself, so it may not come too close to it.
  let tint = mix(accent, page, share);
  for (let step = 1; step <= STEPS && contrast(accent, tint) < READABLE; step += 1)
    tint = mix(accent, page, share + ((1 - share) * step) / STEPS);
  return `--accent:${hexOf(accent)};--accent-text:${hexOf(onAccent)};--tint:${hexOf(tint)};`;
}

/** The colour, moved towards another one until it can be read on the page. */
function readableOn(color: Rgb, page: Rgb, towards: Rgb): Rgb {
  for (let step = 0; step < STEPS; step += 1) {
    const moved = mix(color, towards, step / STEPS);
    if (contrast(moved, page) >= READABLE) return moved;
  }
  return towards;
}

function rgbOf(color: string): Rgb {
  const part = (at: number) => Number.parseInt(color.slice(at, at + 2), 16);
  return { red: part(1), green: part(3), blue: part(5) };
}

function hexOf({ red, green, blue }: Rgb): string {
  return `#${[red, green, blue].map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
}

/** A colour between two others; 0 is the first, 1 the second. */
function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const between = (a: number, b: number) => a + (b - a) * share;
  return {
    red: between(from.red, to.red),
    green: between(from.green, to.green),
    blue: between(from.blue, to.blue),
  };
}

function contrast(one: Rgb, other: Rgb): number {
  const [high, low] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05);
}

function luminance({ red, green, blue }: Rgb): number {
  const [r = 0, g = 0, b = 0] = [red, green, blue].map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
