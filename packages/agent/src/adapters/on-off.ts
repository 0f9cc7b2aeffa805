/** Settings that are written as `on` or `off`. */

export function isOn(flag: string, text: string | undefined, fallback: boolean): boolean {
  if (text === undefined) return fallback;
  if (text === 'on' || text === 'off') return text === 'on';
  throw new Error(`--${flag}: must be on or off, not "${text.slice(0, 50)}".`);
}
