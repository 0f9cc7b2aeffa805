/** From a User-Agent header to a few words that people know their browser by. */

const BROWSERS: readonly (readonly [mark: string, name: string])[] = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
];
const SYSTEMS: readonly (readonly [mark: string, name: string])[] = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
];

/** Such as `Firefox on Linux`; what nobody knows is a browser all the same. */
export function deviceOf(userAgent: string | undefined = ''): string {
  const found = (names: typeof BROWSERS) => names.find(([mark]) => userAgent.includes(mark))?.[1];
  const browser = found(BROWSERS) ?? 'A browser';
  const system = found(SYSTEMS);
  return system === undefined ? browser : `${browser} on ${system}`;
}
