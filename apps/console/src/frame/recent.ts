/** Owns the places where the person was last, for the palette; kept in this browser alone. */
import { SCREENS } from '../screens.ts';
import type { ScreenEntry } from '../screens.ts';

/** A place one can go back to. */
export interface Place {
  readonly to: string;
  readonly title: string;
}

const KEY = 'parley.recent';
const MOST = 8;

/** Puts a path at the head of the list; what is open in a screen counts as a place of its own. */
export function rememberPlace(path: string): void {
  const screen = screenAt(path);
  if (!screen || path === '/') return;
  const known = recentPlaces().find((place) => place.to === path);
  const rest = path.slice(screen.path.length + 1);
  const title = rest === '' ? screen.title : `${screen.title}: ${safeDecoded(rest).replaceAll('/', ' · ')}`;
  keepPlace(known ?? { to: path, title });
}

/** The screen of a path. */
export function screenAt(path: string): ScreenEntry | undefined {
  const isIn = (one: ScreenEntry) => one.path !== '/' && `${path}/`.startsWith(`${one.path}/`);
  return SCREENS.find((one) => one.path === path) ?? SCREENS.findLast(isIn);
}

/** An address that somebody typed may hold what is no encoding. */
function safeDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function keepPlace(place: Place): void {
  const others = recentPlaces().filter(({ to }) => to !== place.to);
  try {
    localStorage.setItem(KEY, JSON.stringify([place, ...others].slice(0, MOST)));
  } catch {
    // Storage is switched off: the list stays empty.
  }
}

/** Gives a place the name of what is open there. */
export function namePlace(path: string, name: string): void {
  const screen = screenAt(path);
  if (!screen || path === screen.path) return;
  keepPlace({ to: path, title: `${screen.title}: ${name}` });
}

/** The places, the last one first. */
export function recentPlaces(): Place[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isPlace).slice(0, MOST) : [];
  } catch {
    return [];
  }
}

function isPlace(value: unknown): value is Place {
  if (typeof value !== 'object' || value === null || !('to' in value) || !('title' in value)) return false;
  return typeof value.to === 'string' && value.to.startsWith('/') && typeof value.title === 'string';
}
