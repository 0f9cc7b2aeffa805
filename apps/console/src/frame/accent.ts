/** Owns the accent colour that an organization may set: readable on it and as text, in both themes. */

import { isDarkNow } from './shown-theme.ts';

const COLOUR = /^#[0-9a-f]{6}$/i;
const LEAST_CONTRAST = 4.5;
const NAMES = ['--accent', '--accent-hover', '--on-accent', '--accent-text', '--accent-soft'] as const;

/** Uses the colour of the organization; without one the console's own holds. */
export function applyAccent(accent: string | undefined): void {
  const root = document.documentElement;
  for (const name of NAMES) root.style.removeProperty(name);
  if (accent === undefined || !COLOUR.test(accent)) return;
  const isDark = isDarkNow();
  const colour = channelsOf(accent);
  const ground = isDark ? [20, 20, 25] : [255, 255, 255];
  const away = isDark ? [255, 255, 255] : [0, 0, 0];
  root.style.setProperty('--accent', textOf(colour));
  root.style.setProperty('--accent-hover', textOf(mix(colour, away, 0.15)));
  root.style.setProperty(
    '--on-accent',
    contrast(colour, [255, 255, 255]) >= LEAST_CONTRAST ? '#fff' : '#000',
  );
  root.style.setProperty('--accent-text', textOf(readable(colour, ground, away)));
  root.style.setProperty('--accent-soft', textOf(mix(ground, colour, isDark ? 0.22 : 0.1)));
}

function readable(colour: number[], ground: number[], away: number[]): number[] {
  const soft = mix(ground, colour, 0.22);
  for (let share = 0; share < 1; share += 0.1) {
    const tried = mix(colour, away, share);
    if (contrast(tried, ground) >= LEAST_CONTRAST && contrast(tried, soft) >= LEAST_CONTRAST) return tried;
  }
  return away;
}

function channelsOf(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}

function textOf(channels: number[]): string {
  return `#${channels.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`;
}

function mix(from: number[], to: number[], share: number): number[] {
  return from.map((value, index) => value + ((to[index] ?? 0) - value) * share);
}

function contrast(one: number[], other: number[]): number {
  const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

function luminance(channels: number[]): number {
  const [red = 0, green = 0, blue = 0] = channels.map((value) => {
    const share = value / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
